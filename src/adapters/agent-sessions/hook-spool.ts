/**
 * `hooks/` in the private folder of a workspace: calls of hooks whose words are still to be read, one file each, and what
 * came of those that were read. A hook writes its call down and ends, so that its agent does not wait for a database.
 * Nothing here needs a package.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../../foundation/atomic-file.ts';
import { putFile, textOf } from '../../agents/journal/journal-lines.ts';

export interface SpooledCall {
  readonly vendor: string;
  readonly event: string;
  /** As the agent's program gave it. */
  readonly input: string;
  /** Who spoke: the variables of Baton in the hook's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** How long the transcript was by then: what was added later belongs to later turns. Null: there is none. */
  readonly transcriptBytes: number | null;
}

const SPOOL_FOLDER = 'hooks';
const ANSWERS_FOLDER = 'answers';
const NAME = /^([0-9]{9})-[0-9]+-[0-9]+\.json$/;
/** Agents speak every few seconds at most. More than this is no backlog but a fault. */
const SPOOLED_MAX = 10_000;
const ENV_PREFIX = 'BATON_';
/** A draft that is older belongs to a hook that was killed. */
const DRAFT_KEPT_MS = 24 * 60 * 60_000;

/**
 * There after a power cut, too. The number is one more than the highest, so the calls of one session, which come one
 * after the other, stay in order whatever the clock does; the rest of the name is nobody else's.
 */
export function spoolCall(privateFolder: string, call: Omit<SpooledCall, 'env' | 'transcriptBytes'>): void {
  const folder = join(privateFolder, SPOOL_FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = namesIn(folder);
  if (names.length >= SPOOLED_MAX) throw new Error(`${folder} holds ${names.length} calls that nobody has read`);
  const number = 1 + Number(NAME.exec(names.at(-1) ?? '')?.[1] ?? 0);
  const name = `${String(number).padStart(9, '0')}-${process.pid}-${Date.now()}.json`;
  const spooled: SpooledCall = { ...call, env: batonVariables(), transcriptBytes: transcriptBytes(call.input) };
  // Nobody begins a file of this name again, so who reads the calls removes old drafts (`dropOldDrafts`).
  writeWhole(join(folder, name), JSON.stringify(spooled), { mode: 0o600, draftFolder: folder, durably: true });
}

/** In the order in which they came. */
export function spooledCalls(privateFolder: string): readonly string[] {
  const folder = join(privateFolder, SPOOL_FOLDER);
  return namesIn(folder).map((name) => join(folder, name));
}

/** Null: somebody else has read it meanwhile, or it is none. */
export function readSpooled(path: string): SpooledCall | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as SpooledCall;
  } catch {
    return null;
  }
}

export function dropSpooled(path: string): void {
  rmSync(path, { force: true });
}

/** What killed hooks have begun and never finished. */
export function dropOldDrafts(privateFolder: string, nowMs: number): void {
  const folder = join(privateFolder, SPOOL_FOLDER);
  for (const name of listOf(folder)) {
    if (!name.startsWith('.')) continue;
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stat !== undefined && nowMs - stat.mtimeMs > DRAFT_KEPT_MS) rmSync(join(folder, name), { force: true });
  }
}

/** The environment of the hook that spoke, in place of our own. */
export function speakAs({ env }: Pick<SpooledCall, 'env'>): void {
  for (const name of Object.keys(batonVariables())) delete process.env[name];
  Object.assign(process.env, env);
}

export function batonVariables(): Readonly<Record<string, string>> {
  const own = Object.entries(process.env).filter(([name]) => name.startsWith(ENV_PREFIX));
  return Object.fromEntries(own) as Readonly<Record<string, string>>;
}

/** For the next hook of the session, which tells it. An older answer that nobody has heard stays in front. */
export function leaveAnswer(privateFolder: string, session: string, answer: string): void {
  const folder = join(privateFolder, SPOOL_FOLDER, ANSWERS_FOLDER);
  const name = answerName(session);
  const older = textOf(join(folder, name)) ?? '';
  if (older.includes(answer)) return;
  putFile(folder, name, `${older === '' ? '' : `${older}; `}${answer}`.slice(0, ANSWER_MAX));
}

const ANSWER_MAX = 4_000;

/** Null: there is nothing to tell. */
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
  try {
    const { transcript_path: path } = JSON.parse(input) as { readonly transcript_path?: unknown };
    return typeof path === 'string' ? (statSync(path, { throwIfNoEntry: false })?.size ?? null) : null;
  } catch {
    return null;
  }
}

function namesIn(folder: string): readonly string[] {
  return listOf(folder)
    .filter((name) => NAME.test(name))
    .toSorted();
}

function listOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
