/**
 * Puts one document and its record of one mind. The text that both sides agreed on last tells who has moved since: a
 * file that differs from it was written by a person or brought by git, a newer revision is ours to tell.
 *
 * Everything here looks first and then acts, so it can be repeated, interrupted and repeated again.
 */
import { isFinal } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import { editDocument } from '../../dialects/document/edit.ts';
import { fileNameOf } from '../../dialects/document/names.ts';
import { readDocument } from '../../dialects/document/read.ts';
import type { Agreed } from '../../folders/folder.ts';
import type { Whole } from '../../stores/store.ts';
import { factsOf } from '../verbs/look.ts';
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
} from './documents.ts';
import { touchIndex } from './index-file.ts';
import { judge } from './judge.ts';
import { changesOf, renderNew, retold, toldIn } from './render.ts';
import { settleFile } from './settle-file.ts';

/** Take in, judge, tell, archive: a document needs no more than that, and the next pass goes on. */
const ROUNDS_MAX = 8;
/** An imported record is younger than its document. */
const MONTH_MS = 31 * 24 * 60 * 60 * 1000;

/** False: not now. `patient` waits until whoever writes is done. */
export async function attend(documents: Documents, id: HandoffId, patient: boolean): Promise<boolean> {
  const { folder, together } = documents;
  if ((await pausedBy(documents)) !== null) return false;
  return folder.alone(id, async () => together.inside(async () => bringToRest(documents, id, patient)));
}

async function bringToRest(documents: Documents, id: HandoffId, patient: boolean): Promise<boolean> {
  const { around, together } = documents;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const looked = await look(documents, id);
    if (looked === 'done') return true;
    if (looked === 'later') {
      if (!patient) return false;
      await together.away(async () => around.timers.sleep(WRITTEN_MS / 4));
    }
  }
  return false;
}

async function look(documents: Documents, id: HandoffId): Promise<Looked> {
  const { folder, around } = documents;
  const whole = await around.store.load(id);
  if (whole !== null && whole.handoff.kind !== 'document') return 'done';
  const agreed = await folder.agreed.load(id);
  const place = await folder.find(id, (whole?.handoff.createdAt ?? around.store.nowMs()) - MONTH_MS);
  if (place === null) return whole === null ? 'done' : absent(documents, whole, agreed);
  const file = await folder.read(place, id);
  if (file.kind === 'absent') return 'again';
  if (file.kind === 'unfit') {
    leave(documents, fileNameOf(id), file.says);
    return 'done';
  }
  const seen = { place, file };
  if (whole === null) return place === ACTIVE ? adopt(documents, id, seen) : 'done';
  if (agreed === null || file.text !== agreed.text) return judge(documents, whole, agreed, seen);
  return (await isAtRest(documents, whole, agreed, seen)) ? 'done' : project(documents, whole, agreed, seen);
}

/** Nearly all of them, nearly always: there is nothing to tell, and nothing to remember. */
async function isAtRest(
  { folder }: Documents,
  { handoff }: Whole,
  agreed: Agreed,
  { place }: SeenFile,
): Promise<boolean> {
  const isToldHere = place === ACTIVE && !isFinal(handoff.state) && agreed.revision === handoff.revision;
  return isToldHere && agreed.head === (await folder.git.head());
}

/** Nobody has touched it: what has happened since is told. */
async function project(documents: Documents, whole: Whole, agreed: Agreed, seen: SeenFile): Promise<Looked> {
  const { handoff } = whole;
  const facts = await factsSince(documents, handoff.id, agreed.revision, handoff.revision);
  const changes = toldIn(readDocument(agreed.text).all, changesOf(facts, handoff));
  return settleFile(documents, handoff, agreed, seen, retold(agreed.text, changes));
}

/**
 * A branch that does not have it has not deleted it. It comes back where somebody has removed the file alone, and where
 * there is something new to tell.
 */
async function absent(documents: Documents, { handoff, ...rest }: Whole, agreed: Agreed | null): Promise<Looked> {
  const { folder, around } = documents;
  const { id, state, revision } = handoff;
  if (handoff.blockedOn?.reason === 'place') return 'done';
  if (agreed === null) {
    if (isFinal(state)) return 'done';
    const text = renderNew({ handoff, ...rest }, await factsOf(around, id));
    const looked = await written(documents, id, text, revision, null);
    if (handoff.lineage.retryOf !== null) await linkReplaced(documents, handoff.lineage.retryOf, id);
    return looked;
  }
  if (revision > agreed.revision) return written(documents, id, agreed.text, agreed.revision, agreed);
  const head = await folder.git.head();
  const isGone = head === agreed.head || (await folder.git.has(ACTIVE, id));
  if (!isGone) return 'done';
  around.report({ kind: 'document-refused', id, says: 'a file is not deleted by hand; it is there again' });
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
  await agree(documents, id, text, revision, before);
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
