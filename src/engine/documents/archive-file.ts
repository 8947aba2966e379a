/** Brings a text into its file, and the file to its place. Whoever calls is alone with the name among our processes. */
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { fileNameOf } from '../../formats/document/names.ts';
import { skimDocument } from '../../formats/document/index-text.ts';
import type { Agreed } from '../../folders/folder.ts';
import { ACTIVE, agree, leave, pausedBy, type Documents, type Looked, type SeenFile } from './documents.ts';
import { noteCompleted, touchIndex } from './index-file.ts';

/** The text tells all of this record. */
export async function settleFile(
  documents: Documents,
  handoff: Handoff,
  agreed: Agreed | null,
  { place, file }: SeenFile,
  text: string,
): Promise<Looked> {
  const { folder, stamps } = documents;
  const { id, state, revision } = handoff;
  // Git may have begun since we looked.
  if ((await pausedBy(documents)) !== null) return 'later';
  const isChanged = text !== file.text;
  const isCommitted = await folder.git.isCommitted(place, id, file.text);
  if (isChanged && !(await folder.replace(place, id, text, file.stamp))) return 'again';
  const right = isFinal(state) ? monthIn(text, handoff.since) : ACTIVE;
  const isAstray = isFinal(state) ? place === ACTIVE : place !== ACTIVE;
  // What a commit has put into the wrong place is moved for whoever asks, and not behind anybody's back.
  const isMoved = isAstray && (documents.asked || isChanged || !isCommitted);
  if (isMoved && !(await folder.move(id, place, right))) {
    leave(documents, fileNameOf(id), `it belongs into ${right}, where there is another one of that name`);
    return 'done';
  }
  if (isFinal(state) && isAstray && !isMoved) await agree(documents, id, text, revision, agreed, true);
  else if (isFinal(state)) {
    await folder.told.add(id, text);
    await folder.agreed.forget(id);
    stamps.delete(id);
    if (state === 'completed') await noteCompleted(documents, id, text);
  } else {
    await agree(documents, id, text, revision, agreed, isCommitted && !isChanged);
  }
  if (isChanged || isMoved) await touchIndex(documents);
  return 'done';
}

/** The month of settling, as the document itself tells it, so that every clone archives it in the same place. */
function monthIn(text: string, since: number): string {
  const told = Date.parse(skimDocument(text)?.updatedAt ?? '');
  return new Date(Number.isNaN(told) ? since : told).toISOString().slice(0, 7).replace('-', '/');
}
