/** The document mirror, as the rest of the engine uses it. */
import type { HandoffId } from '../../domain/names.ts';
import { documentId } from '../../formats/document/names.ts';
import type { DocumentFolder } from '../../folders/folder.ts';
import type { DocumentMirror, Context } from '../context.ts';
import { findHandoff } from '../handoffs/find.ts';
import { adoptArchive } from './adopt-archive.ts';
import { reconcile, takeInCommits } from './reconcile.ts';
import type { Documents } from './documents.ts';
import { makeIndex } from './index-file.ts';
import { unsyncedIn } from './shared-history.ts';
import { syncPass } from './sync-pass.ts';
import { openInsertBarrier } from './insert-barrier.ts';

/** Limit of documents for one task between the same two agents on one day. */
const SAME_DAY_MAX = 1_000;

/** `ctx` has no document mirror in its rules. */
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
    insertBarrier: openInsertBarrier(),
    reported: new Set(),
    unseen: { at: null, ids: null },
    lastFull: { head: null },
    reading: { cursor: null, isBegun: false },
    indexed: { atMs: 0, tookMs: 0 },
  };
  const hints = new Set<HandoffId>();

  return {
    async idFor(parts, taken) {
      const createdAt = ctx.store.nowMs();
      for (let nth = 1; nth <= SAME_DAY_MAX; nth += 1) {
        const id = documentId({ ...parts, createdAt }, nth);
        const isTaken =
          taken.has(id) || (await folder.find(id, createdAt)) !== null || (await findHandoff(ctx, id)) !== null;
        if (!isTaken) return id;
      }
      throw new Error(`${SAME_DAY_MAX} documents of one day have the same name`);
    },
    async reconcile(id) {
      try {
        await folder.prepare();
        await reconcile(documents, id, true);
      } catch (error) {
        // The database has the change; the next pass writes the file.
        ctx.report({ kind: 'fault', doing: `writing ${id}`, error });
      }
    },
    async catchUp(id) {
      try {
        await folder.prepare();
        await takeInCommits({ ...documents, asked: false }, id);
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
