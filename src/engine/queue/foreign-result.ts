/** A foreign worker has moved the file to an end: what it says is taken as it stands, and nobody repeats it. */
import {
  readAnswer,
  isRefusal,
  readMessage,
  saysEnd,
  saysNothingOfEnd,
  statusIn,
  type Message,
} from '../../formats/queue-message/read.ts';
import { countedAttempts, type Handoff } from '../../domain/handoff.ts';
import { agentPrincipal } from '../../domain/principal.ts';
import type { Whole } from '../../stores/store.ts';
import { accept } from '../handoffs/accept.ts';
import { deliver } from '../handoffs/deliver.ts';
import { cancel } from '../handoffs/reject-and-cancel.ts';
import { fail } from '../handoffs/fail.ts';
import { registerClaimed } from './claimed-artifact.ts';
import { whyNotSend, whyNotTake } from './file-rights.ts';
import { bringBack } from './project-file.ts';
import { isFromBefore, wasLeft } from './same-request.ts';
import { byFile, fileName, HALF_SAID_MS, LATE, quarantine, UNREADABLE_MS, type Looked, type Queue } from './queue.ts';

export async function takeForeignResult(queue: Queue, whole: Whole, place: 'completed' | 'failed'): Promise<Looked> {
  const { id, to } = whole.handoff;
  const file = await queue.folder.read(place, id);
  if (file.kind === 'absent') return 'again';
  if (file.kind === 'unfit') return quarantine(queue, place, fileName(id), file.says);
  const message = readMessage(file.text);
  if (!message.ok) {
    if (file.quietMs < UNREADABLE_MS && !wasLeft(whole.handoff, file.quietMs, queue)) return 'later';
    return quarantine(queue, place, fileName(id), `unreadable: ${JSON.stringify(message.refusal)}`);
  }
  if (isRefusal(message.value)) {
    // Ours, about an earlier text of this name that was put right since.
    await queue.folder.discard('failed', id);
    return 'again';
  }
  if (place === 'failed' && statusIn(message.value) === CANCELLED) return takeCancel(queue, whole, message.value);
  const unproven = whyNotTake(queue, to);
  if (unproven !== null) return quarantine(queue, place, fileName(id), unproven);
  if (isGivenUp(whole.handoff, message.value, place)) return bringBack(queue, whole, place);
  if (file.quietMs < patienceMs(message.value, place)) return 'later';
  const warnings = await warningsOf(queue, whole, place, message.value);
  const refused = await settle(queue, whole, file.user, readAnswer(place, message.value), warnings);
  if (refused === null) {
    for (const says of warnings) queue.ctx.report({ kind: 'file-warning', id, place, says });
    return 'again';
  }
  if (await hasMoved(queue, whole)) return 'again';
  const says = `${LATE}: the handoff is ${whole.handoff.state}, and this cannot end it (${refused})`;
  return quarantine(queue, place, fileName(id), says);
}

/** Its worker moved it there without an answer, and the time of that attempt is over: it is offered again. */
function isGivenUp(handoff: Handoff, message: Message, place: 'completed' | 'failed'): boolean {
  const isLeft = handoff.state === 'offered' && isFromBefore(message, countedAttempts(handoff));
  return isLeft && saysNothingOfEnd(message, place);
}

/** One that says the whole end is taken at once, and one that says half of it soon; one that says nothing may still be written. */
function patienceMs(message: Message, place: 'completed' | 'failed'): number {
  if (saysEnd(message, place)) return 0;
  return saysNothingOfEnd(message, place) ? UNREADABLE_MS : HALF_SAID_MS;
}

/** What is not as it should be, and still stands: nobody can ask a foreign worker to do better. */
async function warningsOf(
  queue: Queue,
  whole: Whole,
  place: 'completed' | 'failed',
  message: Message,
): Promise<readonly string[]> {
  const said = statusIn(message);
  const status =
    said === place ? [] : [`the file lies in ${place}/ and its status says ${said ?? 'nothing'}; the folder counts`];
  if (place === 'failed') return status;
  return [...status, ...(await registerClaimed(queue, whole, message))];
}

const CANCELLED = 'cancelled';

/** Whoever sent it moves the file to failed/ with the status `cancelled`: nobody is to do it any more. */
async function takeCancel(queue: Queue, whole: Whole, message: Message): Promise<Looked> {
  const { id, from } = whole.handoff;
  const unproven = whyNotSend(queue, from);
  const answer = readAnswer('failed', message);
  const reason = answer.kind === 'failed' && message.fields['error'] !== undefined ? answer.failure.message : null;
  const refused =
    unproven ??
    (await cancel(queue.ctx, agentPrincipal(from), id, reason ?? 'its file was moved to failed/ as cancelled').then(
      (ended) => (ended.ok ? null : ended.refusal.code),
    ));
  if (refused === null || (unproven === null && (await hasMoved(queue, whole)))) return 'again';
  return quarantine(queue, 'failed', fileName(id), `the handoff cannot be cancelled by a file: ${refused}`);
}

/** Null: done. Otherwise the code of the refusal. */
async function settle(
  { ctx }: Queue,
  { handoff }: Whole,
  user: string,
  answer: ReturnType<typeof readAnswer>,
  warnings: readonly string[],
): Promise<string | null> {
  const { id, terms } = handoff;
  const principal = byFile(user);
  let { fence } = handoff;
  if (handoff.state !== 'accepted') {
    // It was faster than we could look.
    const leaseMs = terms.attemptTimeoutMs ?? undefined;
    const taken = await accept(ctx, principal, id, leaseMs === undefined ? {} : { leaseMs });
    if (!taken.ok) return taken.refusal.code;
    ({ fence } = taken.value);
  }
  // A file shows no fence. The one that was current when its place was seen stands in for it: if another holder has
  // come since, this answer is late.
  const settled =
    answer.kind === 'completed'
      ? await deliver(ctx, principal, {
          target: id,
          fence,
          result: answer.result,
          unchecked: true,
          ...(warnings.length === 0 ? {} : { detail: { warnings } }),
        })
      : await fail(ctx, principal, { target: id, fence, failure: answer.failure, forGood: true });
  return settled.ok ? null : settled.refusal.code;
}

/** Somebody changed the record while we read the file: what it means now is decided anew. */
async function hasMoved({ newestRecord }: Queue, { handoff }: Whole): Promise<boolean> {
  return (await newestRecord(handoff.id))?.revision !== handoff.revision;
}
