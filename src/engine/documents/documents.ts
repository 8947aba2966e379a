/** The state that the parts of the document mirror share. */
import type { HandoffId } from '../../domain/names.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { fileNameOf } from '../../formats/document/names.ts';
import type { Agreed, DocumentFile, DocumentFolder, DocumentPlace } from '../../folders/folder.ts';
import type { StoredHandoff } from '../../stores/store.ts';
import type { Context } from '../context.ts';
import { factsOf } from '../handoffs/read.ts';
import type { InsertBarrier } from './insert-barrier.ts';

export interface Documents {
  /** Its rules have no document mirror, so changes made here are not mirrored a second time. */
  readonly ctx: Context;
  readonly folder: DocumentFolder;
  /** Under `identity: strict` a text alone does not prove who wrote it. */
  readonly isStrict: () => boolean;
  /**
   * The user requested this pass. Otherwise a committed file is changed only after an action of an agent or a person:
   * `git pull --rebase` refuses to run in a dirty tree, so a deadline alone must not make it dirty.
   */
  readonly asked: boolean;
  /** A proven operator asked to adopt everything that only files contain. */
  readonly vouched: boolean;
  /** Documents that could not be reconciled. They are retried before the bookmark moves. */
  readonly again: Set<HandoffId>;
  /** Stamps of files that are in order. */
  readonly stamps: Map<HandoffId, string>;
  readonly insertBarrier: InsertBarrier;
  /** Problems that were already reported, so that each is reported once. */
  readonly reported: Set<string>;
  /** Documents that were changed by commits that this database has not taken in yet. Computed again for each commit. */
  readonly unseen: { at: string | null; ids: Promise<ReadonlySet<HandoffId> | null> | null };
  /** The commit that was checked out when all documents were last reconciled. */
  readonly lastFull: { head: string | null };
  readonly reading: { cursor: string | null; isBegun: boolean };
  /** When the index was last made and how long that took, by the monotonic clock. */
  readonly indexed: { atMs: number; tookMs: number };
}

/** `again`: something changed, run another round. `later`: the file may still be written. */
export type RoundResult = 'done' | 'again' | 'later';

export interface FoundFile {
  readonly place: DocumentPlace;
  readonly file: Extract<DocumentFile, { kind: 'file' }>;
}

/** A document with a record and a file, as one round finds them. */
export interface FoundDocument extends FoundFile {
  readonly documents: Documents;
  readonly whole: StoredHandoff;
  /** Null: file and record have not agreed on a text yet, or the document is settled and archived. */
  readonly agreed: Agreed | null;
}

/** Markdown has no end mark: a file counts as written when it has not changed for this long. */
export const WRITTEN_MS = 2_000;

export const ACTIVE = 'active';
export const NAME_RULE = 'a document is called handoff-{from}-{to}-{task}-{YYYYMMDD}.md';

/** Reports that a file is left unchanged, once for each file and reason. */
export function reportLeft(
  { ctx, reported }: Documents,
  file: HandoffId | { readonly name: string },
  says: string,
): 'done' {
  const name = typeof file === 'string' ? fileNameOf(file) : file.name;
  if (!reported.has(`${name} ${says}`)) ctx.report({ kind: 'document-left', name, says });
  reported.add(`${name} ${says}`);
  return 'done';
}

/** Whether git is in the middle of an operation, so that files must not be touched. */
export async function isPaused({ ctx, folder, reported }: Documents): Promise<boolean> {
  const says = await folder.git.busy();
  if (says === null) reported.delete('paused');
  else if (!reported.has('paused')) {
    reported.add('paused');
    ctx.report({ kind: 'documents-paused', says: `${says}; documents wait until it is` });
  }
  return says !== null;
}

/** Records that file and database agree on this text at this revision. `isCommitted`: the checked-out commit has this text. */
export async function recordAgreed(
  { folder }: Documents,
  id: HandoffId,
  text: string,
  revision: number,
  before: Agreed | null,
  isCommitted: boolean,
): Promise<void> {
  await folder.agreedTexts.add(id, text);
  const committed = isCommitted ? revision : Math.min(before?.committed ?? 0, revision);
  await folder.agreed.save(id, { text, revision, committed, head: await folder.git.head() });
}

/** Whether the document is settled and archived. */
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

/** An instant as documents write it, in seconds. */
export function instant(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
