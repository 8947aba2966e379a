/**
 * Keeps `_index.yaml` up to date. A change marks it as old. Where few documents are active it is made at once; where there
 * are many, the duty holder makes it, so that a change costs the same however many documents there are.
 */
import type { HandoffId } from '../../domain/names.ts';
import {
  completedIn,
  RECENT_MAX,
  skimDocument,
  writeIndex,
  type Completed,
  type Skimmed,
} from '../../formats/document/index-text.ts';
import type { DocumentFolder } from '../../folders/folder.ts';
import { ACTIVE, isPaused, type Documents } from './documents.ts';

/** Reading this many documents takes a few milliseconds. */
const AT_ONCE_MAX = 50;
/** Where the list of completed documents was lost: enough to find the newest of a busy month. */
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

/** Makes the index if a document has changed since, at most a tenth of the time. */
export async function freshenIndex(documents: Documents): Promise<void> {
  const { ctx, folder, indexed } = documents;
  if (ctx.clock.monotonicMs() < indexed.atMs + indexed.tookMs * PAUSE_FACTOR) return;
  if ((await folder.notes.load('index-is-old')) !== null) await makeIndex(documents);
}

/** True: the index was out of date. `isAsked`: it is written also where git tracks it. */
export async function makeIndex(documents: Documents, isAsked = false): Promise<boolean> {
  const { folder, ctx, indexed } = documents;
  const beganMs = ctx.clock.monotonicMs();
  if (await isPaused(documents)) return false;
  return folder.alone('index', async () => {
    // Cleared before reading, so that a change during the reading marks the index again.
    await folder.notes.save('index-is-old', null);
    const active = await skimmed(folder);
    for (const each of active) warnOfLate(documents, each);
    const text = writeIndex(active, await inArchive(folder, await completed(folder)));
    indexed.atMs = ctx.clock.monotonicMs();
    indexed.tookMs = indexed.atMs - beganMs;
    if (text === (await folder.index.load())) return false;
    return folder.index.save(text, isAsked);
  });
}

/** A day without a time ends at midnight UTC. */
function warnOfLate({ ctx, reported }: Documents, { id, targetCompletion: target }: Skimmed): void {
  if (target === null || reported.has(`late ${id}`)) return;
  const dueMs = Date.parse(target.length === 10 ? `${target}T23:59:59Z` : target);
  if (!(dueMs < ctx.store.nowMs())) return;
  reported.add(`late ${id}`);
  ctx.report({ kind: 'document-late', id: id as HandoffId, says: `was to be completed by ${target}, and is not` });
}

async function skimmed(folder: DocumentFolder): Promise<readonly Skimmed[]> {
  const rest = (await folder.list()).flatMap(({ id }) => id ?? []);
  const found: Skimmed[] = [];
  const work = async (): Promise<void> => {
    for (let id = rest.pop(); id !== undefined; id = rest.pop()) {
      const file = await folder.read(ACTIVE, id);
      const skim = file.kind === 'file' ? skimDocument(file.text) : null;
      if (skim !== null) found.push(skim);
    }
  };
  await Promise.all(Array.from({ length: READERS }, work));
  return found;
}

/** Remembers the last completed documents, because the archive grows without limit and is not searched for them. */
export async function noteCompleted({ folder }: Documents, id: HandoffId, text: string): Promise<void> {
  const completedAt = skimDocument(text)?.completedAt ?? null;
  if (completedAt === null) return;
  await folder.alone('completed', async () => {
    const others = (await completed(folder)).filter((each) => each.id !== id);
    const recent = newestFirst([...others, { id, completedAt }]).slice(0, REMEMBERED_MAX);
    await folder.notes.save('completed', JSON.stringify(recent));
  });
}

/** Those that the commit that is checked out has. */
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
