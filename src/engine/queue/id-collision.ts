/**
 * Two requests with one id. The first one stays. The second is stored as a failed handoff under a new id, so that it is not
 * lost, can be sent again, and both senders are notified.
 */
import { digestOf } from '../../foundation/digest.ts';
import type { HandoffId } from '../../domain/names.ts';
import { DEFAULT_TERMS } from '../../domain/default-terms.ts';
import { readMessage, readRequest, type Message } from '../../formats/queue-message/read.ts';
import type { QueueFolder } from '../../folders/queue-folder-names.ts';
import type { StoredHandoff } from '../../stores/store.ts';
import { send } from '../handoffs/send.ts';
import { whyNotSend } from './file-rights.ts';
import { byFile, fileName, quarantine, WRITTEN_MS, type StepResult, type Queue } from './queue.ts';
import { isSameRequest, isUntouched } from './same-request.ts';

const MARK_LENGTH = 32;

/**
 * Handles a second file with the id of a handoff: a copy of the same request is quarantined, another request is kept under
 * a new id. A file that may still be written is left for later.
 */
export async function setAsideDuplicate(queue: Queue, whole: StoredHandoff, place: QueueFolder): Promise<StepResult> {
  const { folder } = queue;
  const { id } = whole.handoff;
  const file = await folder.read(place, id);
  if (file.kind === 'absent') return 'again';
  if (file.kind === 'unfit') return quarantine(queue, place, fileName(id), file.says);
  const message = readMessage(file.text);
  if (!message.ok) {
    if (file.unchangedMs < WRITTEN_MS) return 'later';
    return quarantine(queue, place, fileName(id), `the handoff ${id} has a file already, and this one cannot be read`);
  }
  if (isUntouched(file.text, whole)) {
    // Two Baton processes wrote the same file at the same time.
    if (await folder.move(id, place, 'waiting')) await folder.discard('waiting', id);
    return 'again';
  }
  if (isSameRequest(message.value, whole)) {
    return quarantine(queue, place, fileName(id), `a copy: the handoff ${id} has its file already`);
  }
  const kept = await handleIdCollision(queue, whole, place, { message: message.value, user: file.user });
  if (kept !== null) queue.kept.push(kept);
  return 'again';
}

/** The new id of the second request; null: it is only in quarantine. */
async function handleIdCollision(
  queue: Queue,
  { handoff }: StoredHandoff,
  place: QueueFolder,
  second: { readonly message: Message; readonly user: string },
): Promise<HandoffId | null> {
  const { id, from, to } = handoff;
  const { ctx } = queue;
  const says = `the id ${id} belongs to another request of @${from} to @${to}; use a new id`;
  const asked = readRequest(second.message, ctx.rules.terms.queue?.retry ?? DEFAULT_TERMS.queue.retry);
  const unproven = asked.ok ? whyNotSend(queue, asked.value.from) : null;
  if (!asked.ok || unproven !== null) {
    await quarantine(queue, place, fileName(id), unproven === null ? says : `${says}; ${unproven}`);
    return null;
  }
  // The record first, then the file: after an interruption in between, sending again is the same request.
  const mark = digestOf(`${id} ${second.message.text}`).slice(0, MARK_LENGTH);
  const sent = await send(ctx, byFile(second.user), {
    ...asked.value,
    id: `hoff-${mark}` as HandoffId,
    waitForCapacity: true,
    requestId: `collision:${mark}`,
    failure: { code: 'ID_COLLISION', message: says },
    ...(asked.value.from === from ? {} : { alsoTell: from }),
  });
  const kept = sent.ok ? sent.value.id : null;
  const todo = kept === null ? '' : `; this one is kept as ${kept}, send it with: baton retry ${kept}`;
  await quarantine(queue, place, fileName(id), `${says}${todo}`);
  return kept;
}
