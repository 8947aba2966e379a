/** What each part of the store needs to read and write its tables. All functions throw when the store is closed. */
import type { Statement } from './binding.ts';
import type { Work } from './shared-commit.ts';

export interface StoreParts {
  /** A statement that is prepared on first use. */
  readonly sql: (text: string) => Statement;
  readonly nowMs: () => number;
  readonly read: <Answer>(read: () => Answer) => Promise<Answer>;
  /** Reads and decides, then writes, in a commit that is shared with other callers. */
  readonly commit: <Answer>(work: Work<Answer>) => Promise<Answer>;
  /** A commit without a decision before it. */
  readonly write: <Answer>(write: () => Answer) => Promise<Answer>;
}
