/**
 * Puts one handoff and its file of one mind. The database decides, files speak: what a foreign program has done shows in
 * where the file lies, and what one of ours has done shows in the record.
 *
 * Everything here looks first and then acts, so it can be repeated, interrupted and repeated again.
 */
import { countedAttempts, type Handoff } from '../../domain/handoff.ts';
import { isFinal, type State } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import { fenceIn, readMessage, retriesIn, type Message } from '../../dialects/queue-message/read.ts';
import { placeOf, WORDS } from '../../dialects/queue-message/words.ts';
import type { Place } from '../../folders/folder.ts';
import type { Claimed, Whole } from '../../stores/store.ts';
import { HAND_LEASE_MS } from '../../domain/deadlines.ts';
import { accept } from '../verbs/accept.ts';
import { release } from '../verbs/release.ts';
import { adopt } from './adopt.ts';
import { takeAnswer } from './answer.ts';
import { collide } from './collide.ts';
import { whyNotTake } from './file-rights.ts';
import type { Rest } from './left.ts';
import { bringBack, finish, publish } from './project.ts';
import { byFile, fileName, quarantine, WRITTEN_MS, type LookAgain, type Queue } from './queue.ts';
import { openText } from './told.ts';

/** Adopt, claim, settle, clear away: a handoff needs no more than that, and the next pass goes on. */
const ROUNDS_MAX = 6;
export async function attend(queue: Queue, id: HandoffId): Promise<void> {
  const { folder, left } = queue;
  await left.during(id, async () => folder.alone(id, async () => bringToRest(queue, id)));
}

/**
 * Nothing of this name is anywhere, so it is nobody's yet, and its file can come to be without asking the database again:
 * whoever has changed the record since will come for the file, and waits for us to be done.
 */
export async function appear(queue: Queue, { handoff, body }: Claimed): Promise<void> {
  const { folder, left, around } = queue;
  const { id } = handoff;
  const act = async (): Promise<Rest | null> => {
    if (isFinal(handoff.state) || (await folder.whereIs(id)).length > 0) return bringToRest(queue, id);
    const place = placeOf(handoff, around.store.nowMs());
    await folder.put(place, id, openText({ handoff, body, outcome: null }));
    return { revision: handoff.revision, place };
  };
  await left.during(id, async () => folder.alone(id, act));
}

/** Null: there is no record, or more to do than one turn allows. */
async function bringToRest(queue: Queue, id: HandoffId): Promise<Rest | null> {
  const { store } = queue.around;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const whole = await store.load(id);
    if (await look(queue, id, whole)) continue;
    if (whole === null) return null;
    return { revision: whole.handoff.revision, place: placeOf(whole.handoff, store.nowMs()) };
  }
  return null;
}

async function look(queue: Queue, id: HandoffId, whole: Whole | null): Promise<LookAgain> {
  const places = await queue.folder.whereIs(id);
  if (whole === null) return adopt(queue, id, places);
  remember(queue, whole.handoff);
  if (whole.handoff.kind !== 'queue') return false;
  if (isFinal(whole.handoff.state)) return settled(queue, whole, places);
  return OPEN[whole.handoff.state as keyof typeof OPEN](queue, whole, places);
}

function remember({ abroad }: Queue, { id, state, custody }: Handoff): void {
  if (state === 'accepted' && custody?.by === 'hand' && custody.file !== undefined) abroad.add(id);
  else abroad.delete(id);
}

type Look = (queue: Queue, whole: Whole, places: readonly Place[]) => Promise<LookAgain>;

const OPEN = {
  draft: onOffer,
  offered: onOffer,
  blocked: onOffer,
  accepted: inHands,
  delivered: async () => false,
} as const satisfies Partial<Record<State, Look>>;

async function onOffer(queue: Queue, whole: Whole, places: readonly Place[]): Promise<LookAgain> {
  const { handoff } = whole;
  const answered = answerPlace(places);
  if (answered !== null) return takeAnswer(queue, whole, answered);
  if (places.includes('in-progress')) return pickedUp(queue, whole);
  const right = placeOf(handoff, queue.around.store.nowMs());
  const other = right === 'pending' ? 'waiting' : 'pending';
  if (!places.includes(right)) {
    return places.includes(other) ? queue.folder.move(handoff.id, other, right) : publish(queue, whole);
  }
  if (places.includes(other)) {
    if (other === 'waiting') await queue.folder.discard(handoff.id);
    else await queue.folder.move(handoff.id, other, right);
  }
  return sameRequest(queue, whole, right);
}

/** While the database says that nobody has it: a foreign worker took it, or it lies there from an attempt that is over. */
async function pickedUp(queue: Queue, whole: Whole): Promise<LookAgain> {
  const { handoff } = whole;
  const file = await queue.folder.read('in-progress', handoff.id);
  if (file.kind === 'absent') return true;
  if (file.kind === 'unfit') {
    await quarantine(queue, 'in-progress', fileName(handoff.id), file.says);
    return true;
  }
  const message = readMessage(file.text);
  if (!message.ok && file.quietMs < WRITTEN_MS) return false;
  const isOver = message.ok ? isFromBefore(message.value, handoff) : wasLeft(handoff, file.quietMs, queue);
  if (isOver || handoff.state !== 'offered') return bringBack(queue, whole);
  const unproven = whyNotTake(queue, handoff.to);
  if (unproven !== null) {
    await quarantine(queue, 'in-progress', fileName(handoff.id), unproven);
    return true;
  }
  const taken = await accept(queue.around, byFile(file.user), handoff.id, {
    leaseMs: handoff.terms.attemptTimeoutMs ?? HAND_LEASE_MS,
    notes: 'the file is in in-progress/',
  });
  // Not yet to be had: whoever took it has it from an earlier attempt.
  if (!taken.ok && taken.refusal.code === 'too-early') return bringBack(queue, whole);
  return taken.ok;
}

/** Written by a worker of ours, or taken before it was last put on offer. */
function isFromBefore(message: Message, handoff: Handoff): boolean {
  return fenceIn(message) !== null || retriesIn(message) < countedAttempts(handoff);
}

/** Where nothing can be read, time tells: nobody has written since the last attempt was given up. */
function wasLeft({ attempt, since }: Handoff, quietMs: number, { around }: Queue): boolean {
  return attempt > 0 && quietMs > around.store.nowMs() - since;
}

async function inHands(queue: Queue, whole: Whole, places: readonly Place[]): Promise<LookAgain> {
  const { id, custody, fence } = whole.handoff;
  const answered = answerPlace(places);
  if (custody?.by !== 'hand' || custody.file === undefined) {
    // Without a file of its own it has not begun: whoever accepted it will find out that others were faster.
    if (answered !== null && places.includes('in-progress')) {
      const says = 'late_or_unfenced_completion: one of our workers holds this handoff, and only its result counts';
      await quarantine(queue, answered, fileName(id), says);
      return true;
    }
    if (places.includes('in-progress') && places.includes('waiting')) await queue.folder.discard(id);
    return false;
  }
  if (answered !== null) return takeAnswer(queue, whole, answered);
  if (places.includes('in-progress') || !places.includes('pending')) return false;
  if (whyNotTake(queue, whole.handoff.to) !== null) return false;
  // Whoever moves it back has given it back.
  return (await release(queue.around, byFile(custody.file), id, fence)).ok;
}

async function settled(queue: Queue, whole: Whole, places: readonly Place[]): Promise<LookAgain> {
  const { id, state } = whole.handoff;
  const right = WORDS[state].place;
  const late = places.find((place) => place !== right && (place === 'completed' || place === 'failed'));
  if (late !== undefined) {
    await quarantine(queue, late, fileName(id), `the handoff is ${state}; a second end came too late`);
    return true;
  }
  if (!places.includes(right)) return finish(queue, whole, places);
  const file = await queue.folder.read(right, id);
  if (file.kind === 'unfit') {
    await quarantine(queue, right, fileName(id), file.says);
    return true;
  }
  for (const place of places.filter((each) => each === 'pending' || each === 'in-progress')) {
    await quarantine(queue, place, fileName(id), `the handoff ${id} is ${state} already; a new one needs a new id`);
  }
  if (places.includes('waiting')) await queue.folder.discard(id);
  return false;
}

/** Somebody may have written another request over ours: the first one stands, and the other is not lost. */
async function sameRequest(queue: Queue, whole: Whole, place: Place): Promise<LookAgain> {
  const { id } = whole.handoff;
  const file = await queue.folder.read(place, id);
  if (file.kind === 'absent') return true;
  if (file.kind === 'unfit') {
    await quarantine(queue, place, fileName(id), file.says);
    return true;
  }
  const message = readMessage(file.text);
  if (!message.ok) {
    if (file.quietMs < WRITTEN_MS) return false;
    await quarantine(
      queue,
      place,
      fileName(id),
      'it can no longer be read; the database has it, and it is written anew',
    );
    return true;
  }
  if (retriesIn(message.value) < countedAttempts(whole.handoff)) return renewed(queue, whole, place);
  if (isSame(file.text, whole)) return false;
  const kept = await collide(queue, whole, place, { message: message.value, user: file.user });
  if (kept !== null) await attend(queue, kept);
  return true;
}

/** An attempt was lost before its file was ever touched. It is taken like a worker takes it, and offered anew. */
async function renewed(queue: Queue, whole: Whole, place: Place): Promise<LookAgain> {
  return (await queue.folder.move(whole.handoff.id, place, 'in-progress')) ? bringBack(queue, whole) : true;
}

function isSame(text: string, whole: Whole): boolean {
  if (text === openText(whole)) return true;
  const kept = (JSON.parse(whole.body) as { readonly message?: string }).message;
  return text === kept || text === openText(offeredOf(whole));
}

/** Text is made from the state, and a draft or a blocked one is written like one on offer. */
function offeredOf(whole: Whole): Whole {
  const handoff: Handoff = { ...whole.handoff, state: 'offered' };
  return { ...whole, handoff };
}

function answerPlace(places: readonly Place[]): 'completed' | 'failed' | null {
  return places.includes('completed') ? 'completed' : places.includes('failed') ? 'failed' : null;
}
