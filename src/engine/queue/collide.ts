/**
 * Two requests with one id. The first one stands; the second gets an id of its own and fails there, so that nothing of it
 * is lost, it can be sent again as it is, and both senders hear of it.
 */
import { digestOf } from '../../foundation/digest.ts';
import type { HandoffId } from '../../domain/names.ts';
import { DEFAULT_TERMS } from '../../domain/terms.ts';
import { readRequest, type Message } from '../../dialects/queue-message/read.ts';
import type { Place } from '../../folders/folder.ts';
import type { Whole } from '../../stores/store.ts';
import { send } from '../verbs/send.ts';
import { whyNotSend } from './file-rights.ts';
import { byFile, fileName, quarantine, type Queue } from './queue.ts';

const MARK_LENGTH = 32;

/** The id under which the second one is kept; null: it is in quarantine alone. */
export async function collide(
  queue: Queue,
  { handoff }: Whole,
  place: Place,
  second: { readonly message: Message; readonly user: string },
): Promise<HandoffId | null> {
  const { id, from, to } = handoff;
  const { around } = queue;
  const says = `the id ${id} belongs to another request of @${from} to @${to}; use a new id`;
  const asked = readRequest(second.message, around.rules.terms.queue?.retry ?? DEFAULT_TERMS.queue.retry);
  const unproven = asked.ok ? whyNotSend(queue, asked.value.from) : null;
  if (!asked.ok || unproven !== null) {
    await quarantine(queue, place, fileName(id), unproven === null ? says : `${says}; ${unproven}`);
    return null;
  }
  // First the record, then the file: whoever is interrupted in between sends it again, which is the same request.
  const mark = digestOf(`${id} ${second.message.text}`).slice(0, MARK_LENGTH);
  const sent = await send(around, byFile(second.user), {
    ...asked.value,
    id: `hoff-${mark}` as HandoffId,
    queue: true,
    requestId: `collision:${mark}`,
    failure: { code: 'ID_COLLISION', message: says },
    ...(asked.value.from === from ? {} : { alsoTell: from }),
  });
  const kept = sent.ok ? sent.value.id : null;
  const todo = kept === null ? '' : `; this one is kept as ${kept}, send it with: baton retry ${kept}`;
  await quarantine(queue, place, fileName(id), `${says}${todo}`);
  return kept;
}
