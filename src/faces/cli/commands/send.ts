import { isObject } from '../../../dialects/queue-message/answer.ts';
import type { JsonObject } from '../../../foundation/json.ts';
import { CONTEXT_FILES, contextKeyOf, contextPathOf } from '../../../engine/artifacts/context-files.ts';
import type { Surroundings } from '../../../engine/surroundings.ts';
import { agentPrincipal, type Principal } from '../../../domain/principal.ts';
import type { Handoff } from '../../../domain/handoff.ts';
import { DEFAULT_RETRY } from '../../../domain/retry.ts';
import { WEEK_SECONDS } from '../../../domain/record-values.ts';
import { send as sendHandoff, type SendRefusal, type SendRequest } from '../../../engine/verbs/send.ts';
import { jsonArgument, secondsArgument, textArgument } from '../arguments.ts';
import { inHouse } from '../invocation.ts';
import type { Output } from '../output.ts';
import { faceProblem, problemOf, type Problem } from '../problem.ts';
import { requestOf, type RequestOptions } from '../request.ts';
import { wholeRequest } from '../whole-request.ts';
import { waitAndTell } from './wait.ts';

interface SendOptions extends RequestOptions {
  readonly input?: string;
  readonly schema?: string;
  readonly context?: readonly string[];
  readonly timeout?: string;
  readonly request?: string;
  readonly wait?: true;
}

export async function send(_args: readonly string[], options: SendOptions, output: Output): Promise<number> {
  const requested = options.request === undefined ? null : await wholeRequest(options.request, options);
  const request = requested === null ? requestBy(options) : requested(DEFAULT_RETRY);
  return inHouse(options, { otherwise: agentPrincipal(request.from) }, async (around, principal) => {
    const asked = requested?.(around.rules.terms.queue?.retry ?? DEFAULT_RETRY) ?? request;
    const { id, to, state } = await sendOrSay(around, principal, asked);
    if (options.wait === true) {
      const first = `${id} ${state === 'offered' ? `offered to @${to}` : state}; waiting`;
      return waitAndTell(around, principal, id, { first }, output);
    }
    if (output.json) output.answer({ id, state });
    else output.line(id);
    if (state === 'blocked') output.note(`${id} waits: see baton show ${id}`);
    return 0;
  });
}

function requestBy(options: SendOptions): SendRequest {
  const { timeout, schema, context } = options;
  const terms =
    timeout === undefined ? {} : { attemptTimeoutMs: secondsArgument(timeout, '--timeout', 1, WEEK_SECONDS) };
  return {
    ...requestOf('send', options, terms),
    input: options.input === undefined ? {} : jsonArgument(options.input, '--input'),
    ...(schema === undefined ? {} : { schema: textArgument(schema, '--schema') }),
    ...(context === undefined ? {} : { context: contextArgument(context) }),
  };
}

/** A later one counts more; the name of a shared file stands for what is in it when it is sent. */
function contextArgument(texts: readonly string[]): JsonObject {
  return texts.reduce<JsonObject>((context, text) => {
    const name = CONTEXT_FILES.find((each) => each === text);
    if (name !== undefined) return { ...context, [contextKeyOf(name)]: contextPathOf(name) };
    const given = jsonArgument(text, '--context');
    if (isObject(given)) return { ...context, ...given };
    throw faceProblem('bad-request', `--context takes a JSON object, a file with one, or ${CONTEXT_FILES.join(', ')}`);
  }, {});
}

export async function sendOrSay(around: Surroundings, principal: Principal, request: SendRequest): Promise<Handoff> {
  const sent = await sendHandoff(around, principal, request);
  if (sent.ok) return sent.value;
  // A parent that only the environment names may belong to another workspace, or to others than the sender.
  const { refusal } = sent;
  const isNotTheirs = refusal.code === 'not-entitled' && refusal.op === 'follow';
  const isStray = refusal.code === 'no-such-handoff' || isNotTheirs;
  const parent = isStray && refusal.id === process.env['BATON_HANDOFF_ID'] ? refusal.id : null;
  if (parent === null || request.parent !== parent) throw sendProblem(refusal);
  return sendOrSay(around, principal, withoutParent(request));
}

export function sendProblem(refusal: SendRefusal): Problem {
  if (refusal.code !== 'not-json') return problemOf(refusal);
  return faceProblem('not-json', `the input cannot be sent: ${refusal.problem.says}`);
}

function withoutParent(request: SendRequest): SendRequest {
  const alone: { -readonly [Name in keyof SendRequest]: SendRequest[Name] } = { ...request };
  delete alone.parent;
  return alone;
}
