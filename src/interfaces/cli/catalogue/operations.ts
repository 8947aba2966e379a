/** Commands that move an existing handoff. */
import { MOVES } from '../../../operations/index.ts';
import type { Operation } from '../../../operations/operation.ts';
import { commandOf } from './command-of.ts';
import type { CommandEntry } from './entry.ts';

export const MOVE_COMMANDS: readonly CommandEntry[] = Object.values(MOVES).map((operation: Operation) =>
  commandOf(operation),
);
