/**
 * Adopts archived documents that were settled before this database knew them. Runs only on request: the archive grows
 * without limit, and no work waits for it.
 */
import type { HandoffId } from '../../domain/names.ts';
import { fileNameOf } from '../../formats/document/names.ts';
import { readDocument } from '../../formats/document/read.ts';
import { isSettled, type Status } from '../../formats/document/vocabulary.ts';
import type { DocumentPlace } from '../../folders/folder.ts';
import { handoffsByIds } from '../handoffs/find.ts';
import { yieldingLoop } from '../yielding-loop.ts';
import { insertSettled, reasonAgainst } from './adopt.ts';
import type { Writer } from './attribution.ts';
import { isPaused, reportLeft, type Documents } from './documents.ts';

/** Documents per lookup and insert. */
const BATCH_MAX = 200;

/** Stops between two documents when the signal is aborted. The next call continues. */
export async function adoptArchive(documents: Documents, signal?: AbortSignal): Promise<number> {
  const { ctx, folder } = documents;
  const loop = yieldingLoop(ctx, signal);
  let adopted = 0;
  for (const month of await folder.months()) {
    const ids = await folder.listIn(month);
    for (let from = 0; from < ids.length; from += BATCH_MAX) {
      if (!(await loop.nextTurn()) || (await isPaused(documents))) return adopted;
      const batch = ids.slice(from, from + BATCH_MAX);
      const known = await handoffsByIds(ctx.store, batch);
      const unknown = batch.filter((id) => !known.has(id));
      const done = await Promise.all(
        unknown.map(async (id) =>
          documents.insertBarrier.join(async () => (await loop.nextTurn()) && adoptSettled(documents, month, id)),
        ),
      );
      adopted += done.filter(Boolean).length;
    }
  }
  return adopted;
}

/** Whether the document was new to the database. */
async function adoptSettled(documents: Documents, month: DocumentPlace, id: HandoffId): Promise<boolean> {
  const { ctx, folder, insertBarrier: sharedInsert } = documents;
  const file = await folder.read(month, id);
  if (file.kind === 'absent') return false;
  const skip = (says: string): boolean => {
    reportLeft(documents, { name: `${month}/${fileNameOf(id)}` }, says);
    return false;
  };
  if (file.kind === 'unfit') return skip(file.says);
  const read = readDocument(file.text);
  const refused = reasonAgainst(id, read);
  if (refused !== null) return skip(refused);
  const { status } = read.fields;
  if (!isSettled(status as Status)) return skip(`it is ${status}, and what is open lies in active/`);
  const author = await folder.git.authorOf(month, id, file.text);
  const writer: Writer = author === null ? { via: 'file', who: file.user } : { via: 'git', who: author };
  await sharedInsert.arrive();
  const inserted = await insertSettled(documents, writer, id, read.fields);
  if (!inserted.ok) return inserted.refusal.code === 'known-id' ? false : skip(inserted.refusal.code);
  const says = `settled before → ${inserted.value.state}`;
  ctx.report({ kind: 'document-adopted', id, by: `${writer.via}:${writer.who}`, says });
  return true;
}
