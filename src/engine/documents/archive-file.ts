/** Writes the text of a document and moves the file to its place. The caller holds the lock on the document's name. */
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { archiveMonth } from '../../formats/document/names.ts';
import { skimDocument } from '../../formats/document/index-text.ts';
import { ACTIVE, recordAgreed, isPaused, reportLeft, type FoundDocument, type RoundResult } from './documents.ts';
import { noteCompleted, touchIndex } from './index-file.ts';

/** `text` is the text for `handoff`, the newest record. */
export async function settleFile(
  { documents, agreed, place, file }: FoundDocument,
  handoff: Handoff,
  text: string,
): Promise<RoundResult> {
  const { folder, stamps } = documents;
  const { id, state, revision } = handoff;
  // Git may have started since the file was read.
  if (await isPaused(documents)) return 'later';
  const isChanged = text !== file.text;
  const isCommitted = await folder.git.isCommitted(place, id, file.text);
  if (isChanged && !(await folder.replace(place, id, text, file.stamp))) return 'again';
  const isOver = isFinal(state);
  const right = isOver ? monthIn(text, handoff.since) : ACTIVE;
  const isMisplaced = isOver === (place === ACTIVE);
  // A file that a commit put into the wrong place is moved only on request, because moving it makes the tree dirty.
  const isMoved = isMisplaced && (documents.asked || isChanged || !isCommitted);
  if (isMoved && !(await folder.move(id, place, right))) {
    return reportLeft(documents, id, `it belongs into ${right}, where there is another one of that name`);
  }
  if (!isOver) await recordAgreed(documents, id, text, revision, agreed, isCommitted && !isChanged);
  else if (isMisplaced && !isMoved) await recordAgreed(documents, id, text, revision, agreed, true);
  else {
    await folder.agreedTexts.add(id, text);
    await folder.agreed.forget(id);
    stamps.delete(id);
    if (state === 'completed') await noteCompleted(documents, id, text);
  }
  if (isChanged || isMoved) await touchIndex(documents);
  return 'done';
}

/** The month of settling according to the text, so that every clone archives the document in the same place. */
function monthIn(text: string, since: number): string {
  const updatedAt = Date.parse(skimDocument(text)?.updatedAt ?? '');
  return archiveMonth(Number.isNaN(updatedAt) ? since : updatedAt);
}
