/** Whether a file asks for what a handoff was made of: the order of keys, spaces and what is said about a stage are nothing. */
import { canonicalJson } from '../../foundation/canonical-json.ts';
import type { JsonObject } from '../../foundation/json.ts';
import type { Body } from '../../domain/body.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { fenceIn, readMessage, retriesIn, type Message } from '../../formats/queue-message/read.ts';
import { requestFieldsOf } from '../../formats/queue-message/write.ts';
import type { Whole } from '../../stores/store.ts';
import { openText } from './file-text.ts';
import type { Queue } from './queue.ts';

/** The common case, without reading anything: the file is as we wrote it or as it came. */
export function isUntouched(text: string, whole: Whole): boolean {
  return text === openText(offeredOf(whole)) || text === keptText(whole);
}

/** Written by a worker of ours, or taken before so many attempts were over. */
export function isFromBefore(message: Message, attempts: number): boolean {
  return fenceIn(message) !== null || retriesIn(message) < attempts;
}

/** Where nothing can be read, time tells: nobody has written since the last attempt was given up. */
export function wasLeft({ state, attempt, since }: Handoff, quietMs: number, { ctx }: Pick<Queue, 'ctx'>): boolean {
  return state === 'offered' && attempt > 0 && quietMs > ctx.store.nowMs() - since;
}

export function isSameRequest(message: Message, whole: Whole): boolean {
  if (isUntouched(message.text, whole)) return true;
  const [ours, kept] = [openText(offeredOf(whole)), keptText(whole)];
  const asked = requestText(message);
  const texts = kept === undefined ? [ours] : [ours, kept];
  return texts.some((text) => {
    const read = readMessage(text);
    return read.ok && requestText(read.value) === asked;
  });
}

function keptText(whole: Whole): string | undefined {
  return whole.body.includes('"message":') ? (JSON.parse(whole.body) as Body).message : undefined;
}

function requestText({ exact }: Message): string {
  return canonicalJson(requestFieldsOf(exact) satisfies JsonObject);
}

/** Text is made from the state, and a draft or a blocked one is written like one on offer, before it was accepted. */
function offeredOf(whole: Whole): Whole {
  const { state, attempt } = whole.handoff;
  const isHeld = state === 'accepted' || state === 'delivered';
  const handoff: Handoff = { ...whole.handoff, state: 'offered', attempt: isHeld ? attempt - 1 : attempt };
  return { ...whole, handoff };
}
