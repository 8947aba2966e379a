import type { Surroundings } from '../../../engine/surroundings.ts';
import { agentPrincipal, type Principal } from '../../../domain/principal.ts';
import type { Handoff } from '../../../domain/handoff.ts';
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
  readonly timeout?: string;
  readonly request?: string;
  readonly wait?: true;
}

export const WEEK_SECONDS = 7 * 24 * 60 * 60;

export async function send(_args: readonly string[], options: SendOptions, output: Output): Promise<number> {
  const request = options.request === undefined ? requestBy(options) : await wholeRequest(options.request, options);
  return inHouse(options, { otherwise: agentPrincipal(request.from) }, async (around, principal) => {
    const { id, state } = await sendOrSay(around, principal, request);
    if (options.wait === true) return waitAndTell(around, principal, id, {}, output);
    if (output.json) output.answer({ id, state });
    else output.line(id);
    if (state === 'blocked') output.note(`${id} waits: see baton show ${id}`);
    return 0;
  });
}

function requestBy(options: SendOptions): SendRequest {
  const { timeout, schema } = options;
  const terms =
    timeout === undefined ? {} : { attemptTimeoutMs: secondsArgument(timeout, '--timeout', 1, WEEK_SECONDS) };
  return {
    ...requestOf('send', options, terms),
    input: options.input === undefined ? {} : jsonArgument(options.input, '--input'),
    ...(schema === undefined ? {} : { schema: textArgument(schema, '--schema') }),
  };
}

export async function sendOrSay(around: Surroundings, principal: Principal, request: SendRequest): Promise<Handoff> {
  const sent = await sendHandoff(around, principal, request);
  if (sent.ok) return sent.value;
  // A parent that only the environment names may belong to another workspace.
  const stray = sent.refusal.code === 'no-such-handoff' && sent.refusal.id === process.env['BATON_HANDOFF_ID'];
  if (!stray || request.parent !== sent.refusal.id) throw sendProblem(sent.refusal);
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
