/** From the database to the folder. Whoever calls these is alone with the name among our processes. */
import { placeOf, WORDS } from '../../dialects/queue-message/words.ts';
import type { Place } from '../../folders/folder.ts';
import type { Whole } from '../../stores/store.ts';
import { putAnswer } from './artifact.ts';
import type { LookAgain, Queue } from './queue.ts';
import { finalText, openText } from './told.ts';

/**
 * A new one appears where nobody looks, and becomes visible only when the database still says so: a worker of ours may
 * have accepted it since, and then no foreign one must see it.
 */
export async function publish(queue: Queue, whole: Whole): Promise<LookAgain> {
  const { folder, around } = queue;
  const { id } = whole.handoff;
  await folder.put('waiting', id, openText(whole));
  const {
    items: [newest],
  } = await around.store.find({ by: 'ids', ids: [id] });
  if (newest === undefined || newest.revision !== whole.handoff.revision) return true;
  if (placeOf(newest, around.store.nowMs()) === 'pending') await folder.move(id, 'waiting', 'pending');
  return false;
}

/** Offered again: what was written during the attempt is taken off before anybody can take it. */
export async function bringBack(queue: Queue, whole: Whole): Promise<LookAgain> {
  const { folder, around } = queue;
  const { id } = whole.handoff;
  if (!(await folder.rewrite('in-progress', id, openText(whole)))) return true;
  await folder.move(id, 'in-progress', placeOf(whole.handoff, around.store.nowMs()));
  return true;
}

/** The name appears once among what is final, whole; until then the file is in sight where it was worked on. */
export async function finish(queue: Queue, whole: Whole, places: readonly Place[]): Promise<LookAgain> {
  const { folder } = queue;
  const { id, state } = whole.handoff;
  const artifact = state === 'completed' ? await putAnswer(queue, whole) : null;
  const text = await finalText(queue, whole, artifact);
  const held =
    places.includes('in-progress') ||
    (await folder.move(id, 'waiting', 'in-progress')) ||
    (await folder.move(id, 'pending', 'in-progress'));
  if (!held) await folder.put('in-progress', id, text);
  const isEnded = await folder.seal(id, text, WORDS[state].place as 'completed' | 'failed');
  // Whatever else has this name is cleared away by the next look.
  return !isEnded || places.length > 1;
}
