/**
 * Makes one handoff and its file agree. The database decides, files speak: what a foreign program has done shows in
 * where the file lies, and what one of ours has done shows in the record.
 *
 * Everything here looks first and then acts, so it can be repeated, interrupted and repeated again.
 */
import { countedAttempts, type Custody, type Handoff } from '../../domain/handoff.ts';
import { isFinal, type State } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import { fenceIn, readMessage, retriesIn, saysEnd, type Message } from '../../formats/queue-message/read.ts';
import { folderFor } from '../../formats/queue-message/vocabulary.ts';
import type { FileRead } from '../../folders/folder.ts';
import type { QueueFolder } from '../../folders/queue-folder-names.ts';
import type { Claimed, Whole } from '../../stores/store.ts';
import type { Changed } from '../context.ts';
import { withDependencyResults } from '../handoffs/dependency-results.ts';
import { HAND_LEASE_MS } from '../../domain/deadlines.ts';
import { accept, renew } from '../handoffs/accept.ts';
import { release } from '../handoffs/release.ts';
import { adopt } from './adopt.ts';
import { takeForeignResult } from './foreign-result.ts';
import { setAside } from './id-collision.ts';
import { whyNotTake } from './file-rights.ts';
import type { KnownFile } from './known-files.ts';
import { isNativeId } from './native-id.ts';
import { bringBack, publish, show } from './project-file.ts';
import { byFile, fileName, LATE, quarantine, UNREADABLE_MS, WRITTEN_MS, type Looked, type Queue } from './queue.ts';
import { isFromBefore, isSameRequest, wasLeft } from './same-request.ts';
import { settled } from './settled-file.ts';
import { loadForFile, openText } from './file-text.ts';

/** Adopt, claim, settle, clear away: a handoff needs no more than that, and the next pass goes on. */
const ROUNDS_MAX = 6;

interface Known {
  /** False: only something in the folder has changed, and not the record. */
  readonly isNews?: boolean;
  readonly changed?: Changed | undefined;
}

export async function reconcile(queue: Queue, id: HandoffId, { isNews = true, changed }: Known = {}): Promise<void> {
  const ended = changed === undefined ? null : endedHere(queue, changed);
  await queue.left.during(id, async () => bringToRest(queue, id, isNews, ended));
  for (const kept of queue.kept.splice(0)) await reconcile(queue, kept);
}

/**
 * A new handoff gets its file without being loaded again. The file goes through waiting/ like every other: a worker of
 * ours that accepts the handoff at the same time finds it there, or `show` finds the record changed. Made in pending/ at
 * once, it could be taken by a foreign worker while ours is at work already.
 */
export async function appear(queue: Queue, { handoff, body }: Claimed): Promise<void> {
  const { id, revision } = handoff;
  const act = async (): Promise<KnownFile | null> => {
    const place = folderFor(handoff, queue.ctx.store.nowMs());
    // A file of a foreign id may be there before its handoff; an id of ours is on no other file.
    const isFree = isNativeId(id) || (await queue.folder.whereIs(id)).length === 0;
    const isOnOffer = place === 'pending' || place === 'waiting';
    if (!isOnOffer || !isFree) return bringToRest(queue, id, true);
    const whole = await withDependencyResults(queue.ctx, { handoff, body, outcome: null });
    const looked = await publish(queue, whole);
    return looked === 'done' ? { revision, place } : bringToRest(queue, id, true);
  };
  await queue.left.during(id, act);
}

/** What this process has worked on and ended is at hand, and no longer changes. Null: it has to be loaded. */
function endedHere({ started }: Queue, { handoff, outcome }: Changed): Whole | null {
  const begun = started.get(handoff.id);
  const hasAll = isFinal(handoff.state) && outcome !== undefined && handoff.terms.dependsOn.length === 0;
  return hasAll && begun?.fence === handoff.fence && begun.body !== null
    ? { handoff, body: begun.body, outcome }
    : null;
}

/** Null: there is no record, or more to do than one turn allows. */
async function bringToRest(
  queue: Queue,
  id: HandoffId,
  isNews: boolean,
  ended: Whole | null = null,
): Promise<KnownFile | null> {
  const { store } = queue.ctx;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const whole = (round === 0 ? ended : null) ?? (await loadForFile(queue.ctx, id));
    const looked = await look(queue, id, whole, isNews);
    if (looked === 'again') continue;
    if (looked === 'done') queue.unfinished.delete(id);
    else queue.unfinished.add(id);
    if (whole === null || looked === 'later') return null;
    return { revision: whole.handoff.revision, place: folderFor(whole.handoff, store.nowMs()) };
  }
  queue.unfinished.add(id);
  return null;
}

async function look(queue: Queue, id: HandoffId, whole: Whole | null, isNews: boolean): Promise<Looked> {
  const places = await placesOf(queue, id, whole);
  if (whole === null) return adopt(queue, id, places);
  remember(queue, whole.handoff);
  if (whole.handoff.kind !== 'queue') return 'done';
  if (isFinal(whole.handoff.state)) return settled(queue, whole, places, isNews);
  return OPEN[whole.handoff.state as keyof typeof OPEN](queue, whole, places);
}

/** Whoever has worked on it knows where its file is, and only looks whether somebody has put another one at an end. */
async function placesOf({ folder, left }: Queue, id: HandoffId, whole: Whole | null): Promise<readonly QueueFolder[]> {
  const isWorkedOn = whole !== null && isFinal(whole.handoff.state) && left.placeOf(id) === 'in-progress';
  return isWorkedOn ? ['in-progress', ...(await folder.whereIs(id, ENDS))] : folder.whereIs(id);
}

const ENDS = ['completed', 'failed'] as const;

function remember({ abroad }: Queue, { id, state, custody }: Handoff): void {
  if (state === 'accepted' && custody?.by === 'hand' && custody.file !== undefined) abroad.add(id);
  else abroad.delete(id);
}

type Look = (queue: Queue, whole: Whole, places: readonly QueueFolder[]) => Promise<Looked>;

const OPEN = {
  draft: onOffer,
  offered: onOffer,
  blocked: onOffer,
  accepted: inHands,
  delivered: awaitingVerification,
} as const satisfies Partial<Record<State, Look>>;

async function onOffer(queue: Queue, whole: Whole, places: readonly QueueFolder[]): Promise<Looked> {
  const { handoff } = whole;
  const answered = answerPlace(places);
  if (answered !== null) return takeForeignResult(queue, whole, answered);
  if (places.includes('in-progress')) return pickedUp(queue, whole);
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

/** A file in waiting/ says why it waits, and one in pending/ waits for nothing. */
async function moveOnOffer(queue: Queue, whole: Whole, to: 'pending' | 'waiting'): Promise<boolean> {
  const { folder } = queue;
  const { id } = whole.handoff;
  if (to === 'waiting' && !(await folder.move(id, 'pending', 'waiting'))) return false;
  const file = await folder.read('waiting', id);
  const message = file.kind === 'file' ? readMessage(file.text) : null;
  // Another request that was written over ours is looked at where it lies.
  if (message?.ok === true && isSameRequest(message.value, whole)) await folder.rewrite('waiting', id, openText(whole));
  return to === 'waiting' || (await show(queue, whole)) === 'done';
}

/** While the database says that nobody has it: a foreign worker took it, or it lies there from an attempt that is over. */
async function pickedUp(queue: Queue, whole: Whole): Promise<Looked> {
  const { handoff } = whole;
  const file = await queue.folder.read('in-progress', handoff.id);
  if (file.kind === 'absent') return 'again';
  if (file.kind === 'unfit') return quarantine(queue, 'in-progress', fileName(handoff.id), file.says);
  const message = readMessage(file.text);
  if (!message.ok && file.quietMs < WRITTEN_MS) return 'later';
  const isOver = message.ok
    ? isFromBefore(message.value, countedAttempts(handoff))
    : wasLeft(handoff, file.quietMs, queue);
  if (isOver || handoff.state !== 'offered') return bringBack(queue, whole);
  const unproven = whyNotTake(queue, handoff.to);
  if (unproven !== null) return quarantine(queue, 'in-progress', fileName(handoff.id), unproven);
  const taken = await accept(queue.ctx, byFile(file.user), handoff.id, {
    leaseMs: leaseOf(handoff),
    notes: 'the file is in in-progress/',
  });
  // Not yet to be had: whoever took it has it from an earlier attempt.
  if (!taken.ok && taken.refusal.code === 'too-early') return bringBack(queue, whole);
  return taken.ok ? 'again' : 'done';
}

function leaseOf({ terms }: Handoff): number {
  return terms.attemptTimeoutMs ?? HAND_LEASE_MS;
}

async function inHands(queue: Queue, whole: Whole, places: readonly QueueFolder[]): Promise<Looked> {
  const { id, custody, fence } = whole.handoff;
  const answered = answerPlace(places);
  const isHeld = places.includes('in-progress');
  if (custody?.by !== 'hand' || custody.file === undefined) {
    if (answered !== null) return answeredByOther(queue, whole, answered, places);
    if (isHeld && places.includes('pending')) return setAside(queue, whole, 'pending');
    if (isHeld && places.includes('waiting')) await queue.folder.discard('waiting', id);
    return 'done';
  }
  if (answered !== null) return takeForeignResult(queue, whole, answered);
  if (isHeld) {
    return places.includes('pending') ? setAside(queue, whole, 'pending') : extended(queue, whole.handoff, custody);
  }
  if (!places.includes('pending') || whyNotTake(queue, whole.handoff.to) !== null) return 'done';
  // Whoever moves it back has given it back.
  return (await release(queue.ctx, byFile(custody.file), id, fence)).ok ? 'again' : 'done';
}

/** Touching a file is often done by a timer: what it adds must be worth a fact. */
const WORTH_MS = 250;
const WORTH_SHARE = 10;

/** A foreign worker that touches or rewrites its file has its whole time again from then on. */
async function extended(
  queue: Queue,
  handoff: Handoff,
  { untilAt, file: user }: Extract<Custody, { by: 'hand' }>,
): Promise<Looked> {
  const file = await queue.folder.read('in-progress', handoff.id);
  if (file.kind !== 'file' || untilAt === null || user === undefined) return 'done';
  const leaseMs = leaseOf(handoff);
  const restMs = Math.round(leaseMs - file.quietMs);
  const gainMs = queue.ctx.store.nowMs() + restMs - untilAt;
  if (gainMs < Math.max(WORTH_MS, leaseMs / WORTH_SHARE)) return 'done';
  if (whyNotTake(queue, handoff.to) !== null) return 'done';
  await renew(queue.ctx, byFile(user), handoff.id, handoff.fence, restMs);
  return 'done';
}

/**
 * One of ours holds it, and somebody has moved a file of this name to an end. If it is the file that ours had, the
 * fence inside says so: an answer in it came too late, and without one it is moved back. A file without our fence may
 * be that of a foreign worker who was faster: then ours finds out when it looks for the file itself.
 */
async function answeredByOther(
  queue: Queue,
  whole: Whole,
  answered: 'completed' | 'failed',
  places: readonly QueueFolder[],
): Promise<Looked> {
  const { folder } = queue;
  const { id, fence } = whole.handoff;
  const file = await folder.read(answered, id);
  if (file.kind === 'absent') return 'again';
  const isHeld = places.includes('in-progress');
  const read = endIn(file, answered);
  if (read === 'unfinished') return 'later';
  if (!isHeld && read !== 'unreadable' && fenceIn(read.message) !== fence) return 'later';
  if (!isHeld && read !== 'unreadable' && !read.isSaid) {
    return (await folder.move(id, answered, 'in-progress')) ? 'again' : 'later';
  }
  const says = `${LATE}: one of our workers holds this handoff, and only its result counts`;
  await quarantine(queue, answered, fileName(id), says);
  if (!isHeld) await folder.put('in-progress', id, openText(whole));
  return 'again';
}

type End = 'unfinished' | 'unreadable' | { readonly message: Message; readonly isSaid: boolean };

function endIn(file: Exclude<FileRead, { kind: 'absent' }>, place: 'completed' | 'failed'): End {
  if (file.kind === 'unfit') return 'unreadable';
  const message = readMessage(file.text);
  if (message.ok) return { message: message.value, isSaid: saysEnd(message.value, place) };
  return file.quietMs < UNREADABLE_MS ? 'unfinished' : 'unreadable';
}

/** Until somebody has verified it, it is not completed, wherever its file was moved: waiters look into completed/. */
async function awaitingVerification(queue: Queue, whole: Whole, places: readonly QueueFolder[]): Promise<Looked> {
  const { id } = whole.handoff;
  const answered = answerPlace(places);
  if (answered === null) return 'done';
  if (places.includes('in-progress')) {
    return quarantine(queue, answered, fileName(id), `the handoff ${id} is delivered and waits for its verification`);
  }
  // Whole and in one step: whoever waits finds nothing in completed/ from then on.
  if (!(await queue.folder.move(id, answered, 'in-progress'))) return 'again';
  await queue.folder.rewrite('in-progress', id, openText(whole));
  return 'again';
}

/** Somebody may have written another request over ours: the first one stands, and the other is not lost. */
async function sameRequest(queue: Queue, whole: Whole, place: QueueFolder): Promise<Looked> {
  const { id } = whole.handoff;
  const file = await queue.folder.read(place, id);
  if (file.kind === 'absent') return 'again';
  if (file.kind === 'unfit') return quarantine(queue, place, fileName(id), file.says);
  const message = readMessage(file.text);
  if (!message.ok) {
    if (file.quietMs < WRITTEN_MS) return 'later';
    const says = 'it can no longer be read; the database has it, and it is written anew';
    return quarantine(queue, place, fileName(id), says);
  }
  if (!isSameRequest(message.value, whole)) return setAside(queue, whole, place);
  // An attempt was lost before its file was ever touched. It is taken like a worker takes it, and offered anew.
  const isOld = retriesIn(message.value) < countedAttempts(whole.handoff);
  return isOld ? bringBack(queue, whole, place) : 'done';
}

function answerPlace(places: readonly QueueFolder[]): 'completed' | 'failed' | null {
  return places.includes('completed') ? 'completed' : places.includes('failed') ? 'failed' : null;
}
