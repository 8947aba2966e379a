/**
 * Between the acceptance and the work: the rename out of reach of foreign workers. Whoever lost it to one of them hands
 * the acceptance over in the same breath, so that the record never says that nobody has it.
 */
import type { JsonText } from '../../foundation/json.ts';
import { HAND_LEASE_MS } from '../../domain/deadlines.ts';
import { countedAttempts, type Handoff } from '../../domain/handoff.ts';
import { accept } from '../../domain/moves/accept.ts';
import { giveBack } from '../../domain/moves/release.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import { readMessage, saysNothingOfEnd } from '../../formats/queue-message/read.ts';
import type { FileRead } from '../../folders/folder.ts';
import type { Whole } from '../../stores/store.ts';
import { change, decideBy, inOrder } from '../change.ts';
import { setAside } from './id-collision.ts';
import { whyNotTake } from './file-rights.ts';
import type { KnownFile } from './known-files.ts';
import { byFile, fileName, quarantine, type Queue } from './queue.ts';
import { isFromBefore, isSameRequest, isUntouched } from './same-request.ts';
import { withDependencyResults } from '../handoffs/dependency-results.ts';
import { factsOf } from '../handoffs/read.ts';
import { loadForFile, openText } from './file-text.ts';
import { partOf } from './phase-status.ts';

/** Far less than any lease: within it nobody can have lost what was his. */
const FRESH_MS = 100;

/** `body` is that of the claim; whoever has none at hand lets it be loaded. */
export async function winRename(
  queue: Queue,
  principal: Principal,
  handoff: Handoff,
  body?: JsonText,
): Promise<boolean> {
  const { ctx, left } = queue;
  const { id, fence } = handoff;
  let isWon = false;
  const lookedMs = ctx.clock.monotonicMs();
  // Before our turn, so that nobody waits for us while we wait for the database.
  const early =
    body === undefined
      ? await loadForFile(ctx, id)
      : await withDependencyResults(ctx, { handoff, body, outcome: null });
  const attempt = async (): Promise<KnownFile | null> => {
    const isFresh = ctx.clock.monotonicMs() - lookedMs < FRESH_MS;
    const whole = isFresh ? early : await loadForFile(ctx, id);
    // Lost while we waited for our turn: there is nothing to win.
    if (whole === null || whole.handoff.state !== 'accepted' || whole.handoff.fence !== fence) return null;
    isWon = whole.handoff.kind !== 'queue' || (await take(queue, principal, whole));
    if (isWon) rememberStart(queue, whole);
    return isWon ? { revision: whole.handoff.revision, place: 'in-progress' } : null;
  };
  await left.during(id, attempt);
  return isWon;
}

/** So that the answer need not ask the trail; whoever has more at a time asks it. */
const STARTED_MAX = 2_000;
const BODY_MAX = 16_384;

function rememberStart({ started }: Queue, whole: Whole): void {
  const { id, fence, since } = whole.handoff;
  started.set(id, { fence, at: since, body: whole.body.length > BODY_MAX ? null : whole.body });
  const [oldest] = started.size > STARTED_MAX ? started.keys() : [];
  if (oldest !== undefined) started.delete(oldest);
}

async function take(queue: Queue, principal: Principal, whole: Whole): Promise<boolean> {
  const { folder } = queue;
  const { id, to } = whole.handoff;
  const there = await folder.read('in-progress', id);
  const isLeft = there.kind === 'file' && (await isLeftOver(queue, there, whole.handoff));
  const unproven = whyNotTake(queue, to);
  if (there.kind !== 'absent' && !isLeft) {
    if (unproven === null) return handOver(queue, principal, whole, there);
    await quarantine(queue, 'in-progress', fileName(id), unproven);
  }
  const moved = isLeft || (await moveFromOffer(queue, id));
  const text = openText(whole);
  queue.parts.set(id, partOf(whole));
  const isSame = (old: string): boolean => isLeft || isSameText(old, whole);
  const written = moved ? await folder.rewrite('in-progress', id, text, isSame) : false;
  if (written === 'other') await keepOther(queue, whole);
  if (written !== false) return true;
  // In the order in which files move: what was ahead of us a moment ago is found further on.
  for (const place of ['in-progress', 'completed', 'failed'] as const) {
    const gone = await folder.read(place, id);
    if (gone.kind === 'absent') continue;
    // A worker that was given up has moved it there and never answered: nobody has it.
    if (
      place !== 'in-progress' &&
      gone.kind === 'file' &&
      (await isLeftUnanswered(queue, gone, whole.handoff, place))
    ) {
      // What it had begun to answer is kept; what still says what it was asked is written anew below.
      if (readMessage(gone.text).ok) await folder.move(id, place, 'waiting');
      else await quarantine(queue, place, fileName(id), 'its worker was given up in the middle of its answer');
      continue;
    }
    if (unproven === null) return handOver(queue, principal, whole, gone);
    await quarantine(queue, place, fileName(id), unproven);
  }
  await folder.put('in-progress', id, text);
  // Its sender, in another process, may have made the file a moment ago; nobody else must see it.
  await folder.move(id, 'pending', 'waiting');
  await folder.discard('waiting', id);
  // A foreign worker may have taken that file before it was out of sight, and then it lies over ours.
  const mine = await folder.read('in-progress', id);
  if (mine.kind === 'file' && mine.text === text) return true;
  return unproven === null ? handOver(queue, principal, whole, mine) : true;
}

/** Its sender moves it from waiting/ to pending/, where it mostly is: whoever finds it in neither has just missed it. */
async function moveFromOffer({ folder }: Queue, id: HandoffId): Promise<boolean> {
  for (const place of ['pending', 'waiting', 'pending'] as const) {
    if (await folder.move(id, place, 'in-progress')) return true;
  }
  return false;
}

/** Somebody may have written another request over ours since it was taken in: it is kept, and ours is written anew. */
async function keepOther(queue: Queue, whole: Whole): Promise<void> {
  await setAside(queue, whole, 'in-progress');
  await queue.folder.put('in-progress', whole.handoff.id, openText(whole));
}

/** What cannot be read is no request; the database has ours. */
function isSameText(text: string, whole: Whole): boolean {
  if (isUntouched(text, whole)) return true;
  const message = readMessage(text);
  return !message.ok || isSameRequest(message.value, whole);
}

type PlainFile = Extract<FileRead, { kind: 'file' }>;

/** From an attempt of ours that is over, or of a foreign worker that was given up. */
async function isLeftOver({ ctx }: Queue, file: PlainFile, handoff: Handoff): Promise<boolean> {
  const message = readMessage(file.text);
  if (message.ok) return isFromBefore(message.value, countedAttempts(handoff) - 1);
  // Where nothing can be read, time tells: nobody has written since it was last put on offer.
  if (handoff.attempt < 2) return false;
  const offered = (await factsOf(ctx, handoff.id)).findLast(
    ({ revision, to }) => revision < handoff.revision && to === 'offered',
  );
  return offered !== undefined && file.quietMs > ctx.store.nowMs() - offered.at;
}

async function isLeftUnanswered(
  queue: Queue,
  file: PlainFile,
  handoff: Handoff,
  place: 'completed' | 'failed',
): Promise<boolean> {
  const message = readMessage(file.text);
  const isAnswer = message.ok && !saysNothingOfEnd(message.value, place);
  return !isAnswer && isLeftOver(queue, file, handoff);
}

async function handOver(queue: Queue, principal: Principal, whole: Whole, file: FileRead): Promise<false> {
  const { id, fence, to, terms } = whole.handoff;
  const user = file.kind === 'file' ? file.user : 'unknown';
  const given = decideBy(principal, 'release', (handoff, nowMs) => ({
    deed: 'release',
    moved: giveBack(handoff, fence, nowMs),
    detail: { reason: 'a foreign worker has the file' },
  }));
  const taken = decideBy(byFile(user), 'accept', (handoff, nowMs) => {
    const untilAt = nowMs + (terms.attemptTimeoutMs ?? HAND_LEASE_MS);
    return { deed: 'accept', moved: accept(handoff, { by: 'hand', holder: to, untilAt, file: user }, nowMs) };
  });
  await change(queue.ctx, id, inOrder([given, taken]));
  return false;
}
