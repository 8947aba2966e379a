/** Takes the result of a foreign worker that has moved the file to completed/ or failed/, without checking it. */
import {
  readAnswer,
  isRefusal,
  readMessage,
  hasOutcome,
  lacksOutcome,
  statusIn,
  type Message,
} from '../../formats/queue-message/read.ts';
import { countedAttempts, type Handoff } from '../../domain/handoff.ts';
import { agentPrincipal } from '../../domain/principal.ts';
import type { StoredHandoff } from '../../stores/store.ts';
import { accept } from '../handoffs/accept.ts';
import { deliver } from '../handoffs/deliver.ts';
import { cancel } from '../handoffs/reject-and-cancel.ts';
import { fail } from '../handoffs/fail.ts';
import { registerClaimed } from './claimed-artifact.ts';
import { whyNotSend, whyNotTake } from './file-rights.ts';
import { offerAgain } from './write-queue-file.ts';
import { isFromBefore, isAbandoned } from './same-request.ts';
import {
  byFile,
  fileName,
  PARTIAL_ANSWER_MS,
  LATE,
  quarantine,
  UNREADABLE_MS,
  type StepResult,
  type Queue,
} from './queue.ts';

export async function takeForeignResult(
  queue: Queue,
  whole: StoredHandoff,
  place: 'completed' | 'failed',
): Promise<StepResult> {
  const { id, to } = whole.handoff;
  const file = await queue.folder.read(place, id);
  if (file.kind === 'absent') return 'again';
  if (file.kind === 'unfit') return quarantine(queue, place, fileName(id), file.says);
  const message = readMessage(file.text);
  if (!message.ok) {
    if (file.unchangedMs < UNREADABLE_MS && !isAbandoned(whole.handoff, file.unchangedMs, queue)) return 'later';
    return quarantine(queue, place, fileName(id), `unreadable: ${JSON.stringify(message.refusal)}`);
  }
  if (isRefusal(message.value)) {
    // Our refusal of an earlier file of this name, which was corrected since.
    await queue.folder.discard('failed', id);
    return 'again';
  }
  if (place === 'failed' && statusIn(message.value) === CANCELLED) return takeCancel(queue, whole, message.value);
  const unproven = whyNotTake(queue, to);
  if (unproven !== null) return quarantine(queue, place, fileName(id), unproven);
  if (isUnanswered(whole.handoff, message.value, place)) return offerAgain(queue, whole, place);
  if (file.unchangedMs < quietTimeMs(message.value, place)) return 'later';
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

/** Whether its worker moved the file there without a result, and that attempt is over: it is offered again. */
function isUnanswered(handoff: Handoff, message: Message, place: 'completed' | 'failed'): boolean {
  const isLeft = handoff.state === 'offered' && isFromBefore(message, countedAttempts(handoff));
  return isLeft && lacksOutcome(message, place);
}

/** How long a file must be unchanged before it is taken: a complete result at once, a file without one after a long time. */
function quietTimeMs(message: Message, place: 'completed' | 'failed'): number {
  if (hasOutcome(message, place)) return 0;
  return lacksOutcome(message, place) ? UNREADABLE_MS : PARTIAL_ANSWER_MS;
}

/** Problems that do not refuse the result: a foreign worker cannot be asked to correct it. */
async function warningsOf(
  queue: Queue,
  whole: StoredHandoff,
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

/** A sender cancels by moving the file to failed/ with the status `cancelled`. */
async function takeCancel(queue: Queue, whole: StoredHandoff, message: Message): Promise<StepResult> {
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

/** Null: settled. Otherwise the code of the refusal. */
async function settle(
  { ctx }: Queue,
  { handoff }: StoredHandoff,
  user: string,
  answer: ReturnType<typeof readAnswer>,
  warnings: readonly string[],
): Promise<string | null> {
  const { id, terms } = handoff;
  const principal = byFile(user);
  let { fence } = handoff;
  if (handoff.state !== 'accepted') {
    // The worker finished before we saw the file in in-progress/.
    const leaseMs = terms.attemptTimeoutMs ?? undefined;
    const taken = await accept(ctx, principal, id, leaseMs === undefined ? {} : { leaseMs });
    if (!taken.ok) return taken.refusal.code;
    ({ fence } = taken.value);
  }
  // A file shows no fence. The current one when the file was seen is used instead: if another holder has accepted since,
  // this result is late.
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

/** Whether the record changed while we read the file. Then the decision has to be made again. */
async function hasMoved({ newestRecord }: Queue, { handoff }: StoredHandoff): Promise<boolean> {
  return (await newestRecord(handoff.id))?.revision !== handoff.revision;
}
