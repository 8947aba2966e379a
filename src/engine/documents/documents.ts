/** What the parts of the document mirror share: the context without its mirror, the folder, and what this process has seen. */
import type { HandoffId } from '../../domain/names.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { fileNameOf } from '../../formats/document/names.ts';
import type { Agreed, DocumentFile, DocumentFolder, DocumentPlace } from '../../folders/folder.ts';
import type { Whole } from '../../stores/store.ts';
import type { Context } from '../context.ts';
import { factsOf } from '../handoffs/read.ts';
import type { SharedInsert } from './shared-insert.ts';

export interface Documents {
  /** Its rules have no document mirror, so a change that is made here is not mirrored a second time. */
  readonly ctx: Context;
  readonly folder: DocumentFolder;
  /** Under `identity: strict` a text alone does not prove who wrote it. */
  readonly isStrict: () => boolean;
  /**
   * Somebody asked for this pass. In a pass that nobody asked for, a file that git has unchanged stays unchanged unless
   * somebody acted: `git pull --rebase` refuses to run in a dirty tree, so a deadline alone must not make it dirty.
   */
  readonly asked: boolean;
  /** A proven operator wants everything that only files know to be adopted. */
  readonly vouched: boolean;
  /** Documents that could not be reconciled; they are tried again before the bookmark moves. */
  readonly again: Set<HandoffId>;
  /** The stamps of files that were in order. */
  readonly stamps: Map<HandoffId, string>;
  readonly sharedInsert: SharedInsert;
  /** What was reported already: a file that stays wrong is reported once. */
  readonly reported: Set<string>;
  /** Documents that commits changed and this database has not taken in yet; computed again for each commit. */
  readonly news: { at: string | null; ids: Promise<ReadonlySet<HandoffId> | null> | null };
  /** The commit that was checked out when all documents were last reconciled. */
  readonly lastFull: { head: string | null };
  readonly reading: { cursor: string | null; isBegun: boolean };
  /** When the index was last made and how long that took, by the monotonic clock. */
  readonly indexed: { atMs: number; tookMs: number };
}

/** What one round of reconciling led to. `again`: something changed, look once more. `later`: somebody may still be writing. */
export type Round = 'done' | 'again' | 'later';

export interface FoundFile {
  readonly place: DocumentPlace;
  readonly file: Extract<DocumentFile, { kind: 'file' }>;
}

/** A document with a record and a file, as one round finds them. */
export interface FoundDocument extends FoundFile {
  readonly documents: Documents;
  readonly whole: Whole;
  /** Null: the two have not agreed on a text yet, or the document is settled and archived. */
  readonly agreed: Agreed | null;
}

/** Markdown has no end mark: a file counts as written when it has not changed for this long. */
export const WRITTEN_MS = 2_000;

export const ACTIVE = 'active';
export const NAME_RULE = 'a document is called handoff-{from}-{to}-{task}-{YYYYMMDD}.md';

/** Reports once for each file and reason that the file stays as it is. */
export function leave({ ctx, reported }: Documents, file: HandoffId | { readonly name: string }, says: string): 'done' {
  const name = typeof file === 'string' ? fileNameOf(file) : file.name;
  if (!reported.has(`${name} ${says}`)) ctx.report({ kind: 'document-left', name, says });
  reported.add(`${name} ${says}`);
  return 'done';
}

/** Whether git is in the middle of something, so that files must not be touched. */
export async function isPaused({ ctx, folder, reported }: Documents): Promise<boolean> {
  const says = await folder.git.busy();
  if (says === null) reported.delete('paused');
  else if (!reported.has('paused')) {
    reported.add('paused');
    ctx.report({ kind: 'documents-paused', says: `${says}; documents wait until it is` });
  }
  return says !== null;
}

/** From now on this text tells this revision. `isCommitted`: it is what the commit that is checked out has there. */
export async function agree(
  { folder }: Documents,
  id: HandoffId,
  text: string,
  revision: number,
  before: Agreed | null,
  isCommitted: boolean,
): Promise<void> {
  await folder.told.add(id, text);
  const committed = isCommitted ? revision : Math.min(before?.committed ?? 0, revision);
  await folder.agreed.save(id, { text, revision, committed, head: await folder.git.head() });
}

/** Whether the document is settled and the database waits for nothing more from its file. */
export function isClosed({ whole, agreed }: Pick<FoundDocument, 'whole' | 'agreed'>): boolean {
  return isFinal(whole.handoff.state) && agreed === null;
}

export async function factsSince(
  { ctx }: Documents,
  id: HandoffId,
  after: number,
  newest: number,
): ReturnType<typeof factsOf> {
  if (after >= newest) return [];
  return (await factsOf(ctx, id)).filter(({ revision }) => revision > after && revision <= newest);
}

/** As documents write instants: in seconds. */
export function instant(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
