/**
 * An agent's command line, run once without a terminal: how it is called, and what the lines it prints mean.
 * One file per vendor implements this; all of it was observed with the real programs (`npm run test:agents`).
 */
import type { JsonObject } from '../../foundation/json.ts';
import type { Vendor } from '../../domain/vendors.ts';
import { textIn } from '../json-fields.ts';
import { resetIn, reportsLimit } from './usage-limit.ts';

export interface HeadlessAgent {
  readonly vendor: Vendor;
  /** The prompt comes on standard input: it may be longer than a command line. */
  arguments(run: RunRequest): readonly string[];
  /** Added to the environment of the worker. */
  readonly environment: Readonly<Record<string, string>>;
  /** What one line of JSON on standard output means. */
  read(line: JsonObject): readonly RunEvent[];
  /** What the last lines of standard error mean: some programs report some failures only there. */
  readErrors(text: string): readonly RunEvent[];
}

interface RunRequest {
  readonly model: string | null;
  /** The session to go on with; null begins a new one. */
  readonly resume: string | null;
  /** What the user wrote after `--`. */
  readonly extra: readonly string[];
}

export type RunEvent =
  | { readonly kind: 'session'; readonly id: string; readonly model?: string }
  /** A line for people who watch the run. */
  | { readonly kind: 'progress'; readonly says: string }
  /** What the agent said; a part continues what it said before. */
  | { readonly kind: 'message'; readonly text: string; readonly isPart: boolean }
  /** The turn is over. `text` is the last message where the program repeats it. */
  | { readonly kind: 'done'; readonly text?: string; readonly spent: RunUsage }
  /** The usage limit of the vendor is reached. `resetsAt` in milliseconds; null: unknown. */
  | { readonly kind: 'limit'; readonly says: string; readonly resetsAt: number | null }
  | { readonly kind: 'error'; readonly says: string };

/** What a run has used, as far as the program reports it. */
export interface RunUsage {
  readonly costUsd?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly turns?: number;
}

const SAYS_MAX = 200;

export function progress(says: string): RunEvent {
  const line = says.replaceAll(/\s+/g, ' ').trim();
  return { kind: 'progress', says: line.length > SAYS_MAX ? `${line.slice(0, SAYS_MAX - 1)}…` : line };
}

/** The session that a line announces, and its model where the line names it. */
export function sessionIn(line: JsonObject, idField: string): readonly RunEvent[] {
  const [id, model] = [textIn(line, idField), textIn(line, 'model')];
  return id === null ? [] : [{ kind: 'session', id, ...(model === null ? {} : { model }) }];
}

/** The use of a tool in one line: its name, and the first of these parameters that is there. */
export function toolUse(name: string | null, input: JsonObject, parameters: readonly string[]): RunEvent {
  const about = parameters.map((each) => textIn(input, each)).find((text) => text !== null);
  return progress(`${name ?? 'tool'}${about === undefined ? '' : ` ${about}`}`);
}

/** A failure that the program reports: a usage limit, or an error. */
export function failureOf(says: string): RunEvent {
  return reportsLimit(says) ? { kind: 'limit', says, resetsAt: resetIn(says, Date.now()) } : { kind: 'error', says };
}

/** Leaves out what the program did not report. */
export function spentOf(found: { readonly [Name in keyof RunUsage]: number | null }): RunUsage {
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null));
}
