/** What a part of the store gets of the whole, to read and write its own table. */
import type { SharedCommit } from './shared-commit.ts';

export interface StoreParts {
  readonly commit: SharedCommit;
  readonly nowMs: () => number;
  /** Throws when the store is closed. */
  readonly alive: () => void;
  readonly reader: <Answer>(read: () => Answer) => Promise<Answer>;
}
