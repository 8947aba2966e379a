/** What the parts of the mirror share: the house without its mirror, the folder, and what this process has seen. */
import type { AgentId, HandoffId } from '../../domain/names.ts';
import type { Role } from '../../domain/principal.ts';
import type { Agreed, DocumentFile, DocumentFolder, DocumentPlace } from '../../folders/folder.ts';
import type { Context } from '../context.ts';
import { factsOf } from '../handoffs/read.ts';
import type { SharedInsert } from './shared-insert.ts';

export interface Documents {
  /** Its rules know no documents: what is done here is not mirrored a second time. */
  readonly ctx: Context;
  readonly folder: DocumentFolder;
  /** Under `identity: strict` nobody is believed to be who a text says. */
  readonly isStrict: () => boolean;
  /**
   * Somebody has asked for this pass. Without, no file changes that git has as it is, unless somebody has acted: a clock
   * alone never makes a tree dirty, because `git pull --rebase` and others refuse to run in a dirty tree.
   */
  readonly asked: boolean;
  /** An operator has shown who they are, and has what only files know taken in. */
  readonly vouched: boolean;
  /** What could not be put right, and has to be tried again before the bookmark may move. */
  readonly again: Set<HandoffId>;
  /** How the files looked when all was well with them. */
  readonly stamps: Map<HandoffId, string>;
  readonly together: SharedInsert;
  /** What was said already: a file that stays wrong is complained of once. */
  readonly said: Set<string>;
  /** Which documents commits have changed that this database has not taken in yet; made anew for each commit. */
  readonly news: { at: string | null; ids: Promise<ReadonlySet<HandoffId> | null> | null };
  /** What was checked out when all documents were looked at last. */
  readonly looked: { head: string | null };
  readonly reading: { cursor: string | null; isBegun: boolean };
  /** When the index was made last, and how long it took, by the clock that no one sets. */
  readonly indexed: { atMs: number; tookMs: number };
}

/** `again`: something has changed, look once more. `later`: somebody may still be writing. */
export type Looked = 'done' | 'again' | 'later';

export interface SeenFile {
  readonly place: DocumentPlace;
  readonly file: Extract<DocumentFile, { kind: 'file' }>;
}

/** Markdown does not tell where it ends: whoever writes is done when nothing has changed for this long. */
export const WRITTEN_MS = 2_000;

export const ACTIVE = 'active';
export const NAME_RULE = 'a document is called handoff-{from}-{to}-{task}-{YYYYMMDD}.md';

/** Once for each file and each reason. */
export function leave({ ctx, said }: Documents, name: string, says: string): void {
  if (said.has(`${name} ${says}`)) return;
  said.add(`${name} ${says}`);
  ctx.report({ kind: 'document-left', name, says });
}

/** Null: files may be touched. */
export async function pausedBy({ ctx, folder, said }: Documents): Promise<string | null> {
  const says = await folder.git.busy();
  if (says === null) said.delete('paused');
  else if (!said.has('paused')) {
    said.add('paused');
    ctx.report({ kind: 'documents-paused', says: `${says}; documents wait until it is` });
  }
  return says;
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

export async function factsSince(
  { ctx }: Documents,
  id: HandoffId,
  after: number,
  newest: number,
): ReturnType<typeof factsOf> {
  if (after >= newest) return [];
  return (await factsOf(ctx, id)).filter(({ revision }) => revision > after && revision <= newest);
}

/** Where the document is written: which parts agents have there, and where in the repository the workspace lies. */
export interface Setting {
  readonly rolesOf: (agent: AgentId) => readonly Role[];
  readonly root: string;
}

/** What a new document is written with. */
export async function settingOf({ ctx, folder }: Documents): Promise<Setting> {
  return { rolesOf: ctx.rules.rolesOf, root: await folder.git.prefix() };
}

/** As instants are written in documents. */
export function instant(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
