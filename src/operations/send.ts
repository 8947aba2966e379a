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
/** A prompt may be as long as a file that somebody still reads. */
const PROMPT_MAX = 200_000;

/** What is asked for, and by whom: for `send` and for whatever else makes handoffs. */
const input = {
  from: required(agent('Who sends; with a token, the one that it belongs to', { byCaller: true })),
  to: required(agent('Who is to do it')),
  input: json('What it needs (default: {})'),
  text: text('What is wanted, in words: the input { "text": … }', { max: PROMPT_MAX }),
  schema: text('The name of a file in schemas/ that the input follows'),
  context: object('What else the recipient has to know'),
  title: text('A line for people'),
  task: text('The task that it belongs to'),
  priority: choice(PRIORITIES, 'How urgent it is (default: normal)'),
  kind: choice(KINDS, 'A message of the queue (default) or a governed document'),
  draft: flag('Not offered before it is activated; documents are drafts by default'),
  deliverables: list(text('A deliverable'), 'What has to be shown with evidence', {
    option: 'deliverable',
    isDistinct: true,
  }),
  criteria: list(text('A criterion'), 'What a verifier has to check', { option: 'criterion', isDistinct: true }),
  verifiers: list(agent('A verifier'), 'Who has to agree that it is done, beside those that the workspace requires', {
    option: 'verifier',
  }),
  check: longText('The one command that counts as evidence; it has to pass'),
  anyCommit: flag('Commits that are older, empty or on no branch count as evidence too'),
  dependsOn: list(handoffId('A handoff'), 'Wait until these are completed', { option: 'depends' }),
  onDependencyFailure: choice(
    ON_DEPENDENCY_FAILURE,
    'When one of those does not succeed: wait for a retry of it (default), fail with it, or run all the same',
  ),
  allowUnknown: flag('Also wait for what does not exist yet or has not succeeded'),
  parent: handoffId('The leg that this one follows from'),
  waitForCapacity: WAIT_FOR_CAPACITY,
  timeoutMs: duration({}, 'For each attempt, from pick-up'),
  notBefore: instant('Not to be taken earlier'),
  onFailed: agent('Who gets it as a new handoff when it fails for good, is rejected or expires'),
  retry: group(
    {
      max: integer(0, RETRIES_MAX, 'How many attempts after the first', {
        option: 'retries',
        formerly: { option: 'retry-max' },
      }),
      delayMs: duration({ minSeconds: 0 }, 'How long to wait before the second attempt', { option: 'retry-delay' }),
      multiplier: number(1, MULTIPLIER_MAX, 'By how much the wait grows with each attempt', {
        option: 'retry-multiplier',
      }),
    },
    'What happens after a failed attempt (default: as baton.yaml says)',
  ),
  requestId: REQUEST_ID,
} as const;

export const send = defineOperation({
  name: 'send',
  summary: 'Offer work to an agent',
  about:
    'When it is answered, the handoff survives a power cut. The same request id with the same content answers the same handoff.',
  example: 'send --from @me --to @react --input \'{"x":1}\' --wait',
  permission: 'create',
  route: { method: 'post', path: '/api/handoffs' },
  input,
  result: 'created',
  speaker: ({ from }) => from,
  check: (asked, nameOf) =>
    asked.kind === 'document' && asked.task !== undefined && readTaskId(asked.task) === null
      ? `${nameOf('task')}: a document is named after its task, so ${TASK_ID_RULE}`
      : inputTwice(asked, nameOf),
  run: (ctx, principal, asked) => sendHandoff(ctx, principal, sendRequestOf(ctx, asked)),
});

export type SendInput = InputOf<typeof input>;

/** Null: the input is said once, or not at all. */
export function inputTwice(
  { input: needs, text: words }: Pick<SendInput, 'input' | 'text'>,
  nameOf: (key: string) => string,
): string | null {
  return needs === undefined || words === undefined ? null : `say either ${nameOf('input')} or ${nameOf('text')}`;
}

/** In the words of the engine. */
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
