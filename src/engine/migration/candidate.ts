/** The results of scanning a repository: old handoffs, and existing documents and tasks. */
import type { FileNameReading } from '../../formats/legacy/file-name.ts';
import type { LegacyReading } from '../../formats/legacy/legacy-reading.ts';

export interface Candidate {
  /** From the root of the workspace, with `/`. */
  readonly path: string;
  readonly sha256: string;
  /** The same for texts that differ only in white space and marks. */
  readonly key: string;
  readonly reading: LegacyReading;
  readonly name: FileNameReading;
  /** The last commit that touched it; null: git does not have this text. */
  readonly changedAt: number | null;
  readonly firstAt: number | null;
  /** Why it is not moved alone. It may still be a version of another candidate. Null: it is clearly a handoff. */
  readonly unclear: string | null;
  /** Id and task of a document that lies in the wrong place; null: it is none. */
  readonly governed: { readonly id: string; readonly task: string } | null;
}

export interface KnownDocument {
  readonly path: string;
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly task: string;
  readonly isOpen: boolean;
  /** The keys of its own content and of the old texts in it. */
  readonly holds: ReadonlySet<string>;
}

export interface KnownTask {
  readonly id: string;
  /** The old name for which a migration made it; null: no migration did. */
  readonly madeFor: string | null;
}

/** Newer sorts later. An uncommitted text is newer than committed ones. The file's own time is not used: it may be the time of a copy. */
export function compareAge(a: Candidate, b: Candidate): number {
  const byCommit = (a.changedAt ?? Infinity) - (b.changedAt ?? Infinity);
  if (byCommit !== 0 && !Number.isNaN(byCommit)) return byCommit;
  const bySaying = saidAt(a) - saidAt(b);
  if (bySaying !== 0) return bySaying;
  // A name without the marks of a copy sorts later.
  if (a.name.isCopy !== b.name.isCopy) return a.name.isCopy ? -1 : 1;
  return a.path < b.path ? 1 : -1;
}

const UPDATED = /^(?:updated|last_?updated|modified|updated_?at)$/i;

function saidAt({ reading }: Candidate): number {
  const updated = reading.fields.find(({ key }) => UPDATED.test(key))?.text ?? '';
  return Date.parse(updated) || (reading.createdAt ?? 0);
}
