/** Reads the files that were found and tells handoffs from other texts. */
import { isUtf8 } from 'node:buffer';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { errorsIn, isHandoffDocument, readDocument } from '../../formats/document/read.ts';
import { idInFileName } from '../../formats/document/names.ts';
import { isSettled, type Status } from '../../formats/document/vocabulary.ts';
import { readName } from '../../formats/legacy/file-name.ts';
import { contentKey, originalsIn } from '../../formats/legacy/originals.ts';
import { readLegacy } from '../../formats/legacy/read.ts';
import type { LegacyReading } from '../../formats/legacy/legacy-reading.ts';
import type { Candidate, KnownDocument, KnownTask } from '../../engine/migration/candidate.ts';
import { classify, type ClassifyTerms } from '../../engine/migration/classify.ts';
import type { Found } from '../../engine/migration/plan.ts';
import { isInPackage } from '../../engine/migration/foreign-folders.ts';
import { hexDigestOf } from '../../foundation/digest.ts';
import { JSON_BYTES_MAX } from '../../foundation/json.ts';
import { orNull } from '../../foundation/or-null.ts';
import { utf16TextOf } from '../../foundation/utf16-text.ts';
import type { FoundFiles } from './find-files.ts';
import { commitsOf } from './git-history.ts';

export interface Scanned extends Found {
  /** Files that may be handoffs and stay where they are. */
  readonly unclear: readonly { readonly path: string; readonly because: string }[];
  readonly scanned: number;
}

/** A document with its old texts inside must stay below `DOCUMENT_BYTES_MAX`. */
const BYTES_MAX = 256 * 1024;
export const DOCUMENT_BYTES_MAX = JSON_BYTES_MAX;
const AT_ONCE = 200;
const GOVERNED = /^_handoffs\/(?:active|archived\/\d{4}\/\d{2})\/[^/]+\.md$/;
const TASK_FILE = /^tasks\/(?:.*\/)?(BPRD-\d{4}-\d{4,})[^/]*\.md$/;

type Undated = Omit<Candidate, 'changedAt' | 'firstAt'>;

interface ScanOptions {
  readonly root: string;
  readonly found: FoundFiles;
  readonly terms: ClassifyTerms;
  readonly progress: (done: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export async function scan({ root, found, terms, progress, signal }: ScanOptions): Promise<Scanned> {
  const seen: Seen = { handoffs: [], unclear: [] };
  const documents: KnownDocument[] = [];
  const tasks: KnownTask[] = [];
  for (const [index, path] of found.paths.entries()) {
    if (index % AT_ONCE === 0) {
      progress(index);
      await setImmediate();
      signal?.throwIfAborted();
    }
    const task = TASK_FILE.exec(path)?.[1];
    const isGoverned = GOVERNED.test(path);
    const isNamedSo = isGoverned || task !== undefined || WORD_IN_PATH.test(path);
    // Of a file whose name says nothing only the top is read, and nothing of a file in a vendored package.
    if (!isNamedSo) {
      if (isInPackage(path)) continue;
      const head = readPlain(join(root, path), HEAD_BYTES, 'head');
      if (!Buffer.isBuffer(head) || !isWorthReading(path, head)) continue;
      const isOther = classify(path, readLegacy(textOf(head), path), readName(path), terms).is === 'other';
      if (isOther) continue;
    }
    const bytes = readPlain(join(root, path), isGoverned ? DOCUMENT_BYTES_MAX : BYTES_MAX);
    if (bytes === null) continue;
    if (bytes === 'too-large') {
      if (isNamedSo) seen.unclear.push({ path, because: `it has more than ${BYTES_MAX} bytes` });
      continue;
    }
    if (task !== undefined) tasks.push({ id: task, madeFor: madeForIn(bytes) });
    else if (isGoverned && note(path, bytes, documents)) continue;
    else look(path, bytes, seen, terms);
  }
  progress(found.paths.length);
  const { handoffs, unclear } = seen;
  const wanted = new Set(handoffs.map(({ path }) => path));
  const commits = found.isRepository && wanted.size > 0 ? await commitsOf(root, wanted) : null;
  const candidates = handoffs.map((each): Candidate => {
    const { firstAt = null, lastAt = null } = commits?.get(each.path) ?? {};
    const isCommitted = !found.untracked.has(each.path) && !found.modified.has(each.path);
    return { ...each, changedAt: isCommitted ? lastAt : null, firstAt };
  });
  return { candidates, documents, tasks, unclear, scanned: found.paths.length };
}

interface Seen {
  readonly handoffs: Undated[];
  readonly unclear: { path: string; because: string }[];
}

function look(path: string, bytes: Buffer, seen: Seen, terms: ClassifyTerms): void {
  const reading = readLegacy(textOf(bytes), path);
  const name = readName(path);
  // A queue message is a handoff too, but belongs to its queue wherever it lies.
  if (JSON_FILE.test(path) && isQueueMessage(reading)) return;
  const standing = classify(path, reading, name, terms);
  if (standing.is === 'other') return;
  if (standing.is === 'unclear' && standing.lacks === undefined) {
    seen.unclear.push({ path, because: standing.because });
    return;
  }
  seen.handoffs.push({
    path,
    sha256: hexDigestOf(bytes),
    key: contentKey(bytes),
    reading,
    name,
    governed: governedIn(reading.text),
    unclear: standing.is === 'unclear' ? standing.because : null,
  });
}

function textOf(bytes: Buffer): string {
  return utf16TextOf(bytes) ?? bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}

const JSON_FILE = /\.json\b[^/]*$/i;
const STRUCTURED_FILE = /\.(?:json|ya?ml)\b[^/]*$/i;
const QUEUE_ROUTE = /^(?:source|target)(?:\.agent_id)?$/;

function isQueueMessage({ fields }: LegacyReading): boolean {
  const route = new Set(fields.filter(({ path }) => QUEUE_ROUTE.test(path)).map(({ path }) => path.split('.', 1)[0]));
  return route.size === 2 && fields.some(({ path }) => path === 'handoff_id');
}

const WORD = /hand[-_ ]?o(?:ff|ver)|_agent/i;
const WORD_IN_PATH = /hand[-_ ]?o(?:ff|ver)|passation|übergabe/i;
/** A key for a recipient: looked for backwards from its colon, because colons are rare. */
const RECIPIENT =
  /[:|=](?<=\b(?:to|recipient|receiver|assignee|addressee|attention|attn|destinat\w{1,6}|next[ _-](?:agent|owner|mode|role))["'*_ \t]{0,4}[:|=])/i;
/** A handoff is recognized by its top. */
const HEAD_BYTES = 16 * 1024;

/** A cheap test, because most files are no handoffs: a handoff uses the word, or names a recipient at its top. */
function isWorthReading(path: string, head: Buffer): boolean {
  const text = head.includes(0) ? textOf(head) : head.toString('latin1');
  return WORD.test(text) || (!STRUCTURED_FILE.test(path) && RECIPIENT.test(text));
}

/** False: the file lies where documents lie but is none. */
function note(path: string, bytes: Buffer, documents: KnownDocument[]): boolean {
  const text = bytes.toString('utf8');
  const read = readDocument(text);
  if (!isHandoffDocument(read) || errorsIn(read).length > 0) return false;
  const { handoff_id: id = '', from_agent: from = '', to_agent: to = '', related_task: task = '' } = read.fields;
  const originals = [...originalsIn(text).values()].map(contentKey);
  const isOpen = !isSettled(read.fields.status as Status);
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

function madeForIn(bytes: Buffer): string | null {
  return /^migrated_for:[ \t]*"?([^"\r\n]+?)"?[ \t]*$/m.exec(bytes.toString('utf8'))?.[1] ?? null;
}

/** One buffer for all files: most are read once and dropped. */
let shared: Buffer | null = null;

/**
 * Null: the file is gone or cannot be read. Follows no link and does not wait for a pipe. The bytes are valid until the next
 * call; a caller that keeps them copies them.
 */
export function readPlain(
  path: string,
  bytesMax: number = BYTES_MAX,
  what: 'whole' | 'head' = 'whole',
): Buffer | 'too-large' | null {
  shared ??= Buffer.allocUnsafeSlow(DOCUMENT_BYTES_MAX + 1);
  const handle = orNull(() => openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
  if (handle === null) return null;
  try {
    if (what === 'head') return shared.subarray(0, readSync(handle, shared, 0, bytesMax, 0));
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
