/** Reads the files that were found and tells handoffs from everything else, by what stands in them. */
import { isUtf8 } from 'node:buffer';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { errorsIn, isHandoffDocument, readDocument } from '../../dialects/document/read.ts';
import { idInFileName } from '../../dialects/document/names.ts';
import { isSettled, type Status } from '../../dialects/document/words.ts';
import { readName, type NameSays } from '../../dialects/legacy/file-name.ts';
import { contentKey, originalsIn } from '../../dialects/legacy/originals.ts';
import { isInCode } from '../../dialects/legacy/judge.ts';
import { readLegacy } from '../../dialects/legacy/read.ts';
import type { LegacyReading } from '../../dialects/legacy/reading.ts';
import type { Candidate, KnownDocument, KnownTask } from '../../engine/migration/candidate.ts';
import { hexDigestOf } from '../../foundation/digest.ts';
import { JSON_BYTES_MAX } from '../../foundation/json.ts';
import type { FoundFiles } from './find-files.ts';
import { commitsOf, type Commits } from './git-history.ts';

export interface Scanned {
  readonly candidates: readonly Candidate[];
  readonly documents: readonly KnownDocument[];
  readonly tasks: readonly KnownTask[];
  /** Called handoffs by their names or folders, and not by what they say. */
  readonly unclear: readonly { readonly path: string; readonly because: string }[];
  readonly scanned: number;
}

/** A document with its old texts inside must stay below what is read of one. */
const BYTES_MAX = 256 * 1024;
export const DOCUMENT_BYTES_MAX = JSON_BYTES_MAX;
const AT_ONCE = 200;
const GOVERNED = /^_handoffs\/(?:active|archived\/\d{4}\/\d{2})\/[^/]+\.md$/;
const TASK_FILE = /^tasks\/(?:.*\/)?(BPRD-\d{4}-\d{4,})[^/]*\.md$/;

type Undated = Omit<Candidate, 'changedAt' | 'firstAt'>;

export interface ScanOptions {
  readonly root: string;
  readonly found: FoundFiles;
  readonly progress: (done: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export async function scan({ root, found, progress, signal }: ScanOptions): Promise<Scanned> {
  const seen: Undated[] = [];
  const documents: KnownDocument[] = [];
  const tasks: KnownTask[] = [];
  const unclear: { path: string; because: string }[] = [];
  // Git goes through its history while we go through the files.
  const enough = new AbortController();
  const history = found.isRepository
    ? commitsOf(root, new Set(found.paths), enough.signal)
    : Promise.resolve(new Map<string, Commits>());
  for (const [index, path] of found.paths.entries()) {
    if (index % AT_ONCE === 0) {
      progress(index);
      await setImmediate();
      signal?.throwIfAborted();
    }
    const task = TASK_FILE.exec(path)?.[1];
    const isGoverned = GOVERNED.test(path);
    const bytes = readPlain(join(root, path), isGoverned ? DOCUMENT_BYTES_MAX : BYTES_MAX);
    if (bytes === null) continue;
    if (bytes === 'too-large') {
      if (/handoff/i.test(path)) unclear.push({ path, because: `has more than ${BYTES_MAX} bytes` });
      continue;
    }
    if (task !== undefined) tasks.push({ id: task, madeFor: madeForIn(bytes) });
    else if (isGoverned && note(path, bytes, documents)) continue;
    else if (isWorthReading(path, bytes)) look(path, bytes, seen, unclear);
  }
  progress(found.paths.length);
  if (seen.length === 0) enough.abort();
  const candidates = dated(found, seen, await history);
  return { candidates, documents, tasks, unclear, scanned: found.paths.length };
}

function look(path: string, bytes: Buffer, seen: Undated[], unclear: { path: string; because: string }[]): void {
  const reading = readLegacy(bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1'), path);
  const name = readName(path);
  // Pages show handoffs in blocks; summaries end with one, and those are for baton ingest.
  if (reading.handoff === 'no' || isInCode(reading.from) || isInCode(reading.to)) {
    if (name.says !== null && name.amongHandoffs) unclear.push({ path, because: reading.because });
    return;
  }
  if (JSON_FILE.test(path) && !isForPeople(reading, name)) return;
  seen.push({
    path,
    sha256: hexDigestOf(bytes),
    key: contentKey(bytes),
    reading,
    name,
    governed: governedIn(reading.text),
  });
}

const JSON_FILE = /\.json\b[^/]*$/i;
const OWN_WORD = /^(?:handoff|handover)(?:_?id)?$/i;
const QUEUE_ROUTE = /^(?:source|target)(?:\.agent_id)?$/;

/**
 * Programs keep all kinds of things in JSON, and much of it goes from somebody to somebody: it has to call itself a
 * handoff. Messages of a queue do, and belong to their queue wherever they lie.
 */
function isForPeople({ fields }: LegacyReading, name: NameSays): boolean {
  const route = new Set(fields.filter(({ path }) => QUEUE_ROUTE.test(path)).map(({ path }) => path.split('.', 1)[0]));
  if (route.size === 2 && fields.some(({ path }) => path === 'handoff_id')) return false;
  const isCalledSo = fields.some(({ path }) => OWN_WORD.test(path.split('.', 1)[0] ?? ''));
  return isCalledSo || name.says !== null || name.amongHandoffs;
}

const WORD = /hand[-_ ]?o(?:ff|ver)/i;
/** A key for a recipient: looked for backwards from its colon, because colons are rare. */
const RECIPIENT =
  /[:|=](?<=\b(?:to|recipient|receiver|assignee|addressee|attention|attn|destinat\w{1,6}|next[ _-](?:agent|owner|mode|role))["'*_ \t]{0,4}[:|=])/i;
/** Cheap, because most files are about something else: whoever hands over uses the word, or names a recipient. */
function isWorthReading(path: string, bytes: Buffer): boolean {
  if (WORD.test(path)) return true;
  const text = bytes.toString('latin1');
  return WORD.test(text) || (!JSON_FILE.test(path) && RECIPIENT.test(text));
}

/** False: it lies where documents lie and is none. */
function note(path: string, bytes: Buffer, documents: KnownDocument[]): boolean {
  const text = bytes.toString('utf8');
  const read = readDocument(text);
  if (!isHandoffDocument(read) || errorsIn(read).length > 0) return false;
  const {
    handoff_id: id = '',
    from_agent: from = '',
    to_agent: to = '',
    related_task: task = '',
    status,
  } = read.fields;
  const originals = [...originalsIn(text).values()].map(contentKey);
  const isOpen = !isSettled(status as Status);
  documents.push({ path, id, from, to, task, isOpen, holds: new Set([contentKey(bytes), ...originals]) });
  return true;
}

function governedIn(text: string): Candidate['governed'] {
  if (!text.includes('handoff_id')) return null;
  const read = readDocument(text);
  const { handoff_id: id, related_task: task } = read.fields;
  if (id === undefined || task === undefined || errorsIn(read).length > 0) return null;
  return idInFileName(`${id}.md`) === null ? null : { id, task };
}

function dated(
  found: FoundFiles,
  seen: readonly Undated[],
  commits: ReadonlyMap<string, Commits>,
): readonly Candidate[] {
  return seen.map((each) => {
    const known = commits.get(each.path);
    const changedAt = found.uncommitted.has(each.path) ? null : (known?.lastAt ?? null);
    return { ...each, changedAt, firstAt: known?.firstAt ?? null };
  });
}

function madeForIn(bytes: Buffer): string | null {
  return /^migrated_for:[ \t]*"?([^"\r\n]+?)"?[ \t]*$/m.exec(bytes.toString('utf8'))?.[1] ?? null;
}

/** One for all files: most are looked at once and forgotten. */
let shared: Buffer | null = null;

/**
 * Null: it is gone, or cannot be read. Neither a link nor a pipe can send us elsewhere or make us wait. The bytes are
 * good until the next call; whoever keeps them takes a copy.
 */
export function readPlain(path: string, bytesMax: number = BYTES_MAX): Buffer | 'too-large' | null {
  shared ??= Buffer.allocUnsafeSlow(DOCUMENT_BYTES_MAX + 1);
  let handle: number;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    let at = 0;
    for (let count = 1; at <= bytesMax && count > 0; at += count) {
      count = readSync(handle, shared, at, bytesMax + 1 - at, at);
    }
    return at > bytesMax ? 'too-large' : shared.subarray(0, at);
  } catch {
    return null;
  } finally {
    closeSync(handle);
  }
}
