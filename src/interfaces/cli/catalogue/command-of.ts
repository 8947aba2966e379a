/** The command of an operation. Everything but the printing of its answer comes from the definition. */
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
    // Made for the command that runs, and not for all that are listed.
    get options() {
      return [...optionsOf(input, [subject, ...without]), ...(own.options ?? [])];
    },
  };
}
