import { defined } from '../foundation/defined.ts';
import { readTaskId, TASK_ID_RULE } from '../domain/names.ts';
import { ON_DEPENDENCY_FAILURE } from '../domain/dependencies.ts';
import { KINDS, type Terms } from '../domain/handoff.ts';
import { PRIORITIES } from '../domain/priority.ts';
import { DEFAULT_RETRY, RETRIES_MAX, type RetryPolicy } from '../domain/retry-policy.ts';
import type { Context } from '../engine/context.ts';
import { send as sendHandoff, type SendRequest } from '../engine/handoffs/send.ts';
import {
  agent,
  choice,
  duration,
  flag,
  group,
  handoffId,
  instant,
  integer,
  json,
  list,
  longText,
  number,
  object,
  required,
  REQUEST_ID,
  text,
  WAIT_FOR_CAPACITY,
  type InputOf,
} from './field.ts';
import { defineOperation } from './operation.ts';

const MULTIPLIER_MAX = 100;
/** Long enough for a prompt from a file. */
const PROMPT_MAX = 200_000;

/** The fields of a new handoff, for `send` and other operations that make handoffs. */
const input = {
  from: required(agent('The sender (default with a token: the agent that the token belongs to)', { byCaller: true })),
  to: required(agent('The recipient')),
  input: json('The input of the work (default: {})'),
  text: text('The work in words; becomes the input { "text": … }', { max: PROMPT_MAX }),
  schema: text('The schema to check the input against: the name of a file in schemas/'),
  context: object('Further information for the recipient'),
  title: text('A title for people, in one line'),
  task: text('The task that the handoff belongs to'),
  priority: choice(PRIORITIES, 'The priority (default: normal)'),
  kind: choice(KINDS, 'A message of the queue (default) or a governed document'),
  draft: flag('Create a draft, which is not offered until it is activated; documents are drafts by default'),
  deliverables: list(text('A deliverable'), 'What the doer has to deliver with evidence', {
    option: 'deliverable',
    isDistinct: true,
  }),
  criteria: list(text('A criterion'), 'What a verifier has to check', { option: 'criterion', isDistinct: true }),
  verifiers: list(
    agent('A verifier'),
    'Who has to agree that the work is done, besides those that the workspace requires',
    {
      option: 'verifier',
    },
  ),
  check: longText('The only command that counts as evidence; it has to pass'),
  anyCommit: flag('Also accept commits as evidence that are older than the handoff, empty or on no branch'),
  dependsOn: list(handoffId('A handoff'), 'Handoffs that must be completed before this one is offered', {
    option: 'depends',
  }),
  onDependencyFailure: choice(
    ON_DEPENDENCY_FAILURE,
    'When a dependency does not succeed: wait for a retry of it (default), fail too, or run anyway',
  ),
  allowUnknown: flag('Accept dependencies that do not exist yet or did not succeed'),
  parent: handoffId('The handoff that this one follows from'),
  waitForCapacity: WAIT_FOR_CAPACITY,
  timeoutMs: duration({}, 'Time limit of each attempt, from its start'),
  notBefore: instant('The earliest time at which it can be accepted'),
  onFailed: agent(
    'The agent that gets a new handoff (a dead letter) when this one fails for good, is rejected or expires',
  ),
  retry: group(
    {
      max: integer(0, RETRIES_MAX, 'How many retries after the first attempt', {
        option: 'retries',
        formerly: { option: 'retry-max' },
      }),
      delayMs: duration({ minSeconds: 0 }, 'The delay before the second attempt', { option: 'retry-delay' }),
      multiplier: number(1, MULTIPLIER_MAX, 'The factor by which the delay grows with each attempt', {
        option: 'retry-multiplier',
      }),
    },
    'The retry policy (default: the one in baton.yaml)',
  ),
  requestId: REQUEST_ID,
} as const;

export const send = defineOperation({
  name: 'send',
  summary: 'Offer work to an agent',
  about:
    'Once it returns, the handoff survives a power cut. The same request id with the same content returns the same handoff.',
  example: 'send --from @me --to @react --input \'{"x":1}\' --wait',
  permission: 'create',
  route: { method: 'post', path: '/api/handoffs' },
  input,
  result: 'created',
  defaultCaller: ({ from }) => from,
  check: (asked, nameOf) =>
    asked.kind === 'document' && asked.task !== undefined && readTaskId(asked.task) === null
      ? `${nameOf('task')}: a document is named after its task, so ${TASK_ID_RULE}`
      : inputGivenTwice(asked, nameOf),
  run: (ctx, principal, asked) => sendHandoff(ctx, principal, sendRequestOf(ctx, asked)),
});

export type SendInput = InputOf<typeof input>;

/** Null: the input is given at most once. */
export function inputGivenTwice(
  { input: needs, text: words }: Pick<SendInput, 'input' | 'text'>,
  nameOf: (key: string) => string,
): string | null {
  return needs === undefined || words === undefined ? null : `say either ${nameOf('input')} or ${nameOf('text')}`;
}

/** The request in the terms of the engine. */
export function sendRequestOf({ rules }: Context, asked: SendInput): SendRequest {
  const { input: given, text: words, deliverables, criteria, verifiers, check, anyCommit, ...others } = asked;
  const { dependsOn, onDependencyFailure, allowUnknown, timeoutMs, onFailed, retry, ...rest } = others;
  const terms: Partial<Terms> = defined({
    deliverables,
    criteria,
    verifiers,
    check,
    ...(anyCommit === true ? { anyCommit } : {}),
    dependsOn,
    onDependencyFailure,
    onFailed,
    attemptTimeoutMs: timeoutMs,
    retry: retry && retryPolicyOf(rules.terms.queue?.retry ?? DEFAULT_RETRY, retry),
  });
  // `null` is an input too. A send without terms of its own shares the default terms.
  const needs = given === undefined ? (words === undefined ? {} : { text: words }) : given;
  const known = dependsOn === undefined || allowUnknown === true ? {} : ({ knownDependencies: true } as const);
  return { ...rest, ...known, input: needs, ...(Object.keys(terms).length === 0 ? {} : { terms }) };
}

function retryPolicyOf(base: RetryPolicy, { max, delayMs, multiplier }: NonNullable<SendInput['retry']>): RetryPolicy {
  return {
    ...base,
    retriesMax: max ?? base.retriesMax,
    delayMs: Math.min(delayMs ?? base.delayMs, base.capMs),
    multiplier: multiplier ?? base.multiplier,
  };
}
