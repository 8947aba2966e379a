/**
 * `hooks/` in the private folder of a workspace: calls of hooks that are still to be processed, one file each, and the
 * answers of processed ones. A hook stores its call and ends, so that its agent does not wait for a database. Nothing here
 * needs a package.
 */
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '../../foundation/atomic-file.ts';
import { orNull } from '../../foundation/or-null.ts';
import { namesIn } from '../../agents/adapters/agent-files.ts';
import { jsonIn, textIn } from '../../agents/json-fields.ts';
import { putFile, textOf } from '../../agents/journal/journal-lines.ts';

export interface SpooledCall {
  readonly vendor: string;
  readonly event: string;
  /** The hook's standard input. */
  readonly input: string;
  /** Baton's variables in the hook's environment: they say which agent and session it is. */
  readonly env: Readonly<Record<string, string>>;
  /** The length of the transcript at that time: what follows belongs to later turns. Null: there is none. */
  readonly transcriptBytes: number | null;
}

const SPOOL_FOLDER = 'hooks';
const ANSWERS_FOLDER = 'answers';
const NAME = /^([0-9]{9})-[0-9]+-[0-9]+\.json$/;
/** An agent calls a hook every few seconds at most, so more calls than this mean that something is broken. */
const SPOOLED_MAX = 10_000;
const ENV_PREFIX = 'BATON_';
/** An older draft belongs to a killed hook. */
const DRAFT_KEPT_MS = 24 * 60 * 60_000;

/**
 * Survives a power cut. The number is one more than the highest, so the calls of one session, which come one after the
 * other, stay in order even when the clock is set; process id and time make the name unique.
 */
export function spoolCall(privateFolder: string, call: Omit<SpooledCall, 'env' | 'transcriptBytes'>): void {
  const folder = join(privateFolder, SPOOL_FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = callsIn(folder);
  if (names.length >= SPOOLED_MAX) throw new Error(`${folder} holds ${names.length} calls that nobody has read`);
  const number = 1 + Number(NAME.exec(names.at(-1) ?? '')?.[1] ?? 0);
  const name = `${String(number).padStart(9, '0')}-${process.pid}-${Date.now()}.json`;
  const spooled: SpooledCall = { ...call, env: batonVariables(), transcriptBytes: transcriptBytes(call.input) };
  // The name is never used again, so `writeAtomically` never cleans up its drafts: `dropOldDrafts` does.
  writeAtomically(join(folder, name), JSON.stringify(spooled), { mode: 0o600, draftFolder: folder, durably: true });
}

/** Oldest first. */
export function spooledCalls(privateFolder: string): readonly string[] {
  const folder = join(privateFolder, SPOOL_FOLDER);
  return callsIn(folder).map((name) => join(folder, name));
}

/** Null: another process has handled the call meanwhile, or the file is not a call. */
export function readSpooled(path: string): SpooledCall | null {
  return orNull(() => JSON.parse(readFileSync(path, 'utf8')) as SpooledCall);
}

export function dropSpooled(path: string): void {
  rmSync(path, { force: true });
}

/** Removes drafts of killed hooks. */
export function dropOldDrafts(privateFolder: string, nowMs: number): void {
  const folder = join(privateFolder, SPOOL_FOLDER);
  for (const name of namesIn(folder)) {
    if (!name.startsWith('.')) continue;
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stat !== undefined && nowMs - stat.mtimeMs > DRAFT_KEPT_MS) rmSync(join(folder, name), { force: true });
  }
}

/** Replaces Baton's variables of this process by those of the hook. */
export function useHookEnvironment({ env }: Pick<SpooledCall, 'env'>): void {
  for (const name of Object.keys(batonVariables())) delete process.env[name];
  Object.assign(process.env, env);
}

export function batonVariables(): Readonly<Record<string, string>> {
  const own = Object.entries(process.env).filter(([name]) => name.startsWith(ENV_PREFIX));
  return Object.fromEntries(own) as Readonly<Record<string, string>>;
}

/** Stored for the next hook of the session, which shows it. An older answer that was not shown comes first. */
export function storeAnswer(privateFolder: string, session: string, answer: string): void {
  const folder = join(privateFolder, SPOOL_FOLDER, ANSWERS_FOLDER);
  const name = answerName(session);
  const older = textOf(join(folder, name)) ?? '';
  if (older.includes(answer)) return;
  putFile(folder, name, `${older === '' ? '' : `${older}; `}${answer}`.slice(0, ANSWER_MAX));
}

const ANSWER_MAX = 4_000;

/** Null: there is no answer. */
export function takeAnswer(privateFolder: string, session: string): string | null {
  const path = join(privateFolder, SPOOL_FOLDER, ANSWERS_FOLDER, answerName(session));
  const answer = textOf(path);
  if (answer === null) return null;
  rmSync(path, { force: true });
  return answer === '' ? null : answer;
}

function answerName(session: string): string {
  return `${session.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 100)}.txt`;
}

function transcriptBytes(input: string): number | null {
  const path = textIn(jsonIn(input), 'transcript_path');
  return path === null ? null : (orNull(() => statSync(path))?.size ?? null);
}

function callsIn(folder: string): readonly string[] {
  return namesIn(folder).filter((name) => NAME.test(name));
}
