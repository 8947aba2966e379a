/** One pass: which documents have to be looked at, because something about them is new or not in order. */
import { OPEN_STATES } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import { bookmarkAt, cursorIn } from '../bookmark.ts';
import { yieldingLoop, type YieldingLoop } from '../yielding-loop.ts';
import type { SyncDepth, SyncResult, Context } from '../context.ts';
import { reconcile } from './reconcile.ts';
import { leave, NAME_RULE, pausedBy, type Documents } from './documents.ts';
import { freshenIndex, makeIndex } from './index-file.ts';
import { newsAtHead, noteTip } from './shared-history.ts';

const PAGE = 200;
const FACTS_PAGE = 500;
/** One pass goes on for a second or so; the rest is for the next one. */
const FACT_PAGES_MAX = 20;
/** So many new ones share one wait for the disk. */
const AT_ONCE = 64;

export async function syncPass(documents: Documents, asked: SyncDepth, signal?: AbortSignal): Promise<SyncResult> {
  const { folder, looked } = documents;
  const loop = yieldingLoop(documents.ctx, signal);
  await folder.prepare();
  if ((await pausedBy(documents)) !== null) return { attended: 0 };
  const head = await folder.git.head();
  // Git has brought something else: a look at what changed by itself is not enough.
  const depth = asked === 'quick' && head !== looked.head ? 'full' : asked;
  const ids = new Set(documents.again);
  const isNew = await readFacts(documents, ids);
  for (const id of (depth === 'quick' ? null : await newsAtHead(documents)) ?? []) ids.add(id);
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
  if (depth !== 'quick' && documents.again.size === 0) {
    await noteTip(documents, head);
    looked.head = head;
  }
  await (depth === 'quick' ? freshenIndex(documents) : makeIndex(documents));
  return { attended: ids.size };
}

/** True: there were some. */
async function readFacts({ ctx, folder, reading, again }: Documents, ids: Set<HandoffId>): Promise<boolean> {
  if (!reading.isBegun) {
    reading.cursor = await cursorIn(ctx, await folder.notes.load('bookmark'));
    reading.isBegun = true;
  }
  let isNew = false;
  for (let page = 0; page < FACT_PAGES_MAX; page += 1) {
    const after = reading.cursor;
    const facts = await ctx.store.facts({ max: FACTS_PAGE, ...(after === null ? {} : { after }) });
    for (const id of await documentsIn(ctx, new Set(facts.map(({ fact }) => fact.handoff)))) {
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
async function documentsIn({ store }: Context, ids: ReadonlySet<HandoffId>): Promise<readonly HandoffId[]> {
  if (ids.size === 0) return [];
  const { items } = await store.find({ by: 'ids', ids: [...ids] });
  return items.flatMap(({ id, kind }) => (kind === 'document' ? [id] : []));
}

async function saveBookmark({ ctx, folder, reading }: Documents): Promise<void> {
  if (reading.cursor !== null) await folder.notes.save('bookmark', await bookmarkAt(ctx, reading.cursor));
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
async function missing({ ctx }: Documents, listed: Listed, loop: YieldingLoop): Promise<readonly HandoffId[]> {
  const found: HandoffId[] = [];
  for (let after: string | undefined; await loop.goOn();) {
    const { items, next } = await ctx.store.find({
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
  loop: YieldingLoop,
): Promise<void> {
  const { again, ctx } = documents;
  const rest = ids.values();
  const work = async (): Promise<void> => {
    // Taken after the turn, not before it: the order in which files came is the order in which they are adopted.
    while (await loop.goOn()) {
      const { value: id } = rest.next();
      if (id === undefined) return;
      again.add(id);
      try {
        if (await reconcile(documents, id, patient)) again.delete(id);
      } catch (error) {
        ctx.report({ kind: 'fault', doing: `putting ${id} right`, error });
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
