/** Compares the request in a file with its handoff, ignoring key order, white space and fields about a stage. */
import { canonicalJson } from '../../foundation/canonical-json.ts';
import type { JsonObject } from '../../foundation/json.ts';
import type { Body } from '../../domain/body.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { fenceIn, readMessage, retriesIn, type Message } from '../../formats/queue-message/read.ts';
import { requestFieldsOf } from '../../formats/queue-message/write.ts';
import type { StoredHandoff } from '../../stores/store.ts';
import { openText } from './file-text.ts';
import type { Queue } from './queue.ts';

/** Fast path without parsing: the file is as we wrote it or as it arrived. */
export function isUntouched(text: string, whole: StoredHandoff): boolean {
  return text === openText(offeredOf(whole)) || text === keptText(whole);
}

/** Whether the file is from an earlier attempt: written by a Baton worker, or with a lower retry count. */
export function isFromBefore(message: Message, attempts: number): boolean {
  return fenceIn(message) !== null || retriesIn(message) < attempts;
}

/** For an unreadable file: it was not written since the last attempt ended. */
export function isAbandoned(
  { state, attempt, since }: Handoff,
  unchangedMs: number,
  { ctx }: Pick<Queue, 'ctx'>,
): boolean {
  return state === 'offered' && attempt > 0 && unchangedMs > ctx.store.nowMs() - since;
}

export function isSameRequest(message: Message, whole: StoredHandoff): boolean {
  if (isUntouched(message.text, whole)) return true;
  const [ours, kept] = [openText(offeredOf(whole)), keptText(whole)];
  const asked = requestText(message);
  const texts = kept === undefined ? [ours] : [ours, kept];
  return texts.some((text) => {
    const read = readMessage(text);
    return read.ok && requestText(read.value) === asked;
  });
}

function keptText(whole: StoredHandoff): string | undefined {
  return whole.body.includes('"message":') ? (JSON.parse(whole.body) as Body).message : undefined;
}

function requestText({ exact }: Message): string {
  return canonicalJson(requestFieldsOf(exact) satisfies JsonObject);
}

/** The record as it was on offer, because the text of a file depends on the state. */
function offeredOf(whole: StoredHandoff): StoredHandoff {
  const { state, attempt } = whole.handoff;
  const isHeld = state === 'accepted' || state === 'delivered';
  const handoff: Handoff = { ...whole.handoff, state: 'offered', attempt: isHeld ? attempt - 1 : attempt };
  return { ...whole, handoff };
}
