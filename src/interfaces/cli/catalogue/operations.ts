/** Commands that are operations. Everything but the printing of their answers comes from the definition. */
import { MOVES, OPERATIONS } from '../../../operations/index.ts';
import type { Operation } from '../../../operations/operation.ts';
import { optionsOf } from '../options.ts';
import type { CommandEntry } from './entry.ts';

/** `own`: what the command line adds; `without`: fields that the command takes in another way. */
export function commandOf(
  operation: Operation,
  { without = [], ...own }: Partial<CommandEntry> & { readonly without?: readonly string[] } = {},
): CommandEntry {
  const { name, summary, about, example, subject, input } = operation;
  return {
    name,
    ...(subject === undefined ? {} : { takes: input[subject]?.isRequired === true ? `<${subject}>` : `[${subject}]` }),
    summary: summary.charAt(0).toLowerCase() + summary.slice(1),
    ...(about === undefined ? {} : { note: about }),
    example,
    load: async () => (await import('../commands/run-operation.ts')).commandFor(operation),
    ...own,
    options: [...optionsOf(input, [subject, ...without]), ...(own.options ?? [])],
  };
}

export const CLAIM_COMMAND = commandOf(OPERATIONS.claim);

/** Commands that move an existing handoff. */
export const MOVE_COMMANDS: readonly CommandEntry[] = Object.values(MOVES).map((operation: Operation) =>
  commandOf(operation),
);
