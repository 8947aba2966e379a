/**
 * Reconciles one document with its record. The text that both sides agreed on last shows which side has changed since: a
 * file that differs from it was written by a person or brought by git; a newer revision has to be written into the file.
 *
 * Every step reads first and then acts, so reconciling can be interrupted anywhere and repeated.
 */
import { isFinal } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import { editDocument } from '../../formats/document/edit.ts';
import { readDocument } from '../../formats/document/read.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Agreed, DocumentFolder, DocumentPlace } from '../../folders/folder.ts';
import type { Whole } from '../../stores/store.ts';
import { adopt } from './adopt.ts';
import {
  ACTIVE,
  agree,
  factsSince,
  isPaused,
  leave,
  WRITTEN_MS,
  type Documents,
  type FoundDocument,
  type Round,
} from './documents.ts';
import { touchIndex } from './index-file.ts';
import { findRecent, newsAtHead } from './shared-history.ts';
import { judgeEdit } from './judge-edit.ts';
import { changesOf, renderNew, retold, toldIn } from './render.ts';
import { settleFile } from './archive-file.ts';
import { tellsAll } from './legal-change.ts';

/** Adopting, judging, writing and archiving take fewer rounds than this; the next pass goes on. */
const ROUNDS_MAX = 8;
/** The record of an imported document is younger than the document. */
const MONTH_MS = 31 * 24 * 60 * 60 * 1000;

/** False: not possible now. `patient`: waits until a file that is being written is complete. */
export async function reconcile(documents: Documents, id: HandoffId, patient: boolean): Promise<boolean> {
  const { folder, sharedInsert } = documents;
  if (await isPaused(documents)) return false;
  return folder.alone(id, async () => sharedInsert.inside(async () => runRounds(documents, id, patient)));
}

/** Takes in committed texts only: an uncommitted edit is a request, which the next pass handles. */
export async function takeInNews(documents: Documents, id?: HandoffId): Promise<void> {
  for (const each of id === undefined ? ((await newsAtHead(documents)) ?? []) : [id]) {
    const { folder } = documents;
    const seen = await findRecent(documents, each);
    if (seen === null || (await folder.agreed.load(each))?.text === seen.file.text) continue;
    if (await folder.git.isCommitted(seen.place, each, seen.file.text)) await reconcile(documents, each, false);
  }
}

async function runRounds(documents: Documents, id: HandoffId, patient: boolean): Promise<boolean> {
  const { ctx, sharedInsert } = documents;
  for (let count = 0; count < ROUNDS_MAX; count += 1) {
    const round = await runRound(documents, id);
    if (round === 'done') return true;
    if (round === 'later') {
      if (!patient) return false;
      await sharedInsert.away(async () => ctx.timers.sleep(WRITTEN_MS / 4));
    }
  }
  return false;
}

async function runRound(documents: Documents, id: HandoffId): Promise<Round> {
  const { folder, ctx } = documents;
  const whole = await ctx.store.load(id);
  if (whole !== null && whole.handoff.kind !== 'document') return 'done';
  const agreed = await folder.agreed.load(id);
  const place = await placeOf(documents, id, (whole?.handoff.createdAt ?? ctx.store.nowMs()) - MONTH_MS);
  if (place === null) return whole === null ? 'done' : absent(documents, whole, agreed);
  const file = await folder.read(place, id);
  if (file.kind === 'absent') return 'again';
  if (file.kind === 'unfit') return leave(documents, id, file.says);
  if (whole === null) return adopt(documents, id, { place, file });
  const found = { documents, whole, agreed, place, file };
  return agreed === null || file.text !== agreed.text ? judgeEdit(found) : unedited(found, agreed);
}

/**
 * Where a document lies in several places, the one that git had first counts. Another one is a copy of ours that a pull
 * left behind, and perhaps somebody has committed it since. The text of a removed copy is kept aside.
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

/** The file is as agreed: writes out what has happened in the database since, which is nearly always nothing. */
async function unedited(found: FoundDocument, agreed: Agreed): Promise<Round> {
  const { documents, whole, place, file } = found;
  const { ctx, folder, asked } = documents;
  const { id, state, revision } = whole.handoff;
  const head = await folder.git.head();
  const isToldHere = place === ACTIVE && !isFinal(state) && agreed.revision === revision;
  const isCommittedWhole = agreed.committed === agreed.revision;
  if (isToldHere && agreed.head === head && (isCommittedWhole || !asked)) return 'done';
  const isCommitted = head !== null && (await folder.git.isCommitted(place, id, file.text));
  // Somebody has committed what we wrote.
  if (isToldHere && isCommitted && !isCommittedWhole && tellsAll(ctx.rules, whole, readDocument(file.text).fields)) {
    await agree(documents, id, file.text, revision, agreed, true);
    return 'done';
  }
  // Somebody has removed from the file what we wrote, and it is in no commit.
  if (asked && isCommitted && agreed.committed < agreed.revision) {
    await agree(documents, id, agreed.text, agreed.committed, agreed, true);
    return 'again';
  }
  const facts = await factsSince(documents, id, agreed.revision, revision);
  if (isCommitted && isOnlyExpiry(documents, facts)) return 'done';
  const changes = toldIn(readDocument(agreed.text).all, changesOf(facts, whole));
  return settleFile(found, whole.handoff, retold(agreed.text, changes));
}

/** Whether the document only expired, and nobody asked to have that written into the file. */
function isOnlyExpiry({ asked }: Documents, facts: readonly Fact[]): boolean {
  return !asked && facts.length > 0 && facts.every(({ deed, by }) => deed === 'expire' && by === 'system');
}

/**
 * The document has no file. A branch without the file has not deleted it. The file is written again where somebody removed
 * the file alone, and where there is something new to tell.
 */
async function absent(documents: Documents, whole: Whole, agreed: Agreed | null): Promise<Round> {
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
): Promise<Round> {
  // Agreed first: a file without an agreed text looks as if somebody else had written it.
  await agree(documents, id, text, revision, before, false);
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
