/** Arguments become values here, once; what is wrong is said with its name. */
import { readFileSync } from 'node:fs';
import { JSON_BYTES_MAX, readJson, type Json } from '../../foundation/json.ts';
import { EVIDENCE_KINDS } from '../../domain/evidence.ts';
import {
  AGENT_NAME_RULE,
  HANDOFF_ID_RULE,
  readAgentId,
  readHandoffId,
  type AgentId,
  type HandoffId,
} from '../../domain/names.ts';
import { isStorableText, millisecondsIn, secondsRule } from '../../domain/record-values.ts';
import type { AskedEvidence } from '../../engine/evidence-desk.ts';
import { faceProblem } from './problem.ts';

const TEXT_MAX = 500;
/** A purpose or a reason may be longer than a title. */
export const LONG_TEXT_MAX = 20_000;

export function agentArgument(text: string, what: string): AgentId {
  const agent = readAgentId(text);
  if (agent !== null) return agent;
  throw faceProblem('bad-request', `${what} ${JSON.stringify(text)}: ${AGENT_NAME_RULE}`);
}

export function idArgument(text: string | undefined, what: string): HandoffId {
  const id = readHandoffId(text ?? '');
  if (id !== null) return id;
  throw faceProblem('bad-request', `${what} ${JSON.stringify(text ?? '')}: ${HANDOFF_ID_RULE}`);
}

/** Seconds on the command line, milliseconds inside. */
export function secondsArgument(text: string, what: string, minSeconds: number, maxSeconds: number): number {
  const seconds = numberOf(text);
  const ms = seconds === null ? null : millisecondsIn(seconds);
  if (ms !== null && ms >= minSeconds * 1000 && ms <= maxSeconds * 1000) return ms;
  throw faceProblem('bad-request', `${what} ${JSON.stringify(text)}: ${secondsRule(minSeconds, maxSeconds)}`);
}

export function countArgument(text: string, what: string, min: number, max: number): number {
  const count = Number(text);
  if (/^[0-9]+$/.test(text) && count >= min && count <= max) return count;
  throw faceProblem('bad-request', `${what} ${JSON.stringify(text)}: a whole number from ${min} to ${max}`);
}

export function fractionArgument(text: string, what: string): number {
  const fraction = numberOf(text);
  if (fraction !== null && fraction >= 0 && fraction <= 1) return fraction;
  throw faceProblem('bad-request', `${what} ${JSON.stringify(text)}: a number from 0 to 1`);
}

function numberOf(text: string): number | null {
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? number : null;
}

/** Inside a worker's command its own fence is known. */
export function fenceArgument(text: string | undefined, id: HandoffId): number | null {
  if (text !== undefined) return countArgument(text, '--fence', 1, Number.MAX_SAFE_INTEGER);
  const own = process.env['BATON_FENCE'];
  return process.env['BATON_HANDOFF_ID'] === id && own !== undefined && /^[0-9]+$/.test(own) ? Number(own) : null;
}

export function textArgument(text: string, what: string, max: number = TEXT_MAX): string {
  if (text.length <= max && isStorableText(text) && text.trim() !== '') return text;
  throw faceProblem('bad-request', `${what}: 1 to ${max} characters of text`);
}

/** `login page=file:src/login.tsx`. The name ends at the first `=` that is followed by a kind. */
export function evidenceArgument(text: string): AskedEvidence {
  const found = new RegExp(`^(.+?)=(${EVIDENCE_KINDS.join('|')}):(.+)$`, 's').exec(text);
  const [, deliverable = '', kind = '', value = ''] = found ?? [];
  if (found !== null) return { deliverable: textArgument(deliverable, '--evidence'), kind: kind as never, value };
  const form = `DELIVERABLE=KIND:VALUE, where KIND is one of ${EVIDENCE_KINDS.join(', ')}`;
  throw faceProblem('bad-request', `--evidence ${JSON.stringify(text)}: ${form}`);
}

/** JSON itself, a file with it, or `-` for standard input. What begins like JSON is JSON. */
export function jsonArgument(given: string, what: string): Json {
  // A number only as a whole: files like to begin with a date.
  const isJson = /^\s*(?:[[{"]|-?[0-9][0-9.eE+-]*\s*$|(?:true|false|null)\s*$)/.test(given);
  const text = isJson ? given : readText(given, what);
  const read = readJson(text);
  if (read.ok) return read.value.value;
  const { says, line, column } = read.refusal;
  const where = isJson ? what : given === '-' ? 'standard input' : given;
  throw faceProblem('not-json', `${where}:${line}:${column}: ${says}`, { line, column });
}

/** The text of a file, or of standard input. */
export function readText(from: string, what: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(from === '-' ? 0 : from);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const hint = from === '-' ? '' : ` (${what} takes JSON, the name of a file with JSON, or -)`;
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
