/**
 * Puts one document and its record of one mind. The text that both sides agreed on last tells who has moved since: a
 * file that differs from it was written by a person or brought by git, a newer revision is ours to tell.
 *
 * Everything here looks first and then acts, so it can be repeated, interrupted and repeated again.
 */
import { isFinal } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import { editDocument } from '../../formats/document/edit.ts';
import { fileNameOf } from '../../formats/document/names.ts';
import { readDocument } from '../../formats/document/read.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Agreed, DocumentFolder, DocumentPlace } from '../../folders/folder.ts';
import type { Whole } from '../../stores/store.ts';
import { factsOf } from '../handoffs/read.ts';
import { adopt } from './adopt.ts';
import {
  ACTIVE,
  agree,
  factsSince,
  leave,
  pausedBy,
  WRITTEN_MS,
  type Documents,
  type Looked,
  type SeenFile,
  settingOf,
} from './documents.ts';
import { touchIndex } from './index-file.ts';
import { LOOKED_BACK_MS, newsAtHead } from './shared-history.ts';
import { judgeEdit } from './judge-edit.ts';
import { changesOf, renderNew, retold, toldIn } from './render.ts';
import { settleFile } from './archive-file.ts';
import { tellsAll } from './legal-change.ts';

/** Take in, judge, tell, archive: a document needs no more than that, and the next pass goes on. */
const ROUNDS_MAX = 8;
/** An imported record is younger than its document. */
const MONTH_MS = 31 * 24 * 60 * 60 * 1000;

/** False: not now. `patient` waits until whoever writes is done. */
export async function reconcile(documents: Documents, id: HandoffId, patient: boolean): Promise<boolean> {
  const { folder, together } = documents;
  if ((await pausedBy(documents)) !== null) return false;
  return folder.alone(id, async () => together.inside(async () => bringToRest(documents, id, patient)));
}

/** Only what is committed: an edit that is not is a request, and waits for its turn. */
export async function takeInNews(documents: Documents, id?: HandoffId): Promise<void> {
  for (const each of id === undefined ? ((await newsAtHead(documents)) ?? []) : [id]) {
    if (await isBrought(documents, each)) await reconcile(documents, each, false);
  }
}

async function isBrought({ folder, ctx }: Documents, id: HandoffId): Promise<boolean> {
  const place = await folder.find(id, ctx.store.nowMs() - LOOKED_BACK_MS);
  const file = place === null ? null : await folder.read(place, id);
  if (place === null || file?.kind !== 'file' || (await folder.agreed.load(id))?.text === file.text) return false;
  return folder.git.isCommitted(place, id, file.text);
}

async function bringToRest(documents: Documents, id: HandoffId, patient: boolean): Promise<boolean> {
  const { ctx, together } = documents;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const looked = await look(documents, id);
    if (looked === 'done') return true;
    if (looked === 'later') {
      if (!patient) return false;
      await together.away(async () => ctx.timers.sleep(WRITTEN_MS / 4));
    }
  }
  return false;
}

async function look(documents: Documents, id: HandoffId): Promise<Looked> {
  const { folder, ctx } = documents;
  const whole = await ctx.store.load(id);
  if (whole !== null && whole.handoff.kind !== 'document') return 'done';
  const agreed = await folder.agreed.load(id);
  const place = await placeOf(documents, id, (whole?.handoff.createdAt ?? ctx.store.nowMs()) - MONTH_MS);
  if (place === null) return whole === null ? 'done' : absent(documents, whole, agreed);
  const file = await folder.read(place, id);
  if (file.kind === 'absent') return 'again';
  if (file.kind === 'unfit') {
    leave(documents, fileNameOf(id), file.says);
    return 'done';
  }
  const seen = { place, file };
  if (whole === null) return adopt(documents, id, seen);
  if (agreed === null || file.text !== agreed.text) return judgeEdit(documents, whole, agreed, seen);
  return atRest(documents, whole, agreed, seen);
}

/**
 * Where a document lies in several places, the one counts that git had first: another one is a copy of ours that a pull
 * has left behind, and perhaps somebody has committed it since. Its text is kept.
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

/** Null: git has it nowhere. */
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

/** Nearly all of them, nearly always: there is nothing to tell, and nothing to remember. */
async function atRest(documents: Documents, whole: Whole, agreed: Agreed, seen: SeenFile): Promise<Looked> {
  const { ctx, folder, asked } = documents;
  const { id, state, revision } = whole.handoff;
  const { place, file } = seen;
  const head = await folder.git.head();
  const isToldHere = place === ACTIVE && !isFinal(state) && agreed.revision === revision;
  const isCommittedWhole = agreed.committed === agreed.revision;
  if (isToldHere && agreed.head === head && (isCommittedWhole || !asked)) return 'done';
  const isCommitted = head !== null && (await folder.git.isCommitted(place, id, file.text));
  // Somebody has committed what we told.
  if (isToldHere && isCommitted && !isCommittedWhole && tellsAll(ctx.rules, whole, readDocument(file.text).fields)) {
    await agree(documents, id, file.text, revision, agreed, true);
    return 'done';
  }
  // Somebody has taken out of the file what we told, and it is in no commit.
  if (asked && isCommitted && agreed.committed < agreed.revision) {
    await agree(documents, id, agreed.text, agreed.committed, agreed, true);
    return 'again';
  }
  return project(documents, whole, agreed, seen, isCommitted);
}

/** Nobody has touched it: what has happened since is told. */
async function project(
  documents: Documents,
  whole: Whole,
  agreed: Agreed,
  seen: SeenFile,
  isCommitted: boolean,
): Promise<Looked> {
  const { handoff } = whole;
  const facts = await factsSince(documents, handoff.id, agreed.revision, handoff.revision);
  if (isCommitted && isOnlyTime(documents, facts)) return 'done';
  const changes = toldIn(readDocument(agreed.text).all, changesOf(facts, whole));
  return settleFile(documents, handoff, agreed, seen, retold(agreed.text, changes));
}

/** Time has run out, and nobody has asked us to write that down. */
function isOnlyTime({ asked }: Documents, facts: readonly Fact[]): boolean {
  return !asked && facts.length > 0 && facts.every(({ deed, by }) => deed === 'expire' && by === 'system');
}

/**
 * A branch that does not have it has not deleted it. It comes back where somebody has removed the file alone, and where
 * there is something new to tell.
 */
async function absent(documents: Documents, { handoff, ...rest }: Whole, agreed: Agreed | null): Promise<Looked> {
  const { folder, ctx } = documents;
  const { id, state, revision } = handoff;
  if (handoff.blockedOn?.reason === 'place') return 'done';
  if (agreed === null) {
    if (isFinal(state)) return 'done';
    const text = renderNew({ handoff, ...rest }, await factsOf(ctx, id), await settingOf(documents));
    const looked = await written(documents, id, text, revision, null);
    if (handoff.lineage.retryOf !== null) await linkReplaced(documents, handoff.lineage.retryOf, id);
    return looked;
  }
  const facts = await factsSince(documents, id, agreed.revision, revision);
  if (facts.length > 0 && isOnlyTime(documents, facts)) return 'done';
  if (facts.length > 0) return written(documents, id, agreed.text, agreed.revision, agreed);
  const head = await folder.git.head();
  const isGone =
    (await folder.git.has(ACTIVE, id)) ||
    (head === agreed.head && (head === null || !(await folder.git.isAnywhere(id))));
  if (!isGone) return 'done';
  ctx.report({ kind: 'document-refused', id, says: 'a file is not deleted by hand; it is there again' });
  return written(documents, id, agreed.text, agreed.revision, agreed);
}

async function written(
  documents: Documents,
  id: HandoffId,
  text: string,
  revision: number,
  before: Agreed | null,
): Promise<Looked> {
  // First, because a file without it would look as if somebody else had written it.
  await agree(documents, id, text, revision, before, false);
  await documents.folder.put(id, text);
  await touchIndex(documents);
  return 'again';
}

/** The one that is settled tells where it went on. */
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
