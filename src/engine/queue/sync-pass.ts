/** One pass: which handoffs have to be looked at, because something about them is new or not in order. */
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

const AT_ONCE = 8;
/** What was read since is read again by whoever comes next; saving it each time would cost more. */
const SAVE_MS = 1_000;
/** Ours have moved a file by then, or were ended in between. */
const OURS_MS = 1_000;
const REACHED_MAX = 100;
const NOWHERE: ReadonlySet<QueueFolder> = new Set();

export async function syncPass(queue: Queue, asked: SyncDepth, signal?: AbortSignal): Promise<SyncResult> {
  const { folder, reading, again, abroad, unfinished, news, hints } = queue;
  const loop = yieldingLoop(queue.ctx, signal);
  await folder.prepare();
  if (!reading.isBegun) await openBookmark(queue);
  const depth = reading.isOld ? 'thorough' : asked === 'told' && hints.isVague ? 'quick' : asked;
  const wrong = new Set(depth === 'told' ? again : [...again, ...abroad, ...unfinished]);
  const { places } = hints;
  hints.places = new Map();
  hints.isVague = false;
  // Also when this pass breaks off: nobody tells it twice.
  for (const id of places.keys()) again.add(id);
  const revisions = await readFacts(queue);
  if (depth !== 'told') {
    const listed = await listedNames(queue, loop);
    for (const id of await outOfPlace(queue, listed, depth, loop)) wrong.add(id);
    // Foreign workers have brought it to an end, or somebody has deleted it.
    const isMissing = (handoff: Handoff): boolean =>
      handoff.kind === 'queue' && !isOurs(handoff) && !listed.has(handoff.id);
    if (depth !== 'quick') for (const id of await openHandoffs(queue.ctx, loop, isMissing)) wrong.add(id);
  }
  const passed = { attended: 0 };
  const all = [...new Set([...revisions.keys(), ...places.keys(), ...wrong])];
  const ids = depth === 'thorough' ? all : await withoutOurs(queue, all, wrong, places);
  const reconcileOne = async (id: HandoffId): Promise<boolean> => {
    const told = { revision: revisions.get(id) ?? 0, places: places.get(id) ?? NOWHERE };
    if (depth === 'thorough' || wrong.has(id) || !(await queue.left.isAsLeft(id, told))) {
      passed.attended += 1;
      await reconcile(queue, id, { isNews: isNews(queue, id) });
    }
    news.delete(id);
    return true;
  };
  await reconcileEach(queue, ids, { loop, atOnce: AT_ONCE, reconcile: reconcileOne });
  // Whoever comes after us has to try what we could not do.
  if (again.size === 0 && !loop.isStopped()) await saveBookmark(queue);
  return passed;
}

/** What this process has put in its place at that revision is no news: whoever has taken the file away since meant it. */
function isNews({ news, left }: Queue, id: HandoffId): boolean {
  return (news.get(id) ?? 0) > left.revisionOf(id);
}

async function openBookmark({ ctx, folder, reading }: Queue): Promise<void> {
  const text = await folder.bookmark.load();
  reading.cursor = await cursorIn(ctx, text);
  reading.isOld = text !== null && text.split(' ')[2] !== ctx.liveness.self.boot;
  reading.isBegun = true;
}

/** The newest revision of each handoff that has a new one. */
async function readFacts({ ctx, reading, again, news }: Queue): Promise<ReadonlyMap<HandoffId, number>> {
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
    // The newest one is always kept, so that a bookmark can follow in small steps.
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
 * Leaves out what ours do themselves: whoever accepts, answers or sends one moves its file a moment later, and needs
 * nobody to do it a second time. It is looked at when they have had time for it, and then mostly with one look at one
 * name. (Measured: looking at each at once takes a third of the processor time of a life with the folder.)
 */
async function withoutOurs(
  queue: Queue,
  ids: readonly HandoffId[],
  wrong: Set<HandoffId>,
  places: ReadonlyMap<HandoffId, ReadonlySet<QueueFolder>>,
): Promise<readonly HandoffId[]> {
  const { ctx, deferred, again, news, left } = queue;
  const nowMs = ctx.clock.monotonicMs();
  const now: HandoffId[] = ids.filter((id) => wrong.has(id));
  const defer = (id: HandoffId): void => {
    if (!deferred.has(id)) deferred.set(id, nowMs);
    again.delete(id);
  };
  const asked: HandoffId[] = [];
  for (const id of ids.filter((each) => !wrong.has(each))) {
    const heard = places.get(id) ?? NOWHERE;
    const isOnlyOffered = isNativeId(id) && ![...heard].some(isBeyondPending);
    if (left.isAtWork(id)) defer(id);
    else if (await left.isAsLeft(id, { revision: news.get(id) ?? 0, places: heard })) {
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
  // Whatever this process remembers of them: something is not as it left it.
  for (const id of overdue) wrong.add(id);
  return [...now, ...overdue];
}

function isBeyondPending(place: QueueFolder): boolean {
  return place === 'in-progress' || place === 'completed' || place === 'failed';
}

/** Of what was left to ours, those whose file is not as theirs would be. */
async function overdueOf(queue: Queue, nowMs: number): Promise<readonly HandoffId[]> {
  const { ctx, deferred, news, unfinished } = queue;
  const due: HandoffId[] = [];
  for (const [id, atMs] of deferred) {
    if (nowMs - atMs < OURS_MS) break;
    due.push(id);
  }
  const overdue: HandoffId[] = [];
  const records = await handoffsByIds(ctx.store, due);
  for (const id of due) {
    deferred.delete(id);
    const handoff = records.get(id);
    const isAsOurs = handoff !== undefined && !unfinished.has(id) && (await isAsOursWould(queue, handoff));
    if (isAsOurs) news.delete(id);
    else overdue.push(id);
  }
  return overdue;
}

/** The file is where it belongs, and at an end it says when ours ended it: nobody else writes that. */
async function isAsOursWould({ ctx, folder, left }: Queue, handoff: Handoff): Promise<boolean> {
  const { id, kind, state, revision, since } = handoff;
  if (kind !== 'queue') return true;
  const place = folderFor(handoff, ctx.store.nowMs());
  if (await left.isAsLeft(id, { revision, places: new Set([place]) })) return true;
  if (!isFinal(state)) return folder.changedAt(place, id) > 0;
  const file = await folder.read(place, id);
  return file.kind === 'file' && file.text.includes(JSON.stringify(instantText(since)));
}

type Listed = ReadonlyMap<HandoffId, ReadonlySet<OpenQueueFolder>>;

async function listedNames(queue: Queue, loop: YieldingLoop): Promise<Listed> {
  const listed = new Map<HandoffId, Set<OpenQueueFolder>>();
  for (const place of OPEN_QUEUE_FOLDERS) {
    for (const { name, id } of await queue.folder.list(place)) {
      if (!(await loop.goOn())) return listed;
      if (id !== null) listed.set(id, (listed.get(id) ?? new Set()).add(place));
      else if (place !== 'waiting') await quarantine(queue, place, name, 'the name of the file is not a usable id');
    }
  }
  return listed;
}

async function outOfPlace(
  { ctx, folder }: Queue,
  listed: Listed,
  depth: SyncDepth,
  loop: YieldingLoop,
): Promise<readonly HandoffId[]> {
  const ids = [...listed.keys()];
  const wrong: HandoffId[] = [];
  const unknown: { readonly id: HandoffId; readonly at: number }[] = [];
  for (let at = 0; at < ids.length && (await loop.goOn()); at += PASS_PAGE) {
    const page = ids.slice(at, at + PASS_PAGE);
    const known = await handoffsByIds(ctx.store, page);
    const nowMs = ctx.store.nowMs();
    for (const id of page) {
      const handoff = known.get(id);
      if (handoff === undefined) unknown.push({ id, at: folder.changedAt('pending', id) });
      else if (depth === 'thorough' || !isInPlace(handoff, listed.get(id) ?? new Set(), nowMs)) wrong.push(id);
    }
  }
  // A listing has no order: what came first is taken in first, whatever it says about its own time.
  unknown.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  return [...wrong, ...unknown.map(({ id }) => id)];
}

function isInPlace(handoff: Handoff, places: ReadonlySet<OpenQueueFolder>, nowMs: number): boolean {
  if (handoff.kind !== 'queue') return true;
  const right = folderFor(handoff, nowMs);
  if (places.size === 1 && places.has(right as OpenQueueFolder)) return true;
  // The worker that has just accepted it is about to take the file itself.
  return isOurs(handoff) && places.size === 1 && !places.has('in-progress');
}

function isOurs({ state, custody }: Handoff): boolean {
  return state === 'accepted' && (custody?.by === 'process' || (custody?.by === 'hand' && custody.file === undefined));
}
