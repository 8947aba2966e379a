/**
 * Reconciles one document with its record. The last agreed text shows which side has changed since: a file that differs
 * from it was edited by a person or changed by git; a newer revision has to be written into the file.
 *
 * Every step reads first and then acts, so reconciling can be interrupted anywhere and repeated.
 */
import { isFinal } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import { editDocument } from '../../formats/document/edit.ts';
import { readDocument } from '../../formats/document/read.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Agreed, DocumentFolder, DocumentPlace } from '../../folders/folder.ts';
import type { StoredHandoff } from '../../stores/store.ts';
import { adopt } from './adopt.ts';
import {
  ACTIVE,
  recordAgreed,
  factsSince,
  isPaused,
  reportLeft,
  WRITTEN_MS,
  type Documents,
  type FoundDocument,
  type RoundResult,
} from './documents.ts';
import { touchIndex } from './index-file.ts';
import { findRecent, unseenAtHead } from './shared-history.ts';
import { judgeEdit } from './judge-edit.ts';
import { changesOf, renderNew, applyChanges, completeChanges } from './render.ts';
import { settleFile } from './archive-file.ts';
import { matchesRecord } from './legal-change.ts';

/** Enough to adopt, judge, write and archive. If not, the next pass continues. */
const ROUNDS_MAX = 8;
/** The record of an imported document is younger than the document. */
const MONTH_MS = 31 * 24 * 60 * 60 * 1000;

/** Returns false if it is not possible now. `patient`: waits until a file that is being written is complete. */
export async function reconcile(documents: Documents, id: HandoffId, patient: boolean): Promise<boolean> {
  const { folder, insertBarrier: sharedInsert } = documents;
  if (await isPaused(documents)) return false;
  return folder.withLock(id, async () => sharedInsert.join(async () => runRounds(documents, id, patient)));
}

/** Takes in committed texts only: an uncommitted edit is a request, which the next pass handles. */
export async function takeInCommits(documents: Documents, id?: HandoffId): Promise<void> {
  for (const each of id === undefined ? ((await unseenAtHead(documents)) ?? []) : [id]) {
    const { folder } = documents;
    const seen = await findRecent(documents, each);
    if (seen === null || (await folder.agreed.load(each))?.text === seen.file.text) continue;
    if (await folder.git.isCommitted(seen.place, each, seen.file.text)) await reconcile(documents, each, false);
  }
}

async function runRounds(documents: Documents, id: HandoffId, patient: boolean): Promise<boolean> {
  const { ctx, insertBarrier: sharedInsert } = documents;
  for (let count = 0; count < ROUNDS_MAX; count += 1) {
    const round = await runRound(documents, id);
    if (round === 'done') return true;
    if (round === 'later') {
      if (!patient) return false;
      await sharedInsert.pause(async () => ctx.timers.sleep(WRITTEN_MS / 4));
    }
  }
  return false;
}

async function runRound(documents: Documents, id: HandoffId): Promise<RoundResult> {
  const { folder, ctx } = documents;
  const whole = await ctx.store.load(id);
  if (whole !== null && whole.handoff.kind !== 'document') return 'done';
  const agreed = await folder.agreed.load(id);
  const place = await placeOf(documents, id, (whole?.handoff.createdAt ?? ctx.store.nowMs()) - MONTH_MS);
  if (place === null) return whole === null ? 'done' : reconcileMissing(documents, whole, agreed);
  const file = await folder.read(place, id);
  if (file.kind === 'absent') return 'again';
  if (file.kind === 'unfit') return reportLeft(documents, id, file.says);
  if (whole === null) return adopt(documents, id, { place, file });
  const found = { documents, whole, agreed, place, file };
  return agreed === null || file.text !== agreed.text ? judgeEdit(found) : reconcileUnedited(found, agreed);
}

/**
 * If a document is in several places, the one that git had first counts. The others are our copies that a pull left behind
 * and that may have been committed since. The text of a removed copy is kept in the private folder.
 */
async function placeOf(documents: Documents, id: HandoffId, sinceMs: number): Promise<DocumentPlace | null> {
  const { folder, asked } = documents;
  const places = await folder.findAll(id, sinceMs);
  if (places.length < 2) return places[0] ?? null;
  const counts = await firstInGit(folder, id, places);
  if (counts === null) return places[0] ?? null;
  for (const place of places) {
    const isTracked = await folder.git.has(place, id);
    const file = place === counts || (isTracked && !asked) ? null : await folder.read(place, id);
    if (file?.kind !== 'file') continue;
    await folder.keepRefused(id, file.text);
    await folder.discard(place, id);
    await touchIndex(documents);
  }
  return counts;
}

/** Null: git has the document in none of these places. */
async function firstInGit(
  folder: DocumentFolder,
  id: HandoffId,
  places: readonly DocumentPlace[],
): Promise<DocumentPlace | null> {
  let first: { readonly place: DocumentPlace; readonly commit: string } | null = null;
  for (const place of places) {
    const commit = (await folder.git.has(place, id)) ? await folder.git.lastChangeAt(place, id) : null;
    if (commit === null) continue;
    if (first === null || (commit !== first.commit && (await folder.git.isAncestor(commit, first.commit)))) {
      first = { place, commit };
    }
  }
  return first?.place ?? null;
}

/** The file is unchanged: writes the newer changes of the record, usually none. */
async function reconcileUnedited(found: FoundDocument, agreed: Agreed): Promise<RoundResult> {
  const { documents, whole, place, file } = found;
  const { ctx, folder, asked } = documents;
  const { id, state, revision } = whole.handoff;
  const head = await folder.git.head();
  const isWrittenHere = place === ACTIVE && !isFinal(state) && agreed.revision === revision;
  const isCommittedWhole = agreed.committed === agreed.revision;
  if (isWrittenHere && agreed.head === head && (isCommittedWhole || !asked)) return 'done';
  const isCommitted = head !== null && (await folder.git.isCommitted(place, id, file.text));
  // The user has committed our text.
  if (
    isWrittenHere &&
    isCommitted &&
    !isCommittedWhole &&
    matchesRecord(ctx.rules, whole, readDocument(file.text).fields)
  ) {
    await recordAgreed(documents, id, file.text, revision, agreed, true);
    return 'done';
  }
  // Our text was removed from the file, and it is in no commit.
  if (asked && isCommitted && agreed.committed < agreed.revision) {
    await recordAgreed(documents, id, agreed.text, agreed.committed, agreed, true);
    return 'again';
  }
  const facts = await factsSince(documents, id, agreed.revision, revision);
  if (isCommitted && isOnlyExpiry(documents, facts)) return 'done';
  const changes = completeChanges(readDocument(agreed.text).all, changesOf(facts, whole));
  return settleFile(found, whole.handoff, applyChanges(agreed.text, changes));
}

/** Whether the document only expired, and the user did not request a sync. */
function isOnlyExpiry({ asked }: Documents, facts: readonly Fact[]): boolean {
  return !asked && facts.length > 0 && facts.every(({ deed, by }) => deed === 'expire' && by === 'system');
}

/**
 * The document has no file. If another branch is checked out, that is normal. The file is written again if only the file
 * was removed, or if the record has changed.
 */
async function reconcileMissing(
  documents: Documents,
  whole: StoredHandoff,
  agreed: Agreed | null,
): Promise<RoundResult> {
  const { folder, ctx } = documents;
  const { handoff } = whole;
  const { id, state, revision } = handoff;
  if (handoff.blockedOn?.reason === 'place') return 'done';
  if (agreed === null) {
    if (isFinal(state)) return 'done';
    const round = await writeFile(documents, id, await renderNew(documents, whole), revision, null);
    if (handoff.lineage.retryOf !== null) await linkReplaced(documents, handoff.lineage.retryOf, id);
    return round;
  }
  const facts = await factsSince(documents, id, agreed.revision, revision);
  if (facts.length > 0 && isOnlyExpiry(documents, facts)) return 'done';
  if (facts.length > 0) return writeFile(documents, id, agreed.text, agreed.revision, agreed);
  const head = await folder.git.head();
  const isGone =
    (await folder.git.has(ACTIVE, id)) ||
    (head === agreed.head && (head === null || !(await folder.git.isAnywhere(id))));
  if (!isGone) return 'done';
  ctx.report({ kind: 'document-refused', id, says: 'a file is not deleted by hand; it is there again' });
  return writeFile(documents, id, agreed.text, agreed.revision, agreed);
}

async function writeFile(
  documents: Documents,
  id: HandoffId,
  text: string,
  revision: number,
  before: Agreed | null,
): Promise<RoundResult> {
  // The agreed text first: a file without one would count as written by someone else.
  await recordAgreed(documents, id, text, revision, before, false);
  await documents.folder.put(id, text);
  await touchIndex(documents);
  return 'again';
}

/** Writes the id of the replacement into the archived document. */
async function linkReplaced({ folder }: Documents, old: HandoffId, id: HandoffId): Promise<void> {
  const place = await folder.find(old, 0);
  const file = place === null || place === ACTIVE ? null : await folder.read(place, old);
  if (
    place === null ||
    file?.kind !== 'file' ||
    readDocument(file.text).problems.some(({ code }) => code !== 'E_SCHEMA')
  )
    return;
  await folder.replace(place, old, editDocument(file.text, { replaced_by: id }), file.stamp);
}
