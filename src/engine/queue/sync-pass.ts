/** One sync pass over the queue: reconciles handoffs with new facts, events or misplaced files. */
import { instantText } from '../../foundation/instant-text.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { folderFor } from '../../formats/queue-message/vocabulary.ts';
import { OPEN_QUEUE_FOLDERS, type OpenQueueFolder, type QueueFolder } from '../../folders/queue-folder-names.ts';
import { bookmarkAt, cursorIn, openHandoffs, PASS_PAGE, readNewFacts, reconcileEach } from '../folder-pass.ts';
import { handoffsByIds } from '../handoffs/find.ts';
import { yieldingLoop, type YieldingLoop } from '../yielding-loop.ts';
import type { SyncDepth, SyncResult } from '../context.ts';
import { reconcile } from './reconcile.ts';
import { isNativeId } from './native-id.ts';
import { quarantine, type Queue } from './queue.ts';

const CONCURRENCY = 8;
/** The bookmark is saved at most this often. Another process repeats only the facts since then. */
const SAVE_MS = 1_000;
/** By then a Baton process has moved its file, or has ended. */
const OWN_MOVE_MS = 1_000;
const REACHED_MAX = 100;
const NO_PLACES: ReadonlySet<QueueFolder> = new Set();

export async function syncPass(queue: Queue, asked: SyncDepth, signal?: AbortSignal): Promise<SyncResult> {
  const { folder, reading, again, heldByFile: abroad, unfinished, newRevisions: news, hints } = queue;
  const loop = yieldingLoop(queue.ctx, signal);
  await folder.prepare();
  if (!reading.isBegun) await openBookmark(queue);
  const depth = reading.isOld ? 'thorough' : asked === 'changes' && hints.isVague ? 'quick' : asked;
  const wrong = new Set(depth === 'changes' ? again : [...again, ...abroad, ...unfinished]);
  const { places } = hints;
  hints.places = new Map();
  hints.isVague = false;
  // Kept even if this pass is interrupted, because the events do not come again.
  for (const id of places.keys()) again.add(id);
  const revisions = await readFacts(queue);
  if (depth !== 'changes') {
    const listed = await listedNames(queue, loop);
    for (const id of await misplacedFiles(queue, listed, depth, loop)) wrong.add(id);
    // Foreign workers have finished it, or its file was deleted.
    const isMissing = (handoff: Handoff): boolean =>
      handoff.kind === 'queue' && !isOurs(handoff) && !listed.has(handoff.id);
    if (depth !== 'quick') for (const id of await openHandoffs(queue.ctx, loop, isMissing)) wrong.add(id);
  }
  const passed = { reconciled: 0 };
  const all = [...new Set([...revisions.keys(), ...places.keys(), ...wrong])];
  const ids = depth === 'thorough' ? all : await deferOwn(queue, all, wrong, places);
  const reconcileOne = async (id: HandoffId): Promise<boolean> => {
    const hint = { revision: revisions.get(id) ?? 0, places: places.get(id) ?? NO_PLACES };
    if (depth === 'thorough' || wrong.has(id) || !(await queue.knownFiles.isUnchanged(id, hint))) {
      passed.reconciled += 1;
      await reconcile(queue, id, { hasNewRevision: hasNewRevision(queue, id) });
    }
    news.delete(id);
    return true;
  };
  await reconcileEach(queue, ids, { loop, atOnce: CONCURRENCY, reconcile: reconcileOne });
  // The bookmark stays while a handoff failed, so that the next process retries it.
  if (again.size === 0 && !loop.isStopped()) await saveBookmark(queue);
  return passed;
}

/** Whether the record has a revision that this process has not written. If not, a missing file was removed on purpose. */
function hasNewRevision({ newRevisions: news, knownFiles: left }: Queue, id: HandoffId): boolean {
  return (news.get(id) ?? 0) > left.revisionOf(id);
}

async function openBookmark({ ctx, folder, reading }: Queue): Promise<void> {
  const text = await folder.bookmark.load();
  reading.cursor = await cursorIn(ctx, text);
  reading.isOld = text !== null && text.split(' ')[2] !== ctx.liveness.self.boot;
  reading.isBegun = true;
}

/** The newest revision of each handoff that has a new one. */
async function readFacts({ ctx, reading, again, newRevisions: news }: Queue): Promise<ReadonlyMap<HandoffId, number>> {
  const revisions = new Map<HandoffId, number>();
  await readNewFacts(ctx, reading, (facts) => {
    for (const { fact } of facts) {
      revisions.set(fact.handoff, fact.revision);
      again.add(fact.handoff);
      news.set(fact.handoff, fact.revision);
    }
  });
  const isFurther = reading.cursor !== null && reading.reached.at(-1)?.cursor !== reading.cursor;
  if (isFurther && revisions.size > 0) {
    // The newest cursor is always kept, so that the bookmark can follow in small steps.
    if (reading.reached.length >= REACHED_MAX) reading.reached.splice(0, 1);
    reading.reached.push({ cursor: reading.cursor ?? '', atMs: ctx.clock.monotonicMs() });
  }
  return revisions;
}

async function saveBookmark({ ctx, folder, reading, deferred }: Queue): Promise<void> {
  const nowMs = ctx.clock.monotonicMs();
  const [oldestMs = Number.POSITIVE_INFINITY] = deferred.values();
  const safe = reading.reached.findLast(({ atMs }) => atMs < oldestMs);
  const cursor = safe?.cursor ?? (reading.isOld ? reading.cursor : null);
  const isDue = reading.isOld || nowMs - reading.savedMs >= SAVE_MS;
  if (!isDue || cursor === null) return;
  await folder.bookmark.save(`${await bookmarkAt(ctx, cursor)} ${ctx.liveness.self.boot}`);
  reading.isOld = false;
  reading.reached = reading.reached.filter(({ atMs }) => safe !== undefined && atMs > safe.atMs);
  reading.savedMs = nowMs;
}

/**
 * Defers handoffs whose files a Baton process is about to move itself, after it accepted, settled or sent them. They are
 * checked a second later, usually by one stat. (Measured: checking each at once takes a third of the processor time of
 * handoffs with the folder.)
 */
async function deferOwn(
  queue: Queue,
  ids: readonly HandoffId[],
  wrong: Set<HandoffId>,
  places: ReadonlyMap<HandoffId, ReadonlySet<QueueFolder>>,
): Promise<readonly HandoffId[]> {
  const { ctx, deferred, again, newRevisions: news, knownFiles: left } = queue;
  const nowMs = ctx.clock.monotonicMs();
  const now: HandoffId[] = ids.filter((id) => wrong.has(id));
  const defer = (id: HandoffId): void => {
    if (!deferred.has(id)) deferred.set(id, nowMs);
    again.delete(id);
  };
  const asked: HandoffId[] = [];
  for (const id of ids.filter((each) => !wrong.has(each))) {
    const hinted = places.get(id) ?? NO_PLACES;
    const isOnlyOffered = isNativeId(id) && ![...hinted].some(isBeyondPending);
    if (left.isBusy(id)) defer(id);
    else if (await left.isUnchanged(id, { revision: news.get(id) ?? 0, places: hinted })) {
      again.delete(id);
      news.delete(id);
      deferred.delete(id);
    } else if (isOnlyOffered) defer(id);
    else asked.push(id);
  }
  const records = await handoffsByIds(ctx.store, asked);
  for (const id of asked) {
    const handoff = records.get(id);
    if (handoff?.kind === 'queue' && (isOurs(handoff) || isFinal(handoff.state))) defer(id);
    else now.push(id);
  }
  const overdue = await overdueOf(queue, nowMs);
  // Reconciled even if this process remembers them as handled.
  for (const id of overdue) wrong.add(id);
  return [...now, ...overdue];
}

function isBeyondPending(place: QueueFolder): boolean {
  return place === 'in-progress' || place === 'completed' || place === 'failed';
}

/** Deferred handoffs whose files are still not in order. */
async function overdueOf(queue: Queue, nowMs: number): Promise<readonly HandoffId[]> {
  const { ctx, deferred, newRevisions: news, unfinished } = queue;
  const due: HandoffId[] = [];
  for (const [id, atMs] of deferred) {
    if (nowMs - atMs < OWN_MOVE_MS) break;
    due.push(id);
  }
  const overdue: HandoffId[] = [];
  const records = await handoffsByIds(ctx.store, due);
  for (const id of due) {
    deferred.delete(id);
    const handoff = records.get(id);
    const isInOrder = handoff !== undefined && !unfinished.has(id) && (await isOwnFile(queue, handoff));
    if (isInOrder) news.delete(id);
    else overdue.push(id);
  }
  return overdue;
}

/** Whether the file is in its place. A final file must contain our end time, which no other program writes. */
async function isOwnFile({ ctx, folder, knownFiles: left }: Queue, handoff: Handoff): Promise<boolean> {
  const { id, kind, state, revision, since } = handoff;
  if (kind !== 'queue') return true;
  const place = folderFor(handoff, ctx.store.nowMs());
  if (await left.isUnchanged(id, { revision, places: new Set([place]) })) return true;
  if (!isFinal(state)) return folder.changedAt(place, id) > 0;
  const file = await folder.read(place, id);
  return file.kind === 'file' && file.text.includes(JSON.stringify(instantText(since)));
}

type Listed = ReadonlyMap<HandoffId, ReadonlySet<OpenQueueFolder>>;

async function listedNames(queue: Queue, loop: YieldingLoop): Promise<Listed> {
  const listed = new Map<HandoffId, Set<OpenQueueFolder>>();
  for (const place of OPEN_QUEUE_FOLDERS) {
    for (const { name, id } of await queue.folder.list(place)) {
      if (!(await loop.nextTurn())) return listed;
      if (id !== null) listed.set(id, (listed.get(id) ?? new Set()).add(place));
      else if (place !== 'waiting') await quarantine(queue, place, name, 'the name of the file is not a usable id');
    }
  }
  return listed;
}

async function misplacedFiles(
  { ctx, folder }: Queue,
  listed: Listed,
  depth: SyncDepth,
  loop: YieldingLoop,
): Promise<readonly HandoffId[]> {
  const ids = [...listed.keys()];
  const wrong: HandoffId[] = [];
  const unknown: { readonly id: HandoffId; readonly at: number }[] = [];
  for (let at = 0; at < ids.length && (await loop.nextTurn()); at += PASS_PAGE) {
    const page = ids.slice(at, at + PASS_PAGE);
    const known = await handoffsByIds(ctx.store, page);
    const nowMs = ctx.store.nowMs();
    for (const id of page) {
      const handoff = known.get(id);
      if (handoff === undefined) unknown.push({ id, at: folder.changedAt('pending', id) });
      else if (depth === 'thorough' || !isInPlace(handoff, listed.get(id) ?? new Set(), nowMs)) wrong.push(id);
    }
  }
  // A listing has no order, so new files are adopted in the order of their change times.
  unknown.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  return [...wrong, ...unknown.map(({ id }) => id)];
}

function isInPlace(handoff: Handoff, places: ReadonlySet<OpenQueueFolder>, nowMs: number): boolean {
  if (handoff.kind !== 'queue') return true;
  const right = folderFor(handoff, nowMs);
  if (places.size === 1 && places.has(right as OpenQueueFolder)) return true;
  // The worker that has just accepted it is about to move the file itself.
  return isOurs(handoff) && places.size === 1 && !places.has('in-progress');
}

function isOurs({ state, custody }: Handoff): boolean {
  return state === 'accepted' && (custody?.by === 'process' || (custody?.by === 'hand' && custody.file === undefined));
}
