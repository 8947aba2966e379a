/**
 * After an acceptance and before the work: renames the file out of reach of foreign workers. If a foreign worker was
 * faster, the acceptance is transferred to it in one transaction, so that the record always has a holder.
 */
import type { JsonText } from '../../foundation/json.ts';
import { MANUAL_LEASE_MS } from '../../domain/deadlines.ts';
import { countedAttempts, type Handoff } from '../../domain/handoff.ts';
import { accept } from '../../domain/moves/accept.ts';
import { giveBack } from '../../domain/moves/release.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import { readMessage, lacksOutcome } from '../../formats/queue-message/read.ts';
import type { FileRead } from '../../folders/folder.ts';
import type { StoredHandoff } from '../../stores/store.ts';
import { change, decideBy, inOrder } from '../change.ts';
import { setAsideDuplicate } from './id-collision.ts';
import { whyNotTake } from './file-rights.ts';
import type { KnownFile } from './known-files.ts';
import { byFile, fileName, quarantine, type Queue } from './queue.ts';
import { isFromBefore, isSameRequest, isUntouched } from './same-request.ts';
import { withDependencyResults } from '../handoffs/dependency-results.ts';
import { factsOf } from '../handoffs/read.ts';
import { loadForFile, openText } from './file-text.ts';
import { partOf } from './phase-status.ts';

/** Much shorter than any lease, so the acceptance cannot be lost within it. */
const FRESH_MS = 100;

/** `body` of the claim, if the caller has it; otherwise it is loaded. */
export async function winRename(
  queue: Queue,
  principal: Principal,
  handoff: Handoff,
  body?: JsonText,
): Promise<boolean> {
  const { ctx, knownFiles: left } = queue;
  const { id, fence } = handoff;
  let isWon = false;
  const loadedMs = ctx.clock.monotonicMs();
  // Loaded before `runExclusive`, so that other callers do not wait for the database.
  const early =
    body === undefined
      ? await loadForFile(ctx, id)
      : await withDependencyResults(ctx, { handoff, body, outcome: null });
  const attempt = async (): Promise<KnownFile | null> => {
    const isFresh = ctx.clock.monotonicMs() - loadedMs < FRESH_MS;
    const whole = isFresh ? early : await loadForFile(ctx, id);
    // The acceptance was lost while we waited.
    if (whole === null || whole.handoff.state !== 'accepted' || whole.handoff.fence !== fence) return null;
    isWon = whole.handoff.kind !== 'queue' || (await take(queue, principal, whole));
    if (isWon) rememberStart(queue, whole);
    return isWon ? { revision: whole.handoff.revision, place: 'in-progress' } : null;
  };
  await left.runExclusive(id, attempt);
  return isWon;
}

/** Limits of the cache that saves a read of the trail when the handoff is settled. */
const STARTED_MAX = 2_000;
const BODY_MAX = 16_384;

function rememberStart({ started }: Queue, whole: StoredHandoff): void {
  const { id, fence, since } = whole.handoff;
  started.set(id, { fence, at: since, body: whole.body.length > BODY_MAX ? null : whole.body });
  const [oldest] = started.size > STARTED_MAX ? started.keys() : [];
  if (oldest !== undefined) started.delete(oldest);
}

async function take(queue: Queue, principal: Principal, whole: StoredHandoff): Promise<boolean> {
  const { folder } = queue;
  const { id, to } = whole.handoff;
  const existing = await folder.read('in-progress', id);
  const isLeft = existing.kind === 'file' && (await isLeftOver(queue, existing, whole.handoff));
  const unproven = whyNotTake(queue, to);
  if (existing.kind !== 'absent' && !isLeft) {
    if (unproven === null) return transferToFile(queue, principal, whole, existing);
    await quarantine(queue, 'in-progress', fileName(id), unproven);
  }
  const moved = isLeft || (await moveFromOffer(queue, id));
  const text = openText(whole);
  queue.parts.set(id, partOf(whole));
  const isSame = (old: string): boolean => isLeft || isSameText(old, whole);
  const written = moved ? await folder.rewrite('in-progress', id, text, isSame) : false;
  if (written === 'other') await keepOverwriting(queue, whole);
  if (written !== false) return true;
  // In the order in which files move, so that a file that moves on meanwhile is found.
  for (const place of ['in-progress', 'completed', 'failed'] as const) {
    const found = await folder.read(place, id);
    if (found.kind === 'absent') continue;
    // An abandoned foreign worker moved it there without a result: nobody has it.
    if (
      place !== 'in-progress' &&
      found.kind === 'file' &&
      (await isLeftUnanswered(queue, found, whole.handoff, place))
    ) {
      // A partial result goes to the quarantine; a file with only the request is written again below.
      if (readMessage(found.text).ok) await folder.move(id, place, 'waiting');
      else await quarantine(queue, place, fileName(id), 'its worker was given up in the middle of its answer');
      continue;
    }
    if (unproven === null) return transferToFile(queue, principal, whole, found);
    await quarantine(queue, place, fileName(id), unproven);
  }
  await folder.put('in-progress', id, text);
  // The sending process may have made the file visible a moment ago; no foreign worker must see it.
  await folder.move(id, 'pending', 'waiting');
  await folder.discard('waiting', id);
  // A foreign worker may have taken that file before we moved it, and then it has replaced ours.
  const own = await folder.read('in-progress', id);
  if (own.kind === 'file' && own.text === text) return true;
  return unproven === null ? transferToFile(queue, principal, whole, own) : true;
}

/** The sender moves the file from waiting/ to pending/, so pending/ is tried again after waiting/. */
async function moveFromOffer({ folder }: Queue, id: HandoffId): Promise<boolean> {
  for (const place of ['pending', 'waiting', 'pending'] as const) {
    if (await folder.move(id, place, 'in-progress')) return true;
  }
  return false;
}

/** Keeps a request that has overwritten ours, and writes ours again. */
async function keepOverwriting(queue: Queue, whole: StoredHandoff): Promise<void> {
  await setAsideDuplicate(queue, whole, 'in-progress');
  await queue.folder.put('in-progress', whole.handoff.id, openText(whole));
}

/** An unreadable text counts as the same, because the database has the request. */
function isSameText(text: string, whole: StoredHandoff): boolean {
  if (isUntouched(text, whole)) return true;
  const message = readMessage(text);
  return !message.ok || isSameRequest(message.value, whole);
}

type PlainFile = Extract<FileRead, { kind: 'file' }>;

/** Whether the file is from an ended attempt of a Baton worker or of a foreign one. */
async function isLeftOver({ ctx }: Queue, file: PlainFile, handoff: Handoff): Promise<boolean> {
  const message = readMessage(file.text);
  if (message.ok) return isFromBefore(message.value, countedAttempts(handoff) - 1);
  // An unreadable file: it was not written since the handoff was last offered.
  if (handoff.attempt < 2) return false;
  const offered = (await factsOf(ctx, handoff.id)).findLast(
    ({ revision, to }) => revision < handoff.revision && to === 'offered',
  );
  return offered !== undefined && file.unchangedMs > ctx.store.nowMs() - offered.at;
}

async function isLeftUnanswered(
  queue: Queue,
  file: PlainFile,
  handoff: Handoff,
  place: 'completed' | 'failed',
): Promise<boolean> {
  const message = readMessage(file.text);
  const isAnswer = message.ok && !lacksOutcome(message.value, place);
  return !isAnswer && isLeftOver(queue, file, handoff);
}

async function transferToFile(
  queue: Queue,
  principal: Principal,
  whole: StoredHandoff,
  file: FileRead,
): Promise<false> {
  const { id, fence, to, terms } = whole.handoff;
  const user = file.kind === 'file' ? file.user : 'unknown';
  const given = decideBy(principal, 'release', (handoff, nowMs) => ({
    deed: 'release',
    moved: giveBack(handoff, fence, nowMs),
    detail: { reason: 'a foreign worker has the file' },
  }));
  const taken = decideBy(byFile(user), 'accept', (handoff, nowMs) => {
    const untilAt = nowMs + (terms.attemptTimeoutMs ?? MANUAL_LEASE_MS);
    return { deed: 'accept', moved: accept(handoff, { by: 'hand', holder: to, untilAt, file: user }, nowMs) };
  });
  await change(queue.ctx, id, inOrder([given, taken]));
  return false;
}
