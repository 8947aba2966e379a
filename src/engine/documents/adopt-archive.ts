/**
 * Takes in what lies in the archive and was settled before this database saw it. Only when asked: the archive grows for
 * ever, and nobody who works waits for it.
 */
import type { HandoffId } from '../../domain/names.ts';
import { fileNameOf } from '../../formats/document/names.ts';
import { errorsIn, problemText, readDocument } from '../../formats/document/read.ts';
import { isSettled, type Status } from '../../formats/document/vocabulary.ts';
import type { DocumentPlace } from '../../folders/folder.ts';
import { yieldingLoop } from '../yielding-loop.ts';
import { bringSettled, reasonAgainst } from './adopt.ts';
import type { Writer } from './attribution.ts';
import { leave, pausedBy, type Documents } from './documents.ts';

/** Asked for and written in one go. */
const TOGETHER_MAX = 200;

/** Stops between two documents when the signal is aborted; the next call takes in the rest. */
export async function adoptArchive(documents: Documents, signal?: AbortSignal): Promise<number> {
  const { ctx, folder } = documents;
  const loop = yieldingLoop(ctx, signal);
  let adopted = 0;
  for (const month of await folder.months()) {
    const ids = await folder.listIn(month);
    for (let from = 0; from < ids.length; from += TOGETHER_MAX) {
      if (!(await loop.goOn()) || (await pausedBy(documents)) !== null) return adopted;
      const unknown = await unknownAmong(documents, ids.slice(from, from + TOGETHER_MAX));
      const done = await Promise.all(
        unknown.map(async (id) =>
          documents.together.inside(async () => (await loop.goOn()) && adoptSettled(documents, month, id)),
        ),
      );
      adopted += done.filter(Boolean).length;
    }
  }
  return adopted;
}

async function unknownAmong({ ctx }: Documents, ids: readonly HandoffId[]): Promise<readonly HandoffId[]> {
  const { items } = await ctx.store.find({ by: 'ids', ids });
  const known = new Set(items.map(({ id }) => id));
  return ids.filter((id) => !known.has(id));
}

/** True: it is new here. */
async function adoptSettled(documents: Documents, month: DocumentPlace, id: HandoffId): Promise<boolean> {
  const { ctx, folder, together } = documents;
  const file = await folder.read(month, id);
  if (file.kind === 'absent') return false;
  const left = (says: string): false => {
    leave(documents, `${month}/${fileNameOf(id)}`, says);
    return false;
  };
  if (file.kind === 'unfit') return left(file.says);
  const read = readDocument(file.text);
  const refused = reasonAgainst(id, read.fields, errorsIn(read).map(problemText));
  if (refused !== null) return left(refused);
  const { status } = read.fields;
  if (!isSettled(status as Status)) return left(`it is ${status}, and what is open lies in active/`);
  const author = await folder.git.authorOf(month, id, file.text);
  const writer: Writer = author === null ? { via: 'file', who: file.user } : { via: 'git', who: author };
  await together.arrive();
  const made = await bringSettled(documents, writer, id, read.fields);
  if (!made.ok) return made.refusal.code === 'known-id' ? false : left(made.refusal.code);
  const says = `settled before → ${made.value.state}`;
  ctx.report({ kind: 'document-adopted', id, by: `${writer.via}:${writer.who}`, says });
  return true;
}
