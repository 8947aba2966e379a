/**
 * Writes and moves queue files according to the database. Several Baton processes may do so at the same time. Each rename
 * has one winner. A file becomes visible to foreign workers only through waiting/: there the record is checked once more,
 * and a Baton worker that has accepted meanwhile finds the file there.
 */
import { readMessage } from '../../formats/queue-message/read.ts';
import { folderFor, QUEUE_WORDS } from '../../formats/queue-message/vocabulary.ts';
import type { QueueFolder } from '../../folders/queue-folder-names.ts';
import type { StoredHandoff } from '../../stores/store.ts';
import { writeResultFile } from './result-file.ts';
import { setAsideDuplicate } from './id-collision.ts';
import type { StepResult, Queue } from './queue.ts';
import { isSameRequest } from './same-request.ts';
import { finalText, isEndedByFile, openText } from './file-text.ts';

/**
 * Writes a new file into waiting/ and makes it visible only if the record has not changed: if a Baton worker has accepted
 * the handoff since, no foreign worker must see its file.
 */
export async function publish(queue: Queue, whole: StoredHandoff): Promise<StepResult> {
  const { folder } = queue;
  const { id } = whole.handoff;
  await folder.put('waiting', id, openText(whole));
  // Another Baton process has made the file visible meanwhile, and a foreign worker may have taken it.
  if ((await folder.whereIs(id, BEYOND_WAITING)).length > 0) {
    await folder.discard('waiting', id);
    return 'again';
  }
  return makeVisible(queue, whole);
}

const BEYOND_WAITING = ['pending', 'in-progress', 'completed', 'failed'] as const;

/** Moves the file from waiting/ to pending/, if the record has not changed. */
export async function makeVisible(
  { ctx, folder, newestRecord }: Queue,
  { handoff }: StoredHandoff,
): Promise<StepResult> {
  const { id } = handoff;
  const newest = await newestRecord(id);
  if (newest === null || newest.revision !== handoff.revision) return 'again';
  if (folderFor(newest, ctx.store.nowMs()) === 'pending') await folder.move(id, 'waiting', 'pending');
  return 'done';
}

/** Offers a handoff again. What was written during the attempt is removed before the file becomes visible. */
export async function offerAgain(
  queue: Queue,
  whole: StoredHandoff,
  from: QueueFolder = 'in-progress',
): Promise<StepResult> {
  const { folder } = queue;
  const { id } = whole.handoff;
  if (from !== 'waiting' && !(await folder.move(id, from, 'waiting'))) return 'again';
  if (!(await folder.rewrite('waiting', id, openText(whole)))) return 'again';
  await makeVisible(queue, whole);
  return 'again';
}

/** Writes the final file. It appears in its end folder in one step and complete; until then it is in in-progress/. */
export async function finish(queue: Queue, whole: StoredHandoff, places: readonly QueueFolder[]): Promise<StepResult> {
  const { folder } = queue;
  const { id, state } = whole.handoff;
  const isForeign = await isEndedByFile(queue, whole);
  const artifact = state === 'completed' && !isForeign ? await writeResultFile(queue, whole) : null;
  const text = await finalText(queue, whole, artifact?.place ?? null, isForeign);
  const held = places.includes('in-progress') || (await moveOutOfReach(queue, whole, places));
  if (held === 'again') {
    await artifact?.registered;
    return 'again';
  }
  if (!held) await folder.put('in-progress', id, text);
  const end = QUEUE_WORDS[state].place as 'completed' | 'failed';
  const isEnded = await folder.finish(id, text, end, artifact?.registered);
  // Other files of this name are removed by the next step.
  return isEnded && places.length <= 1 ? 'done' : 'again';
}

/** Moves the file to in-progress/, out of reach of foreign workers. If another request has overwritten it, that is kept. */
async function moveOutOfReach(
  queue: Queue,
  whole: StoredHandoff,
  places: readonly QueueFolder[],
): Promise<boolean | 'again'> {
  const { folder } = queue;
  const { id } = whole.handoff;
  for (const place of ['waiting', 'pending'] as const) {
    if (!places.includes(place) || !(await folder.move(id, place, 'in-progress'))) continue;
    const file = await folder.read('in-progress', id);
    const message = file.kind === 'file' ? readMessage(file.text) : null;
    if (message?.ok !== true || isSameRequest(message.value, whole)) return true;
    await setAsideDuplicate(queue, whole, 'in-progress');
    return 'again';
  }
  return false;
}
