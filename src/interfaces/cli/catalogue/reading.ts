/** Commands that only read. */
import { READS, type ReadName } from '../../../operations/index.ts';
import type { Operation } from '../../../operations/operation.ts';
import type { CommandEntry } from './entry.ts';
import { commandOf } from './command-of.ts';

/** What the command line adds. */
const EXTRA_OPTIONS: Partial<Record<ReadName, Partial<CommandEntry>>> = {
  trace: { options: [['--svg <file>', 'also write the chain as an SVG drawing to this file']] },
  wait: { load: async () => (await import('../commands/wait.ts')).wait },
};

export const READING_COMMANDS: readonly CommandEntry[] = [
  ...Object.entries(READS).map(([name, operation]) =>
    commandOf(operation as Operation, EXTRA_OPTIONS[name as ReadName]),
  ),
  {
    name: 'tail',
    summary: 'print the newest facts, and with --follow new ones as they happen',
    options: [
      ['-f, --follow', 'print new facts until Ctrl-C'],
      ['-n, --lines <n>', 'how many earlier facts to print (default: 20)'],
    ],
    example: 'tail -f',
    load: async () => (await import('../commands/tail.ts')).tail,
  },
];
