/** What the parts of the mirror share: the house without its mirror, the folder, and what this process has seen. */
import type { HandoffId } from '../../domain/names.ts';
import { skimDocument } from '../../dialects/document/index-text.ts';
import type { Agreed, DocumentFile, DocumentFolder, DocumentPlace } from '../../folders/folder.ts';
import type { Surroundings } from '../surroundings.ts';
import { factsOf } from '../verbs/look.ts';
import type { Together } from './together.ts';

export interface Documents {
  /** Its rules know no documents: what is done here is not mirrored a second time. */
  readonly around: Surroundings;
  readonly folder: DocumentFolder;
  /** Under `identity: strict` nobody is believed to be who a text says. */
  readonly isStrict: () => boolean;
  /** An operator has shown who they are, and has what only files know taken in. */
  readonly vouched: boolean;
  /** What could not be put right, and has to be tried again before the bookmark may move. */
  readonly again: Set<HandoffId>;
  /** How the files looked when all was well with them. */
  readonly stamps: Map<HandoffId, string>;
  readonly together: Together;
  /** What was said already: a file that stays wrong is complained of once. */
  readonly said: Set<string>;
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
export function leave({ around, said }: Documents, name: string, says: string): void {
  if (said.has(`${name} ${says}`)) return;
  said.add(`${name} ${says}`);
  around.report({ kind: 'document-left', name, says });
}

/** Null: files may be touched. */
export async function pausedBy({ around, folder, said }: Documents): Promise<string | null> {
  const says = await folder.git.busy();
  if (says === null) said.delete('paused');
  else if (!said.has('paused')) {
    said.add('paused');
    around.report({ kind: 'documents-paused', says: `${says}; documents wait until it is` });
  }
  return says;
}

/** From now on this text tells this revision. */
export async function agree(
  { folder }: Documents,
  id: HandoffId,
  text: string,
  revision: number,
  before: Agreed | null,
): Promise<void> {
  const told = skimDocument(text)?.updatedAt ?? '';
  const newest = before !== null && before.newest > told ? before.newest : told;
  await folder.agreed.save(id, { text, revision, newest, head: await folder.git.head() });
}

export async function factsSince(
  { around }: Documents,
  id: HandoffId,
  after: number,
  newest: number,
): ReturnType<typeof factsOf> {
  if (after >= newest) return [];
  return (await factsOf(around, id)).filter(({ revision }) => revision > after && revision <= newest);
}

/** As instants are written in documents. */
export function instant(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
