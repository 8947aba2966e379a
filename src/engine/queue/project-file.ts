/**
 * From the database to the folder. Several of our processes may be at it at the same time. Each rename has one winner,
 * and what becomes visible to foreign workers goes through waiting/ first: there the database is asked once more, and a
 * worker of ours that has accepted meanwhile finds the file there.
 */
import { readMessage } from '../../formats/queue-message/read.ts';
import { folderFor, QUEUE_WORDS } from '../../formats/queue-message/vocabulary.ts';
import type { QueueFolder } from '../../folders/queue-folder-names.ts';
import type { Whole } from '../../stores/store.ts';
import { writeResultFile } from './result-file.ts';
import { setAside } from './id-collision.ts';
import type { Looked, Queue } from './queue.ts';
import { isSameRequest } from './same-request.ts';
import { finalText, isEndedByFile, openText } from './file-text.ts';

/**
 * A new one appears where nobody looks, and becomes visible only when the database still says so: a worker of ours may
 * have accepted it since, and then no foreign one must see it.
 */
export async function publish(queue: Queue, whole: Whole): Promise<Looked> {
  const { folder } = queue;
  const { id } = whole.handoff;
  await folder.put('waiting', id, openText(whole));
  // Another of our processes has made it visible meanwhile, and a foreign worker may have taken that one.
  if ((await folder.whereIs(id, BEYOND_WAITING)).length > 0) {
    await folder.discard('waiting', id);
    return 'again';
  }
  return show(queue, whole);
}

const BEYOND_WAITING = ['pending', 'in-progress', 'completed', 'failed'] as const;

/** From waiting/ to pending/, if the record is still the one that was looked at. */
export async function show({ ctx, folder, newestRecord }: Queue, { handoff }: Whole): Promise<Looked> {
  const { id } = handoff;
  const newest = await newestRecord(id);
  if (newest === null || newest.revision !== handoff.revision) return 'again';
  if (folderFor(newest, ctx.store.nowMs()) === 'pending') await folder.move(id, 'waiting', 'pending');
  return 'done';
}

/** Offered again: what was written during the attempt is taken off before anybody can take it. */
export async function bringBack(queue: Queue, whole: Whole, from: QueueFolder = 'in-progress'): Promise<Looked> {
  const { folder } = queue;
  const { id } = whole.handoff;
  if (from !== 'waiting' && !(await folder.move(id, from, 'waiting'))) return 'again';
  if (!(await folder.rewrite('waiting', id, openText(whole)))) return 'again';
  await show(queue, whole);
  return 'again';
}

/** The name appears once among what is final, whole; until then the file is in sight where it was worked on. */
export async function finish(queue: Queue, whole: Whole, places: readonly QueueFolder[]): Promise<Looked> {
  const { folder } = queue;
  const { id, state } = whole.handoff;
  const isForeign = await isEndedByFile(queue, whole);
  const artifact = state === 'completed' && !isForeign ? await writeResultFile(queue, whole) : null;
  const text = await finalText(queue, whole, artifact?.place ?? null, isForeign);
  const held = places.includes('in-progress') || (await takeOut(queue, whole, places));
  if (held === 'again') {
    await artifact?.registered;
    return 'again';
  }
  if (!held) await folder.put('in-progress', id, text);
  const end = QUEUE_WORDS[state].place as 'completed' | 'failed';
  const isEnded = await folder.seal(id, text, end, artifact?.registered);
  // Whatever else has this name is cleared away by the next look.
  return isEnded && places.length <= 1 ? 'done' : 'again';
}

/** Out of reach of foreign workers. What was on offer may have been overwritten with another request, which is kept. */
async function takeOut(queue: Queue, whole: Whole, places: readonly QueueFolder[]): Promise<boolean | 'again'> {
  const { folder } = queue;
  const { id } = whole.handoff;
  for (const place of ['waiting', 'pending'] as const) {
    if (!places.includes(place) || !(await folder.move(id, place, 'in-progress'))) continue;
    const file = await folder.read('in-progress', id);
    const message = file.kind === 'file' ? readMessage(file.text) : null;
    if (message?.ok !== true || isSameRequest(message.value, whole)) return true;
    await setAside(queue, whole, 'in-progress');
    return 'again';
  }
  return false;
}
