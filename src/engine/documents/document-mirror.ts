/** The documents beside the database, as the rest of the engine knows them. */
import type { HandoffId } from '../../domain/names.ts';
import { documentId } from '../../formats/document/names.ts';
import type { DocumentFolder } from '../../folders/folder.ts';
import type { DocumentMirror, Context } from '../context.ts';
import { adoptArchive } from './adopt-archive.ts';
import { reconcile, takeInNews } from './reconcile.ts';
import type { Documents } from './documents.ts';
import { makeIndex } from './index-file.ts';
import { unsyncedIn } from './shared-history.ts';
import { syncPass } from './sync-pass.ts';
import { openSharedInsert } from './shared-insert.ts';

/** More of one task between the same two on one day is a mistake somewhere. */
const OF_A_DAY_MAX = 1_000;

/** `around` is the house without its mirror. */
export function openDocumentMirror(
  ctx: Context,
  folder: DocumentFolder,
  { isStrict }: { readonly isStrict: () => boolean },
): DocumentMirror {
  const documents: Documents = {
    ctx,
    folder,
    isStrict,
    asked: true,
    vouched: false,
    again: new Set(),
    stamps: new Map(),
    together: openSharedInsert(),
    said: new Set(),
    news: { at: null, ids: null },
    looked: { head: null },
    reading: { cursor: null, isBegun: false },
    indexed: { atMs: 0, tookMs: 0 },
  };
  const hints = new Set<HandoffId>();

  return {
    async idFor(parts, taken) {
      const createdAt = ctx.store.nowMs();
      for (let nth = 1; nth <= OF_A_DAY_MAX; nth += 1) {
        const id = documentId({ ...parts, createdAt }, nth);
        const isTaken =
          taken.has(id) ||
          (await folder.find(id, createdAt)) !== null ||
          (await ctx.store.find({ by: 'ids', ids: [id] })).items.length > 0;
        if (!isTaken) return id;
      }
      throw new Error(`${OF_A_DAY_MAX} documents of one day have the same name`);
    },
    async reconcile(id) {
      try {
        await folder.prepare();
        await reconcile(documents, id, true);
      } catch (error) {
        // The database has it; the next pass puts the file right.
        ctx.report({ kind: 'fault', doing: `writing ${id}`, error });
      }
    },
    async catchUp(id) {
      try {
        await folder.prepare();
        await takeInNews({ ...documents, asked: false }, id);
      } catch (error) {
        ctx.report({ kind: 'fault', doing: `taking in ${id ?? 'documents'}`, error });
      }
    },
    async sync(depth, { vouched = false, asked = false, signal } = {}) {
      for (const id of hints) documents.again.add(id);
      hints.clear();
      return syncPass({ ...documents, vouched, asked }, depth, signal);
    },
    watch: (changed) =>
      folder.watch((id) => {
        if (id !== null) hints.add(id);
        changed();
      }),
    async adoptSettled(signal) {
      await folder.prepare();
      const adopted = await adoptArchive(documents, signal);
      if (adopted > 0) await makeIndex(documents);
      return { adopted };
    },
    unsynced: (id) => unsyncedIn(documents, id),
    async writeIndex() {
      await folder.prepare();
      return makeIndex(documents, true);
    },
  };
}
