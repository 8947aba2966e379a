/** A foreign worker has moved the file to an end: what it says is taken as it stands, and nobody repeats it. */
import { readAnswer, readMessage, statusIn } from '../../dialects/queue-message/read.ts';
import type { Whole } from '../../stores/store.ts';
import { accept } from '../verbs/accept.ts';
import { deliver } from '../verbs/deliver.ts';
import { fail } from '../verbs/fail.ts';
import { whyNotTake } from './file-rights.ts';
import { byFile, fileName, quarantine, UNREADABLE_MS, type LookAgain, type Queue } from './queue.ts';

/** Naive programs move first and write after: until then the word inside is the old one. */
const REWRITTEN_MS = 5_000;

export async function takeAnswer(queue: Queue, whole: Whole, place: 'completed' | 'failed'): Promise<LookAgain> {
  const { id, to } = whole.handoff;
  const unproven = whyNotTake(queue, to);
  if (unproven !== null) {
    await quarantine(queue, place, fileName(id), unproven);
    return true;
  }
  const file = await queue.folder.read(place, id);
  if (file.kind === 'absent') return true;
  if (file.kind === 'unfit') {
    await quarantine(queue, place, fileName(id), file.says);
    return true;
  }
  const message = readMessage(file.text);
  if (!message.ok) {
    if (file.quietMs < UNREADABLE_MS) return false;
    await quarantine(queue, place, fileName(id), `unreadable: ${JSON.stringify(message.refusal)}`);
    return true;
  }
  if (statusIn(message.value) !== place && file.quietMs < REWRITTEN_MS) return false;
  const refused = await settle(queue, whole, file.user, readAnswer(place, message.value));
  if (refused === null || (await hasMoved(queue, whole))) return true;
  const says = `late_or_unfenced_completion: the handoff is ${whole.handoff.state}, and this cannot end it (${refused})`;
  await quarantine(queue, place, fileName(id), says);
  return true;
}

/** Null: done. Otherwise the code of the refusal. */
async function settle(
  { around }: Queue,
  { handoff }: Whole,
  user: string,
  answer: ReturnType<typeof readAnswer>,
): Promise<string | null> {
  const { id, terms } = handoff;
  const principal = byFile(user);
  let { fence } = handoff;
  if (handoff.state !== 'accepted') {
    // It was faster than we could look.
    const leaseMs = terms.attemptTimeoutMs ?? undefined;
    const taken = await accept(around, principal, id, leaseMs === undefined ? {} : { leaseMs });
    if (!taken.ok) return taken.refusal.code;
    ({ fence } = taken.value);
  }
  // A file shows no fence. The one that was current when its place was seen stands in for it: if another holder has
  // come since, this answer is late.
  const settled =
    answer.kind === 'completed'
      ? await deliver(around, principal, { target: id, fence, result: answer.result, unchecked: true })
      : await fail(around, principal, { target: id, fence, failure: answer.failure, forGood: true });
  return settled.ok ? null : settled.refusal.code;
}

/** Somebody changed the record while we read the file: what it means now is decided anew. */
async function hasMoved({ around }: Queue, { handoff }: Whole): Promise<boolean> {
  const {
    items: [newest],
  } = await around.store.find({ by: 'ids', ids: [handoff.id] });
  return newest?.revision !== handoff.revision;
}
