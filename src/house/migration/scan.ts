/** Reads the files that were found and tells handoffs from everything else, by what stands in them. */
import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { errorsIn, isHandoffDocument, readDocument } from '../../dialects/document/read.ts';
import { idInFileName } from '../../dialects/document/names.ts';
import { isSettled, type Status } from '../../dialects/document/words.ts';
import { readName } from '../../dialects/legacy/file-name.ts';
import { contentKey, originalsIn } from '../../dialects/legacy/originals.ts';
import { readLegacy } from '../../dialects/legacy/read.ts';
import type { Candidate, KnownDocument, KnownTask } from '../../engine/migration/candidate.ts';
import { hexDigestOf } from '../../foundation/digest.ts';
import { JSON_BYTES_MAX } from '../../foundation/json.ts';
import type { FoundFiles } from './find-files.ts';
import { commitsOf } from './git-history.ts';

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

export interface ScanOptions {
  readonly root: string;
  readonly found: FoundFiles;
  readonly progress: (done: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export async function scan({ root, found, progress, signal }: ScanOptions): Promise<Scanned> {
  const seen: Omit<Candidate, 'changedAt' | 'firstAt'>[] = [];
  const documents: KnownDocument[] = [];
  const tasks: KnownTask[] = [];
  const unclear: { path: string; because: string }[] = [];
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
  const candidates = await dated(root, found, seen);
  return { candidates, documents, tasks, unclear, scanned: found.paths.length };
}

function look(
  path: string,
  bytes: Buffer,
  seen: Omit<Candidate, 'changedAt' | 'firstAt'>[],
  unclear: { path: string; because: string }[],
): void {
  const reading = readLegacy(bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1'), path);
  const name = readName(path);
  if (reading.handoff === 'no') {
    if (name.says !== null && name.amongHandoffs) unclear.push({ path, because: reading.because });
    return;
  }
  seen.push({
    path,
    sha256: hexDigestOf(bytes),
    key: contentKey(bytes),
    reading,
    name,
    governed: governedIn(reading.text),
  });
}

/** Cheap, because most files are about something else: whoever hands over names a recipient, or uses the word. */
const SPEAKS =
  /hand[-_ ]?(?:off|over)|\b(?:to|recipient|receiver|assignee|attention|attn|destinat\w+|next[ _-](?:agent|owner|mode|role)|(?:assigned|delegated|addressed)[ _-]?to)\b["'*_]{0,3}[ \t]*[:：|=]/i;

function isWorthReading(path: string, bytes: Buffer): boolean {
  return /hand[-_]?(?:off|over)/i.test(path) || SPEAKS.test(bytes.toString('latin1'));
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

async function dated(
  root: string,
  found: FoundFiles,
  seen: readonly Omit<Candidate, 'changedAt' | 'firstAt'>[],
): Promise<readonly Candidate[]> {
  const wanted = new Set(seen.map(({ path }) => path));
  const commits = found.isRepository && wanted.size > 0 ? await commitsOf(root, wanted) : new Map<string, never>();
  return seen.map((each) => {
    const known = commits.get(each.path);
    const changedAt = found.uncommitted.has(each.path) ? null : (known?.lastAt ?? null);
    return { ...each, changedAt, firstAt: known?.firstAt ?? null };
  });
}

function madeForIn(bytes: Buffer): string | null {
  return /^migrated_for:[ \t]*"?([^"\r\n]+?)"?[ \t]*$/m.exec(bytes.toString('utf8'))?.[1] ?? null;
}

/** Null: it is gone, or no plain file. Neither a link nor a pipe can send us elsewhere or make us wait. */
export function readPlain(path: string, bytesMax: number = BYTES_MAX): Buffer | 'too-large' | null {
  let handle: number;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const found = fstatSync(handle);
    if (!found.isFile()) return null;
    if (found.size > bytesMax) return 'too-large';
    const bytes = Buffer.allocUnsafe(found.size);
    let at = 0;
    for (let count = 1; at < bytes.length && count > 0; at += count) {
      count = readSync(handle, bytes, at, bytes.length - at, at);
    }
    return bytes.subarray(0, at);
  } catch {
    return null;
  } finally {
    closeSync(handle);
  }
}
