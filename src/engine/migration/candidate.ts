/** What a look through a repository finds: texts that hand something over, and documents that are governed already. */
import type { NameSays } from '../../formats/legacy/file-name.ts';
import type { LegacyReading } from '../../formats/legacy/legacy-reading.ts';

export interface Candidate {
  /** From the root of the workspace, with `/` between its parts. */
  readonly path: string;
  readonly sha256: string;
  /** The same for texts that differ in nothing that can be read. */
  readonly key: string;
  readonly reading: LegacyReading;
  readonly name: NameSays;
  /** Of the last commit that touched it. Null: git does not know it, or knows an older text. */
  readonly changedAt: number | null;
  readonly firstAt: number | null;
  /** Why it is not moved for its own sake; it may still be the newest text of another one. Null: it is sure. */
  readonly unclear: string | null;
  /** It is a governed document in the wrong place: its own id and task. */
  readonly governed: { readonly id: string; readonly task: string } | null;
}

export interface KnownDocument {
  readonly path: string;
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly task: string;
  readonly isOpen: boolean;
  /** The keys of all contents that it holds: its own and those that it took in. */
  readonly holds: ReadonlySet<string>;
}

export interface KnownTask {
  readonly id: string;
  /** For which old name it was made, if it was made by a migration. */
  readonly madeFor: string | null;
}

/** Later is newer. What is not committed came after all that is; the file's own time says only when it was copied. */
export function compareAge(a: Candidate, b: Candidate): number {
  const byCommit = (a.changedAt ?? Infinity) - (b.changedAt ?? Infinity);
  if (byCommit !== 0 && !Number.isNaN(byCommit)) return byCommit;
  const bySaying = saidAt(a) - saidAt(b);
  if (bySaying !== 0) return bySaying;
  // A name without the marks of a copy is the one that people know.
  if (a.name.isCopy !== b.name.isCopy) return a.name.isCopy ? -1 : 1;
  return a.path < b.path ? 1 : -1;
}

const UPDATED = /^(?:updated|last_?updated|modified|updated_?at)$/i;

function saidAt({ reading }: Candidate): number {
  const updated = reading.fields.find(({ key }) => UPDATED.test(key))?.text ?? '';
  return Date.parse(updated) || (reading.createdAt ?? 0);
}
