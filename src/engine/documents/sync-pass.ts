/** One sync pass over the documents: reconciles those that are new, changed or not in order. */
import type { HandoffId } from '../../domain/names.ts';
import { bookmarkAt, cursorIn, openHandoffs, readNewFacts, reconcileEach } from '../folder-pass.ts';
import { yieldingLoop } from '../yielding-loop.ts';
import type { SyncDepth, SyncResult } from '../context.ts';
import { handoffsByIds } from '../handoffs/find.ts';
import { reconcile } from './reconcile.ts';
import { isPaused, reportLeft, NAME_RULE, type Documents } from './documents.ts';
import { freshenIndex, makeIndex } from './index-file.ts';
import { unseenAtHead, noteTip } from './shared-history.ts';

/** How many documents are reconciled at a time; their first records share one wait for the disk. */
const AT_ONCE = 64;

export async function syncPass(documents: Documents, asked: SyncDepth, signal?: AbortSignal): Promise<SyncResult> {
  const { folder, lastFull } = documents;
  const loop = yieldingLoop(documents.ctx, signal);
  await folder.prepare();
  if (await isPaused(documents)) return { reconciled: 0 };
  const head = await folder.git.head();
  // Another commit is checked out: every document may have changed.
  const depth = asked === 'quick' && head !== lastFull.head ? 'full' : asked;
  const ids = new Set(documents.again);
  const isNew = await readFacts(documents, ids);
  for (const id of (depth === 'quick' ? null : await unseenAtHead(documents)) ?? []) ids.add(id);
  const listed = depth === 'quick' ? null : await listedStamps(documents);
  if (listed !== null) {
    for (const [id, stamp] of listed) if (depth === 'thorough' || documents.stamps.get(id) !== stamp) ids.add(id);
    // An open document without a file: git brought its end, or the file was deleted.
    const missing = await openHandoffs(documents.ctx, loop, ({ kind, id }) => kind === 'document' && !listed.has(id));
    for (const id of missing) ids.add(id);
  }
  await reconcileEach(documents, [...ids], {
    loop,
    atOnce: AT_ONCE,
    reconcile: (id) => reconcile(documents, id, depth === 'thorough'),
  });
  if (loop.isStopped()) return { reconciled: ids.size };
  rememberStamps(documents, listed);
  // The bookmark stays while a document failed, so that the next process retries it.
  const { cursor } = documents.reading;
  if (isNew && documents.again.size === 0 && cursor !== null) {
    await folder.notes.save('bookmark', await bookmarkAt(documents.ctx, cursor));
  }
  if (depth !== 'quick' && documents.again.size === 0) {
    await noteTip(documents, head);
    lastFull.head = head;
  }
  await (depth === 'quick' ? freshenIndex(documents) : makeIndex(documents));
  return { reconciled: ids.size };
}

/** Adds the documents of new facts; true: there were new facts. */
async function readFacts({ ctx, folder, reading, again }: Documents, ids: Set<HandoffId>): Promise<boolean> {
  if (!reading.isBegun) {
    reading.cursor = await cursorIn(ctx, await folder.notes.load('bookmark'));
    reading.isBegun = true;
  }
  let isNew = false;
  await readNewFacts(ctx, reading, async (facts) => {
    isNew = true;
    const changed = facts.map(({ fact }) => fact.handoff);
    for (const { id, kind } of (await handoffsByIds(ctx.store, changed)).values()) {
      // Queue handoffs have their own mirror.
      if (kind !== 'document') continue;
      ids.add(id);
      again.add(id);
    }
  });
  return isNew;
}

type Listed = ReadonlyMap<HandoffId, string>;

async function listedStamps(documents: Documents): Promise<Listed> {
  const listed = new Map<HandoffId, string>();
  for (const { name, id, stamp } of await documents.folder.list()) {
    if (id !== null) listed.set(id, stamp);
    else reportLeft(documents, { name }, NAME_RULE);
  }
  return listed;
}

/** Remembers the stamps from before this pass, so that the next pass sees everything written since, also by us. */
function rememberStamps({ stamps, again }: Documents, listed: Listed | null): void {
  if (listed === null) return;
  stamps.clear();
  for (const [id, stamp] of listed) if (!again.has(id)) stamps.set(id, stamp);
}
