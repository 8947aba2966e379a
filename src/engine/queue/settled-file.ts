/**
 * Reconciles a settled handoff with its file. The record counts: a file with another result goes to the quarantine with a
 * reason, and the file is written again from the record. A file that a person moved or deleted later is not written again.
 */
import { canonicalJson } from '../../foundation/canonical-json.ts';
import { parseExact } from '../../foundation/exact-json.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { fenceIn, readAnswer, readMessage, hasOutcome, type Message } from '../../formats/queue-message/read.ts';
import { QUEUE_WORDS } from '../../formats/queue-message/vocabulary.ts';
import { endFieldsOf } from '../../formats/queue-message/write.ts';
import type { FileRead } from '../../folders/folder.ts';
import type { QueueFolder } from '../../folders/queue-folder-names.ts';
import type { StoredHandoff } from '../../stores/store.ts';
import { printableFailure } from '../handoffs/failure-text.ts';
import { artifactPathsOf } from './result-file.ts';
import { finish } from './write-queue-file.ts';
import { fileName, LATE, quarantine, UNREADABLE_MS, type StepResult, type Queue } from './queue.ts';
import { isEndedByFile } from './file-text.ts';

type EndPlace = 'completed' | 'failed';

export async function reconcileSettled(
  queue: Queue,
  whole: StoredHandoff,
  places: readonly QueueFolder[],
  hasNewRevision: boolean,
): Promise<StepResult> {
  const { id, state } = whole.handoff;
  const right = QUEUE_WORDS[state].place as EndPlace;
  const other = places.find((place) => place !== right && (place === 'completed' || place === 'failed'));
  if (other !== undefined) {
    if (isUnfinished(await queue.folder.read(other, id))) return 'later';
    return quarantine(
      queue,
      other,
      fileName(id),
      `${LATE}: the handoff is ${state}, and this second end came too late`,
    );
  }
  if (!places.includes(right)) {
    const isNowhere = places.length === 0;
    const isTakenAway = isNowhere && (!hasNewRevision || queue.folder.isArchived(id, whole.handoff.since));
    return isTakenAway ? 'done' : finish(queue, whole, places);
  }
  const file = await queue.folder.read(right, id);
  if (file.kind === 'absent') return 'again';
  if (isUnfinished(file)) return 'later';
  if (isMovedByOther(file, whole, right)) {
    return (await queue.folder.move(id, right, 'in-progress')) ? finish(queue, whole, ['in-progress']) : 'again';
  }
  const wrong = await disagreement(queue, whole, file);
  if (wrong !== null) {
    await quarantine(queue, right, fileName(id), wrong);
    const others = places.filter((place) => place !== right);
    return finish(queue, whole, others);
  }
  for (const place of places.filter((each) => each === 'pending' || each === 'in-progress')) {
    await quarantine(queue, place, fileName(id), `the handoff ${id} is ${state} already; a new one needs a new id`);
  }
  if (places.includes('waiting')) await queue.folder.discard('waiting', id);
  return 'done';
}

/** Whether another program moved the file of our worker to the end folder without writing a result. */
function isMovedByOther(file: FileRead, { handoff }: StoredHandoff, place: EndPlace): boolean {
  const message = file.kind === 'file' ? readMessage(file.text) : null;
  return message?.ok === true && fenceIn(message.value) === handoff.fence && !hasOutcome(message.value, place);
}

function isUnfinished(file: FileRead): boolean {
  return file.kind === 'file' && !readMessage(file.text).ok && file.unchangedMs < UNREADABLE_MS;
}

/** How the finished file differs from the record; null: it does not. */
export async function disagreement(
  queue: Queue,
  whole: StoredHandoff,
  file: Exclude<FileRead, { kind: 'absent' }>,
): Promise<string | null> {
  if (file.kind === 'unfit') return file.says;
  const message = readMessage(file.text);
  if (!message.ok) return 'it can no longer be read; the database has it, and it is written anew';
  const isSame = (await isEndedByFile(queue, whole))
    ? isTakenAnswer(message.value, whole)
    : isOurFinalText(message.value, whole);
  return isSame ? null : `${LATE}: the handoff is ${whole.handoff.state} with another answer, and that one counts`;
}

function isTakenAnswer(message: Message, { handoff, outcome }: StoredHandoff): boolean {
  const taken = outcome === null ? null : (parseExact(outcome) as Outcome);
  const answer = readAnswer(QUEUE_WORDS[handoff.state].place as EndPlace, message);
  if (answer.kind === 'completed') {
    return taken?.kind === 'result' && canonicalJson(taken.result) === canonicalJson(answer.result);
  }
  if (taken?.kind !== 'failure') return false;
  const { code, message: says } = printableFailure(answer.failure);
  return says === taken.message && (code === taken.code || handoff.state !== 'failed');
}

/** Whether the file has the end time of the record and the path of its result, or its error. */
function isOurFinalText(message: Message, whole: StoredHandoff): boolean {
  const { status, endedAt, error, artifactPath } = endFieldsOf(message.fields);
  const words = QUEUE_WORDS[whole.handoff.state];
  if (status !== words.status || endedAt !== whole.handoff.since) return false;
  if (words.status === 'completed') return artifactPath === null || artifactPathsOf(whole).includes(artifactPath);
  const failed = whole.outcome === null ? null : (JSON.parse(whole.outcome) as Outcome);
  return failed?.kind !== 'failure' || error === failed.message;
}
