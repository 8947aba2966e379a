/** Reads arguments. A refusal names the argument. */
import { parseExact } from '../../foundation/exact-json.ts';
import { findProgram } from '../../foundation/find-program.ts';
import { codeOf } from '../../foundation/system-error-code.ts';
import { readFileSync } from 'node:fs';
import { KEEPING_INTEGERS, JSON_BYTES_MAX, readJson, type Json } from '../../foundation/json.ts';
import { durationRule, readDuration } from '../../domain/duration.ts';
import { AGENT_NAME_RULE, readAgentId, type AgentId } from '../../domain/names.ts';
import { isStorableText } from '../../domain/record-values.ts';
import { cliProblem } from './problem.ts';

const TEXT_MAX = 500;
/** A purpose or a reason may be longer than a title. */
export const LONG_TEXT_MAX = 20_000;

export function agentArgument(text: string, what: string): AgentId {
  const agent = readAgentId(text);
  if (agent !== null) return agent;
  throw cliProblem('bad-request', `${what} ${JSON.stringify(text)}: ${AGENT_NAME_RULE}`);
}

/** The path of the program. */
export function commandArgument(program: string): string {
  const found = findProgram(program);
  if (found !== null) return found;
  throw cliProblem('bad-request', `cannot find the command ${JSON.stringify(program)}, or it is not executable`);
}

/** Reads `90`, `90s`, `5m` or `2h`; returns milliseconds. */
export function secondsArgument(text: string, what: string, minSeconds: number, maxSeconds: number): number {
  const ms = readDuration(text);
  if (ms !== null && ms >= minSeconds * 1000 && ms <= maxSeconds * 1000) return ms;
  throw cliProblem('bad-request', `${what} ${JSON.stringify(text)}: ${durationRule(minSeconds, maxSeconds)}`);
}

export function countArgument(text: string, what: string, min: number, max: number): number {
  const count = Number(text);
  if (/^[0-9]+$/.test(text) && count >= min && count <= max) return count;
  throw cliProblem('bad-request', `${what} ${JSON.stringify(text)}: a whole number from ${min} to ${max}`);
}

/** The fence in the environment of a worker's command; undefined elsewhere. */
export function ownFence(id: string): string | undefined {
  const fence = process.env['BATON_HANDOFF_ID'] === id ? process.env['BATON_FENCE'] : undefined;
  return fence !== undefined && /^[0-9]+$/.test(fence) ? fence : undefined;
}

export function textArgument(text: string, what: string, max: number = TEXT_MAX): string {
  if (text.length <= max && isStorableText(text) && text.trim() !== '') return text;
  throw cliProblem('bad-request', `${what}: 1 to ${max} characters of text`);
}

/** JSON itself, a file with JSON, or `-` for standard input. Text that starts like JSON is JSON. */
export function jsonArgument(given: string, what: string): Json {
  // A number must be the whole text, because names of files may start with a date.
  const isJson = /^\s*(?:[[{"]|-?[0-9][0-9.eE+-]*\s*$|(?:true|false|null)\s*$)/.test(given);
  const text = isJson ? given : readText(given, what);
  const read = readJson(text, KEEPING_INTEGERS);
  if (read.ok) return parseExact(read.value.text, read.value.value) as Json;
  const { says, line, column } = read.refusal;
  const where = isJson ? what : given === '-' ? 'standard input' : given;
  throw cliProblem('not-json', `${where}:${line}:${column}: ${says}`, { line, column });
}

/** The text of a file, or of standard input. */
export function readText(from: string, what: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(from === '-' ? 0 : from);
  } catch (error) {
    const reason = codeOf(error) ?? String(error);
    const hint = from === '-' ? '' : ` (${what} takes JSON, the name of a file with JSON, or -)`;
    throw cliProblem(
      'bad-request',
      `cannot read ${from === '-' ? 'standard input' : JSON.stringify(from)}: ${reason}${hint}`,
    );
  }
  if (bytes.length > JSON_BYTES_MAX) {
    throw cliProblem('bad-request', `the input has ${bytes.length} bytes, at most ${JSON_BYTES_MAX} are taken`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw cliProblem('not-json', 'the input is not UTF-8 text');
  }
}
