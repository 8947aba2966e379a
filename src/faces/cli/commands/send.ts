import { readFileSync } from 'node:fs';
import { JSON_BYTES_MAX, readJson, type Json } from '../../../foundation/json.ts';
import type { Terms } from '../../../domain/handoff.ts';
import { agentPrincipal } from '../../../domain/principal.ts';
import { PRIORITIES, type Priority } from '../../../domain/priority.ts';
import { send as sendHandoff, type SendRequest } from '../../../engine/verbs/send.ts';
import { agentArgument, idArgument, openFor, principalOf, secondsArgument, type CommonOptions } from '../invocation.ts';
import type { Output } from '../output.ts';
import { faceProblem, problemOf } from '../problem.ts';
import { waitAndTell } from './wait.ts';

export interface SendOptions extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
  readonly input?: string;
  readonly schema?: string;
  readonly title?: string;
  readonly task?: string;
  readonly priority?: string;
  readonly timeout?: string;
  readonly depends?: readonly string[];
  readonly requestId?: string;
  readonly wait?: true;
}

const WEEK_SECONDS = 7 * 24 * 60 * 60;
const TITLE_MAX = 500;

export async function send(options: SendOptions, output: Output): Promise<number> {
  const request = requestOf(options);
  const principal = principalOf(options, agentPrincipal(request.from));
  const house = await openFor(options);
  try {
    const sent = await sendHandoff(house.around, principal, request);
    if (!sent.ok) {
      if (sent.refusal.code !== 'not-json') throw problemOf(sent.refusal);
      throw faceProblem('not-json', `the input cannot be sent: ${sent.refusal.problem.says}`);
    }
    const { id, state } = sent.value;
    if (options.wait === true) return await waitAndTell(house.around, principal, id, {}, output);
    if (output.json) output.answer({ id, state });
    else output.line(id);
    return 0;
  } finally {
    await house.close();
  }
}

function requestOf(options: SendOptions): SendRequest {
  const { from, to } = options;
  if (from === undefined || to === undefined) {
    throw faceProblem(
      'usage',
      'send needs --from and --to, for example: baton send --from @me --to @react --input \'{"x":1}\'',
    );
  }
  const terms: Partial<Terms> = {
    ...(options.timeout === undefined
      ? {}
      : { attemptTimeoutMs: secondsArgument(options.timeout, '--timeout', 1, WEEK_SECONDS) }),
    ...(options.depends === undefined ? {} : { dependsOn: options.depends.map((id) => idArgument(id, '--depends')) }),
  };
  return {
    from: agentArgument(from, '--from'),
    to: agentArgument(to, '--to'),
    input: readInput(options.input),
    ...(options.schema === undefined ? {} : { schema: shortText(options.schema, '--schema') }),
    ...(options.title === undefined ? {} : { title: shortText(options.title, '--title') }),
    ...(options.task === undefined ? {} : { task: shortText(options.task, '--task') }),
    ...(options.priority === undefined ? {} : { priority: readPriority(options.priority) }),
    ...(options.requestId === undefined ? {} : { requestId: shortText(options.requestId, '--request-id') }),
    ...(Object.keys(terms).length === 0 ? {} : { terms }),
  };
}

/** JSON itself, a file with it, or `-` for standard input. What begins like JSON is JSON. */
function readInput(given: string | undefined): Json {
  if (given === undefined) return {};
  // A number only as a whole: files like to begin with a date.
  const isJson = /^\s*(?:[[{"]|-?[0-9][0-9.eE+-]*\s*$|(?:true|false|null)\s*$)/.test(given);
  const text = isJson ? given : readText(given);
  const read = readJson(text);
  if (read.ok) return read.value.value;
  const { says, line, column } = read.refusal;
  const where = isJson ? '--input' : given === '-' ? 'standard input' : given;
  throw faceProblem('not-json', `${where}:${line}:${column}: ${says}`, { line, column });
}

function readText(from: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(from === '-' ? 0 : from);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const hint = from === '-' ? '' : ' (--input takes JSON, the name of a file with JSON, or -)';
    throw faceProblem(
      'bad-request',
      `cannot read ${from === '-' ? 'standard input' : JSON.stringify(from)}: ${reason}${hint}`,
    );
  }
  if (bytes.length > JSON_BYTES_MAX) {
    throw faceProblem('bad-request', `the input has ${bytes.length} bytes, at most ${JSON_BYTES_MAX} are taken`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw faceProblem('not-json', 'the input is not UTF-8 text');
  }
}

function shortText(text: string, what: string): string {
  const sound = text.length <= TITLE_MAX && !text.includes('\u0000') && !/\p{Surrogate}/u.test(text);
  if (sound && text.trim() !== '') return text;
  throw faceProblem('bad-request', `${what}: 1 to ${TITLE_MAX} characters of text`);
}

function readPriority(text: string): Priority {
  const priority = PRIORITIES.find((each) => each === text.toLowerCase());
  if (priority !== undefined) return priority;
  throw faceProblem('bad-request', `--priority ${JSON.stringify(text)}: one of ${PRIORITIES.join(', ')}`);
}
