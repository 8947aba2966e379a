/** One pass: which handoffs have to be looked at, because something about them is new or not in order. */
import { OPEN_STATES } from '../../domain/lifecycle.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { placeOf } from '../../dialects/queue-message/words.ts';
import { OPEN_PLACES, type OpenPlace, type Place } from '../../folders/folder.ts';
import { bookmarkAt, cursorIn } from '../bookmark.ts';
import { interruptible, type Interruptible } from '../interruptible.ts';
import type { Depth, Passed } from '../surroundings.ts';
import { attend } from './attend.ts';
import { quarantine, type Queue } from './queue.ts';

const PAGE = 200;
const FACTS_PAGE = 500;
/** One pass goes on for a second or so; the rest is for the next one. */
const FACT_PAGES_MAX = 20;
const AT_ONCE = 8;
/** What was read since is read again by whoever comes next; saving it each time would cost more. */
const SAVE_MS = 1_000;
const NOWHERE: ReadonlySet<Place> = new Set();

export async function pass(queue: Queue, asked: Depth, signal?: AbortSignal): Promise<Passed> {
  const { folder, reading, again, abroad, hints } = queue;
  const loop = interruptible(queue.around, signal);
  await folder.prepare();
  if (!reading.isBegun) await openBookmark(queue);
  const depth = reading.isOld ? 'thorough' : asked === 'told' && hints.isVague ? 'quick' : asked;
  const wrong = new Set(depth === 'told' ? again : [...again, ...abroad]);
  const { places } = hints;
  hints.places = new Map();
  hints.isVague = false;
  // Also when this pass breaks off: nobody tells it twice.
  for (const id of places.keys()) again.add(id);
  const revisions = await readFacts(queue);
  if (depth !== 'told') {
    const listed = await listedNames(queue, loop);
    for (const id of await outOfPlace(queue, listed, depth, loop)) wrong.add(id);
    if (depth !== 'quick') for (const id of await missing(queue, listed, loop)) wrong.add(id);
  }
  const passed = { attended: 0 };
  const ids = [...new Set([...revisions.keys(), ...places.keys(), ...wrong])];
  await attendAll(queue, ids, loop, async (id) => {
    const told = { revision: revisions.get(id) ?? 0, places: places.get(id) ?? NOWHERE };
    if (depth !== 'thorough' && !wrong.has(id) && (await queue.left.isAsLeft(id, told))) return;
    passed.attended += 1;
    await attend(queue, id);
  });
  // Whoever comes after us has to try what we could not do.
  if (again.size === 0 && !loop.isStopped()) await saveBookmark(queue);
  return passed;
}

async function openBookmark({ around, folder, reading }: Queue): Promise<void> {
  const text = await folder.bookmark.load();
  reading.cursor = await cursorIn(around, text);
  reading.isOld = text !== null && text.split(' ')[2] !== around.liveness.self.boot;
  reading.isBegun = true;
}

/** The newest revision of each handoff that has a new one. */
async function readFacts({ around, reading, again }: Queue): Promise<ReadonlyMap<HandoffId, number>> {
  const revisions = new Map<HandoffId, number>();
  for (let page = 0; page < FACT_PAGES_MAX; page += 1) {
    const after = reading.cursor;
    const facts = await around.store.facts({ max: FACTS_PAGE, ...(after === null ? {} : { after }) });
    for (const { fact } of facts) {
      revisions.set(fact.handoff, fact.revision);
      // The cursor is past it, whatever becomes of this pass.
      again.add(fact.handoff);
    }
    reading.isRead ||= facts.length > 0;
    reading.cursor = facts.at(-1)?.cursor ?? reading.cursor;
    if (facts.length < FACTS_PAGE) break;
  }
  return revisions;
}

async function saveBookmark({ around, folder, reading }: Queue): Promise<void> {
  const nowMs = around.clock.monotonicMs();
  const isDue = reading.isOld || (reading.isRead && nowMs - reading.savedMs >= SAVE_MS);
  if (!isDue || reading.cursor === null) return;
  await folder.bookmark.save(`${await bookmarkAt(around, reading.cursor)} ${around.liveness.self.boot}`);
  reading.isOld = false;
  reading.isRead = false;
  reading.savedMs = nowMs;
}

type Listed = ReadonlyMap<HandoffId, ReadonlySet<OpenPlace>>;

async function listedNames(queue: Queue, loop: Interruptible): Promise<Listed> {
  const listed = new Map<HandoffId, Set<OpenPlace>>();
  for (const place of OPEN_PLACES) {
    for (const { name, id } of await queue.folder.list(place)) {
      if (!(await loop.goOn())) return listed;
      if (id !== null) listed.set(id, (listed.get(id) ?? new Set()).add(place));
      else if (place !== 'waiting') await quarantine(queue, place, name, 'the name of the file is not a usable id');
    }
  }
  return listed;
}

async function outOfPlace(
  { around, folder }: Queue,
  listed: Listed,
  depth: Depth,
  loop: Interruptible,
): Promise<readonly HandoffId[]> {
  const ids = [...listed.keys()];
  const wrong: HandoffId[] = [];
  const unknown: { readonly id: HandoffId; readonly at: number }[] = [];
  for (let at = 0; at < ids.length && (await loop.goOn()); at += PAGE) {
    const page = ids.slice(at, at + PAGE);
    const { items } = await around.store.find({ by: 'ids', ids: page });
    const known = new Map(items.map((handoff) => [handoff.id, handoff]));
    const nowMs = around.store.nowMs();
    for (const id of page) {
      const handoff = known.get(id);
      if (handoff === undefined) unknown.push({ id, at: folder.writtenAt('pending', id) });
      else if (depth === 'thorough' || !isInPlace(handoff, listed.get(id) ?? new Set(), nowMs)) wrong.push(id);
    }
  }
  // A listing has no order: what came first is taken in first, whatever it says about its own time.
  unknown.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  return [...wrong, ...unknown.map(({ id }) => id)];
}

function isInPlace(handoff: Handoff, places: ReadonlySet<OpenPlace>, nowMs: number): boolean {
  if (handoff.kind !== 'queue') return true;
  const right = placeOf(handoff, nowMs);
  if (places.size === 1 && places.has(right as OpenPlace)) return true;
  // The worker that has just accepted it is about to take the file itself.
  return isOurs(handoff) && places.size === 1 && !places.has('in-progress');
}

function isOurs({ state, custody }: Handoff): boolean {
  return state === 'accepted' && (custody?.by === 'process' || (custody?.by === 'hand' && custody.file === undefined));
}

/** What is open and has no file where it should: foreign workers have brought it to an end, or somebody has deleted it. */
async function missing({ around }: Queue, listed: Listed, loop: Interruptible): Promise<readonly HandoffId[]> {
  const found: HandoffId[] = [];
  for (let after: string | undefined; await loop.goOn();) {
    const { items, next } = await around.store.find({
      by: 'filter',
      states: OPEN_STATES,
      max: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    for (const handoff of items) {
      if (handoff.kind === 'queue' && !isOurs(handoff) && !listed.has(handoff.id)) found.push(handoff.id);
    }
    if (next === null) break;
    after = next;
  }
  return found;
}

async function attendAll(
  queue: Queue,
  ids: readonly HandoffId[],
  loop: Interruptible,
  act: (id: HandoffId) => Promise<void>,
): Promise<void> {
  const rest = ids.values();
  const work = async (): Promise<void> => {
    // Taken after the turn, not before it: the order in which files came is the order in which they are adopted.
    while (await loop.goOn()) {
      const { value: id } = rest.next();
      if (id === undefined) return;
      queue.again.add(id);
      try {
        await act(id);
        queue.again.delete(id);
      } catch (error) {
        queue.around.report({ kind: 'fault', doing: `putting ${id} in its place`, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
