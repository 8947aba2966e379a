/**
 * Keeps `_index.yaml` up to date. A change marks the index as old. With few active documents it is written at once; with
 * many, the duty holder writes it, so that the cost of a change does not depend on the number of documents.
 */
import type { HandoffId } from '../../domain/names.ts';
import {
  completedIn,
  RECENT_MAX,
  skimDocument,
  writeIndex,
  type Completed,
  type IndexEntry,
} from '../../formats/document/index-text.ts';
import type { DocumentFolder } from '../../folders/folder.ts';
import { ACTIVE, isPaused, type Documents } from './documents.ts';

/** Reading this many documents takes a few milliseconds. */
const AT_ONCE_MAX = 50;
/** If the list of completed documents was lost: enough to find the newest of a busy month. */
const SAMPLE_MAX = 500;
/** More than the index shows, because an older commit shows older documents. */
const REMEMBERED_MAX = 50;
const READERS = 16;
const PAUSE_FACTOR = 10;

export async function touchIndex(documents: Documents): Promise<void> {
  const { folder } = documents;
  await folder.notes.save('index-is-old', 'yes');
  if (!(await folder.hasMoreThan(AT_ONCE_MAX))) await makeIndex(documents);
}

/** Writes the index if a document has changed, using at most a tenth of the time. */
export async function freshenIndex(documents: Documents): Promise<void> {
  const { ctx, folder, indexed } = documents;
  if (ctx.clock.monotonicMs() < indexed.atMs + indexed.tookMs * PAUSE_FACTOR) return;
  if ((await folder.notes.load('index-is-old')) !== null) await makeIndex(documents);
}

/** Returns true if the index was out of date. `isAsked`: writes it even if git tracks it. */
export async function makeIndex(documents: Documents, isAsked = false): Promise<boolean> {
  const { folder, ctx, indexed } = documents;
  const beganMs = ctx.clock.monotonicMs();
  if (await isPaused(documents)) return false;
  return folder.withLock('index', async () => {
    // Cleared before reading, so that a change during the reading marks the index again.
    await folder.notes.save('index-is-old', null);
    const active = await readActive(folder);
    for (const each of active) warnOfLate(documents, each);
    const text = writeIndex(active, await inArchive(folder, await completed(folder)));
    indexed.atMs = ctx.clock.monotonicMs();
    indexed.tookMs = indexed.atMs - beganMs;
    if (text === (await folder.index.load())) return false;
    return folder.index.save(text, isAsked);
  });
}

/** A day without a time ends at midnight UTC. */
function warnOfLate({ ctx, reported }: Documents, { id, targetCompletion: target }: IndexEntry): void {
  if (target === null || reported.has(`late ${id}`)) return;
  const dueMs = Date.parse(target.length === 10 ? `${target}T23:59:59Z` : target);
  if (!(dueMs < ctx.store.nowMs())) return;
  reported.add(`late ${id}`);
  ctx.report({ kind: 'document-late', id: id as HandoffId, says: `was to be completed by ${target}, and is not` });
}

async function readActive(folder: DocumentFolder): Promise<readonly IndexEntry[]> {
  const rest = (await folder.list()).flatMap(({ id }) => id ?? []);
  const found: IndexEntry[] = [];
  const work = async (): Promise<void> => {
    for (let id = rest.pop(); id !== undefined; id = rest.pop()) {
      const file = await folder.read(ACTIVE, id);
      const entry = file.kind === 'file' ? skimDocument(file.text) : null;
      if (entry !== null) found.push(entry);
    }
  };
  await Promise.all(Array.from({ length: READERS }, work));
  return found;
}

/** Remembers the last completed documents, because the archive is too large to be searched. */
export async function noteCompleted({ folder }: Documents, id: HandoffId, text: string): Promise<void> {
  const completedAt = skimDocument(text)?.completedAt ?? null;
  if (completedAt === null) return;
  await folder.withLock('completed', async () => {
    const others = (await completed(folder)).filter((each) => each.id !== id);
    const recent = newestFirst([...others, { id, completedAt }]).slice(0, REMEMBERED_MAX);
    await folder.notes.save('completed', JSON.stringify(recent));
  });
}

/** Completed documents that are in the archive of the present checkout. */
async function inArchive(folder: DocumentFolder, recent: readonly Completed[]): Promise<readonly Completed[]> {
  const found: Completed[] = [];
  for (const each of recent) {
    const place = await folder.find(each.id as HandoffId, Date.parse(each.completedAt));
    if (place !== null && place !== ACTIVE) found.push(each);
    if (found.length === RECENT_MAX) break;
  }
  return found;
}

async function completed(folder: DocumentFolder): Promise<readonly Completed[]> {
  const noted = await folder.notes.load('completed');
  if (noted !== null) return JSON.parse(noted) as readonly Completed[];
  return newestFirst(completedIn(await folder.archived(SAMPLE_MAX))).slice(0, RECENT_MAX);
}

function newestFirst(documents: readonly Completed[]): readonly Completed[] {
  return documents.toSorted((a, b) => (a.completedAt < b.completedAt ? 1 : -1));
}
