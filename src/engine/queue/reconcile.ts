/**
 * Reconciles one handoff with its file. The database decides; files report. The place of the file shows what foreign
 * programs did, and the record shows what Baton did.
 *
 * Every step reads first and then acts, so reconciling can be interrupted anywhere and repeated.
 */
import { countedAttempts, type Custody, type Handoff } from '../../domain/handoff.ts';
import { isFinal, type State } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import { fenceIn, readMessage, retriesIn, hasOutcome, type Message } from '../../formats/queue-message/read.ts';
import { folderFor } from '../../formats/queue-message/vocabulary.ts';
import type { FileRead } from '../../folders/folder.ts';
import type { QueueFolder } from '../../folders/queue-folder-names.ts';
import type { Claimed, StoredHandoff } from '../../stores/store.ts';
import type { Changed } from '../context.ts';
import { withDependencyResults } from '../handoffs/dependency-results.ts';
import { MANUAL_LEASE_MS } from '../../domain/deadlines.ts';
import { accept, renew } from '../handoffs/accept.ts';
import { release } from '../handoffs/release.ts';
import { adopt } from './adopt.ts';
import { takeForeignResult } from './foreign-result.ts';
import { setAsideDuplicate } from './id-collision.ts';
import { whyNotTake } from './file-rights.ts';
import type { KnownFile } from './known-files.ts';
import { isNativeId } from './native-id.ts';
import { offerAgain, publish, makeVisible } from './write-queue-file.ts';
import { byFile, fileName, LATE, quarantine, UNREADABLE_MS, WRITTEN_MS, type StepResult, type Queue } from './queue.ts';
import { isFromBefore, isSameRequest, isAbandoned } from './same-request.ts';
import { reconcileSettled } from './settled-file.ts';
import { loadForFile, openText } from './file-text.ts';

/** Enough to adopt, claim, settle and clean up. If not, the next pass continues. */
const ROUNDS_MAX = 6;

interface ReconcileHints {
  /** False: only the folder has changed, not the record. */
  readonly hasNewRevision?: boolean;
  readonly changed?: Changed | undefined;
}

export async function reconcile(
  queue: Queue,
  id: HandoffId,
  { hasNewRevision = true, changed }: ReconcileHints = {},
): Promise<void> {
  const ended = changed === undefined ? null : endedHere(queue, changed);
  await queue.knownFiles.runExclusive(id, async () => runRounds(queue, id, hasNewRevision, ended));
  for (const kept of queue.kept.splice(0)) await reconcile(queue, kept);
}

/**
 * Writes the file of a new handoff without loading the handoff again. The file goes through waiting/ like every other: a
 * Baton worker that accepts the handoff at the same time finds it there, or `makeVisible` finds the record changed. Written
 * directly into pending/, it could be taken by a foreign worker while ours is already working.
 */
export async function addFile(queue: Queue, { handoff, body }: Claimed): Promise<void> {
  const { id, revision } = handoff;
  const act = async (): Promise<KnownFile | null> => {
    const place = folderFor(handoff, queue.ctx.store.nowMs());
    // A file with a foreign id may exist before its handoff. No other file has a generated id.
    const isFree = isNativeId(id) || (await queue.folder.whereIs(id)).length === 0;
    const isOnOffer = place === 'pending' || place === 'waiting';
    if (!isOnOffer || !isFree) return runRounds(queue, id, true);
    const whole = await withDependencyResults(queue.ctx, { handoff, body, outcome: null });
    const result = await publish(queue, whole);
    return result === 'done' ? { revision, place } : runRounds(queue, id, true);
  };
  await queue.knownFiles.runExclusive(id, act);
}

/** A handoff that this process worked on and settled need not be loaded. Null: it has to be loaded. */
function endedHere({ started }: Queue, { handoff, outcome }: Changed): StoredHandoff | null {
  const begun = started.get(handoff.id);
  const hasAll = isFinal(handoff.state) && outcome !== undefined && handoff.terms.dependsOn.length === 0;
  return hasAll && begun?.fence === handoff.fence && begun.body !== null
    ? { handoff, body: begun.body, outcome }
    : null;
}

/** Null: there is no record, or the file is not in order yet. */
async function runRounds(
  queue: Queue,
  id: HandoffId,
  hasNewRevision: boolean,
  ended: StoredHandoff | null = null,
): Promise<KnownFile | null> {
  const { store } = queue.ctx;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const whole = (round === 0 ? ended : null) ?? (await loadForFile(queue.ctx, id));
    const result = await runStep(queue, id, whole, hasNewRevision);
    if (result === 'again') continue;
    if (result === 'done') queue.unfinished.delete(id);
    else queue.unfinished.add(id);
    if (whole === null || result === 'later') return null;
    return { revision: whole.handoff.revision, place: folderFor(whole.handoff, store.nowMs()) };
  }
  queue.unfinished.add(id);
  return null;
}

async function runStep(
  queue: Queue,
  id: HandoffId,
  whole: StoredHandoff | null,
  hasNewRevision: boolean,
): Promise<StepResult> {
  const places = await placesOf(queue, id, whole);
  if (whole === null) return adopt(queue, id, places);
  remember(queue, whole.handoff);
  if (whole.handoff.kind !== 'queue') return 'done';
  if (isFinal(whole.handoff.state)) return reconcileSettled(queue, whole, places, hasNewRevision);
  return OPEN[whole.handoff.state as keyof typeof OPEN](queue, whole, places);
}

/** If this process worked on it, the file is in in-progress/, and only the end folders have to be checked. */
async function placesOf(
  { folder, knownFiles: left }: Queue,
  id: HandoffId,
  whole: StoredHandoff | null,
): Promise<readonly QueueFolder[]> {
  const isWorkedOn = whole !== null && isFinal(whole.handoff.state) && left.placeOf(id) === 'in-progress';
  return isWorkedOn ? ['in-progress', ...(await folder.whereIs(id, ENDS))] : folder.whereIs(id);
}

const ENDS = ['completed', 'failed'] as const;

function remember({ heldByFile: abroad }: Queue, { id, state, custody }: Handoff): void {
  if (state === 'accepted' && custody?.by === 'hand' && custody.file !== undefined) abroad.add(id);
  else abroad.delete(id);
}

type StateHandler = (queue: Queue, whole: StoredHandoff, places: readonly QueueFolder[]) => Promise<StepResult>;

const OPEN = {
  draft: reconcileOffered,
  offered: reconcileOffered,
  blocked: reconcileOffered,
  accepted: reconcileAccepted,
  delivered: reconcileDelivered,
} as const satisfies Partial<Record<State, StateHandler>>;

async function reconcileOffered(
  queue: Queue,
  whole: StoredHandoff,
  places: readonly QueueFolder[],
): Promise<StepResult> {
  const { handoff } = whole;
  const answered = answerPlace(places);
  if (answered !== null) return takeForeignResult(queue, whole, answered);
  if (places.includes('in-progress')) return takenByFile(queue, whole);
  const right = folderFor(handoff, queue.ctx.store.nowMs()) === 'pending' ? 'pending' : 'waiting';
  const other = right === 'pending' ? 'waiting' : 'pending';
  if (!places.includes(right)) {
    if (!places.includes(other)) return publish(queue, whole);
    return (await moveOnOffer(queue, whole, right)) ? 'again' : 'done';
  }
  if (places.includes(other)) {
    if (other === 'waiting') await queue.folder.discard('waiting', handoff.id);
    else await queue.folder.move(handoff.id, other, right);
  }
  return sameRequest(queue, whole, right);
}

/** Moves the file between waiting/ and pending/. A file in waiting/ says why it waits. */
async function moveOnOffer(queue: Queue, whole: StoredHandoff, to: 'pending' | 'waiting'): Promise<boolean> {
  const { folder } = queue;
  const { id } = whole.handoff;
  if (to === 'waiting' && !(await folder.move(id, 'pending', 'waiting'))) return false;
  const file = await folder.read('waiting', id);
  const message = file.kind === 'file' ? readMessage(file.text) : null;
  // If another request has overwritten ours, a later step handles it.
  if (message?.ok === true && isSameRequest(message.value, whole)) await folder.rewrite('waiting', id, openText(whole));
  return to === 'waiting' || (await makeVisible(queue, whole)) === 'done';
}

/** The file is in in-progress/ although nobody holds the handoff: a foreign worker took it, or it is from an ended attempt. */
async function takenByFile(queue: Queue, whole: StoredHandoff): Promise<StepResult> {
  const { handoff } = whole;
  const file = await queue.folder.read('in-progress', handoff.id);
  if (file.kind === 'absent') return 'again';
  if (file.kind === 'unfit') return quarantine(queue, 'in-progress', fileName(handoff.id), file.says);
  const message = readMessage(file.text);
  if (!message.ok && file.unchangedMs < WRITTEN_MS) return 'later';
  const isOver = message.ok
    ? isFromBefore(message.value, countedAttempts(handoff))
    : isAbandoned(handoff, file.unchangedMs, queue);
  if (isOver || handoff.state !== 'offered') return offerAgain(queue, whole);
  const unproven = whyNotTake(queue, handoff.to);
  if (unproven !== null) return quarantine(queue, 'in-progress', fileName(handoff.id), unproven);
  const taken = await accept(queue.ctx, byFile(file.user), handoff.id, {
    leaseMs: leaseOf(handoff),
    notes: 'the file is in in-progress/',
  });
  // It cannot be accepted yet, so the file is from an earlier attempt.
  if (!taken.ok && taken.refusal.code === 'too-early') return offerAgain(queue, whole);
  return taken.ok ? 'again' : 'done';
}

function leaseOf({ terms }: Handoff): number {
  return terms.attemptTimeoutMs ?? MANUAL_LEASE_MS;
}

async function reconcileAccepted(
  queue: Queue,
  whole: StoredHandoff,
  places: readonly QueueFolder[],
): Promise<StepResult> {
  const { id, custody, fence } = whole.handoff;
  const answered = answerPlace(places);
  const isHeld = places.includes('in-progress');
  if (custody?.by !== 'hand' || custody.file === undefined) {
    if (answered !== null) return answeredByOther(queue, whole, answered, places);
    if (isHeld && places.includes('pending')) return setAsideDuplicate(queue, whole, 'pending');
    if (isHeld && places.includes('waiting')) await queue.folder.discard('waiting', id);
    return 'done';
  }
  if (answered !== null) return takeForeignResult(queue, whole, answered);
  if (isHeld) {
    return places.includes('pending')
      ? setAsideDuplicate(queue, whole, 'pending')
      : extendLease(queue, whole.handoff, custody);
  }
  if (!places.includes('pending') || whyNotTake(queue, whole.handoff.to) !== null) return 'done';
  // A foreign worker that moves the file back releases the handoff.
  return (await release(queue.ctx, byFile(custody.file), id, fence)).ok ? 'again' : 'done';
}

/** A renewal writes a fact, and timers may touch a file often, so small extensions are ignored. */
const RENEW_MIN_MS = 250;
const RENEW_SHARE = 10;

/** A foreign worker that touches or rewrites its file renews its lease. */
async function extendLease(
  queue: Queue,
  handoff: Handoff,
  { untilAt, file: user }: Extract<Custody, { by: 'hand' }>,
): Promise<StepResult> {
  const file = await queue.folder.read('in-progress', handoff.id);
  if (file.kind !== 'file' || untilAt === null || user === undefined) return 'done';
  const leaseMs = leaseOf(handoff);
  const restMs = Math.round(leaseMs - file.unchangedMs);
  const gainMs = queue.ctx.store.nowMs() + restMs - untilAt;
  if (gainMs < Math.max(RENEW_MIN_MS, leaseMs / RENEW_SHARE)) return 'done';
  if (whyNotTake(queue, handoff.to) !== null) return 'done';
  await renew(queue.ctx, byFile(user), handoff.id, handoff.fence, restMs);
  return 'done';
}

/**
 * A Baton worker holds the handoff, and another program has moved a file of this name to an end folder. If the file
 * contains our fence, it is the file of our worker: a result in it came too late, and without a result it is moved back. A
 * file without our fence may be that of a foreign worker that was faster, which our worker notices itself.
 */
async function answeredByOther(
  queue: Queue,
  whole: StoredHandoff,
  answered: 'completed' | 'failed',
  places: readonly QueueFolder[],
): Promise<StepResult> {
  const { folder } = queue;
  const { id, fence } = whole.handoff;
  const file = await folder.read(answered, id);
  if (file.kind === 'absent') return 'again';
  const isHeld = places.includes('in-progress');
  const read = readOutcome(file, answered);
  if (read === 'unfinished') return 'later';
  if (!isHeld && read !== 'unreadable' && fenceIn(read.message) !== fence) return 'later';
  if (!isHeld && read !== 'unreadable' && !read.isComplete) {
    return (await folder.move(id, answered, 'in-progress')) ? 'again' : 'later';
  }
  const says = `${LATE}: one of our workers holds this handoff, and only its result counts`;
  await quarantine(queue, answered, fileName(id), says);
  if (!isHeld) await folder.put('in-progress', id, openText(whole));
  return 'again';
}

type ReadOutcome = 'unfinished' | 'unreadable' | { readonly message: Message; readonly isComplete: boolean };

function readOutcome(file: Exclude<FileRead, { kind: 'absent' }>, place: 'completed' | 'failed'): ReadOutcome {
  if (file.kind === 'unfit') return 'unreadable';
  const message = readMessage(file.text);
  if (message.ok) return { message: message.value, isComplete: hasOutcome(message.value, place) };
  return file.unchangedMs < UNREADABLE_MS ? 'unfinished' : 'unreadable';
}

/** A delivered handoff is not completed before its verification, so its file must not be in completed/. */
async function reconcileDelivered(
  queue: Queue,
  whole: StoredHandoff,
  places: readonly QueueFolder[],
): Promise<StepResult> {
  const { id } = whole.handoff;
  const answered = answerPlace(places);
  if (answered === null) return 'done';
  if (places.includes('in-progress')) {
    return quarantine(queue, answered, fileName(id), `the handoff ${id} is delivered and waits for its verification`);
  }
  // One rename, so that waiting programs no longer find the file in completed/.
  if (!(await queue.folder.move(id, answered, 'in-progress'))) return 'again';
  await queue.folder.rewrite('in-progress', id, openText(whole));
  return 'again';
}

/** Checks that the file still asks for the same. Another request that overwrote it is kept under a new id. */
async function sameRequest(queue: Queue, whole: StoredHandoff, place: QueueFolder): Promise<StepResult> {
  const { id } = whole.handoff;
  const file = await queue.folder.read(place, id);
  if (file.kind === 'absent') return 'again';
  if (file.kind === 'unfit') return quarantine(queue, place, fileName(id), file.says);
  const message = readMessage(file.text);
  if (!message.ok) {
    if (file.unchangedMs < WRITTEN_MS) return 'later';
    const says = 'it can no longer be read; the database has it, and it is written anew';
    return quarantine(queue, place, fileName(id), says);
  }
  if (!isSameRequest(message.value, whole)) return setAsideDuplicate(queue, whole, place);
  // An attempt was lost before its file was touched: the retry count in the file is too low.
  const isOld = retriesIn(message.value) < countedAttempts(whole.handoff);
  return isOld ? offerAgain(queue, whole, place) : 'done';
}

function answerPlace(places: readonly QueueFolder[]): 'completed' | 'failed' | null {
  return places.includes('completed') ? 'completed' : places.includes('failed') ? 'failed' : null;
}
