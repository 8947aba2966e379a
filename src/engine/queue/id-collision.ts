/**
 * Two requests with one id. The first one stands; the second gets an id of its own and fails there, so that nothing of it
 * is lost, it can be sent again as it is, and both senders hear of it.
 */
import { digestOf } from '../../foundation/digest.ts';
import type { HandoffId } from '../../domain/names.ts';
import { DEFAULT_TERMS } from '../../domain/default-terms.ts';
import { readMessage, readRequest, type Message } from '../../formats/queue-message/read.ts';
import type { QueueFolder } from '../../folders/queue-folder-names.ts';
import type { Whole } from '../../stores/store.ts';
import { send } from '../handoffs/send.ts';
import { whyNotSend } from './file-rights.ts';
import { byFile, fileName, quarantine, WRITTEN_MS, type Looked, type Queue } from './queue.ts';
import { isSameRequest, isUntouched } from './same-request.ts';

const MARK_LENGTH = 32;

/**
 * Takes a file out of sight that lies beside the one that counts: a copy of the same request is of no use to anybody, and
 * another request is kept. Whoever is still writing it is given time.
 */
export async function setAside(queue: Queue, whole: Whole, place: QueueFolder): Promise<Looked> {
  const { folder } = queue;
  const { id } = whole.handoff;
  const file = await folder.read(place, id);
  if (file.kind === 'absent') return 'again';
  if (file.kind === 'unfit') return quarantine(queue, place, fileName(id), file.says);
  const message = readMessage(file.text);
  if (!message.ok) {
    if (file.quietMs < WRITTEN_MS) return 'later';
    return quarantine(queue, place, fileName(id), `the handoff ${id} has a file already, and this one cannot be read`);
  }
  if (isUntouched(file.text, whole)) {
    // Made by two of ours at the same time: nobody misses it.
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

/** The id under which the second one is kept; null: it is in quarantine alone. */
async function handleIdCollision(
  queue: Queue,
  { handoff }: Whole,
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
  // First the record, then the file: whoever is interrupted in between sends it again, which is the same request.
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
