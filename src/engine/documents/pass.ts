/** One pass: which documents have to be looked at, because something about them is new or not in order. */
import { OPEN_STATES } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import { bookmarkAt, cursorIn } from '../bookmark.ts';
import { interruptible, type Interruptible } from '../interruptible.ts';
import type { Depth, Passed, Surroundings } from '../surroundings.ts';
import { attend } from './attend.ts';
import { leave, NAME_RULE, pausedBy, type Documents } from './documents.ts';
import { freshenIndex, makeIndex } from './index-file.ts';

const PAGE = 200;
const FACTS_PAGE = 500;
/** One pass goes on for a second or so; the rest is for the next one. */
const FACT_PAGES_MAX = 20;
/** So many new ones share one wait for the disk. */
const AT_ONCE = 64;

export async function pass(documents: Documents, depth: Depth, signal?: AbortSignal): Promise<Passed> {
  const { folder } = documents;
  const loop = interruptible(documents.around, signal);
  await folder.prepare();
  if ((await pausedBy(documents)) !== null) return { attended: 0 };
  const ids = new Set(documents.again);
  const isNew = await readFacts(documents, ids);
  const listed = depth === 'quick' ? null : await listedStamps(documents);
  if (listed !== null) {
    for (const [id, stamp] of listed) if (depth === 'thorough' || documents.stamps.get(id) !== stamp) ids.add(id);
    for (const id of await missing(documents, listed, loop)) ids.add(id);
  }
  await attendAll(documents, [...ids], depth === 'thorough', loop);
  if (loop.isStopped()) return { attended: ids.size };
  rememberStamps(documents, listed);
  // Whoever comes after us has to try what we could not do.
  if (isNew && documents.again.size === 0) await saveBookmark(documents);
  await (depth === 'quick' ? freshenIndex(documents) : makeIndex(documents));
  return { attended: ids.size };
}

/** True: there were some. */
async function readFacts({ around, folder, reading, again }: Documents, ids: Set<HandoffId>): Promise<boolean> {
  if (!reading.isBegun) {
    reading.cursor = await cursorIn(around, await folder.notes.load('bookmark'));
    reading.isBegun = true;
  }
  let isNew = false;
  for (let page = 0; page < FACT_PAGES_MAX; page += 1) {
    const after = reading.cursor;
    const facts = await around.store.facts({ max: FACTS_PAGE, ...(after === null ? {} : { after }) });
    for (const id of await documentsIn(around, new Set(facts.map(({ fact }) => fact.handoff)))) {
      ids.add(id);
      // Also when this pass breaks off: the cursor is past them.
      again.add(id);
    }
    isNew ||= facts.length > 0;
    reading.cursor = facts.at(-1)?.cursor ?? reading.cursor;
    if (facts.length < FACTS_PAGE) break;
  }
  return isNew;
}

/** A queue has many facts, and none of them is ours. */
async function documentsIn({ store }: Surroundings, ids: ReadonlySet<HandoffId>): Promise<readonly HandoffId[]> {
  if (ids.size === 0) return [];
  const { items } = await store.find({ by: 'ids', ids: [...ids] });
  return items.flatMap(({ id, kind }) => (kind === 'document' ? [id] : []));
}

async function saveBookmark({ around, folder, reading }: Documents): Promise<void> {
  if (reading.cursor !== null) await folder.notes.save('bookmark', await bookmarkAt(around, reading.cursor));
}

type Listed = ReadonlyMap<HandoffId, string>;

async function listedStamps(documents: Documents): Promise<Listed> {
  const listed = new Map<HandoffId, string>();
  for (const { name, id, stamp } of await documents.folder.list()) {
    if (id !== null) listed.set(id, stamp);
    else leave(documents, name, NAME_RULE);
  }
  return listed;
}

/** What is open and has no file in `active/`: git has brought its end, or somebody has deleted it. */
async function missing({ around }: Documents, listed: Listed, loop: Interruptible): Promise<readonly HandoffId[]> {
  const found: HandoffId[] = [];
  for (let after: string | undefined; await loop.goOn();) {
    const { items, next } = await around.store.find({
      by: 'filter',
      states: OPEN_STATES,
      max: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    for (const { id, kind } of items) if (kind === 'document' && !listed.has(id)) found.push(id);
    if (next === null) break;
    after = next;
  }
  return found;
}

async function attendAll(
  documents: Documents,
  ids: readonly HandoffId[],
  patient: boolean,
  loop: Interruptible,
): Promise<void> {
  const { again, around } = documents;
  const rest = ids.values();
  const work = async (): Promise<void> => {
    // Taken after the turn, not before it: the order in which files came is the order in which they are adopted.
    while (await loop.goOn()) {
      const { value: id } = rest.next();
      if (id === undefined) return;
      again.add(id);
      try {
        if (await attend(documents, id, patient)) again.delete(id);
      } catch (error) {
        around.report({ kind: 'fault', doing: `putting ${id} right`, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** As they were before we looked: whoever wrote since then, also we ourselves, is seen by the next pass. */
function rememberStamps({ stamps, again }: Documents, listed: Listed | null): void {
  if (listed === null) return;
  stamps.clear();
  for (const [id, stamp] of listed) if (!again.has(id)) stamps.set(id, stamp);
}
