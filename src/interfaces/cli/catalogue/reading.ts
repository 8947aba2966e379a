/** Commands that only read. */
import { READS, type ReadName } from '../../../operations/index.ts';
import type { Operation } from '../../../operations/operation.ts';
import type { CommandEntry } from './entry.ts';
import { commandOf } from './operations.ts';

/** What the command line adds. */
const OWN: Partial<Record<ReadName, Partial<CommandEntry>>> = {
  trace: { options: [['--svg <file>', 'draw it into this file']] },
  wait: { load: async () => (await import('../commands/wait.ts')).wait },
};

export const READING_COMMANDS: readonly CommandEntry[] = [
  ...Object.entries(READS).map(([name, operation]) => commandOf(operation as Operation, OWN[name as ReadName])),
  {
    name: 'tail',
    summary: 'what happened last, and with --follow what happens now',
    options: [
      ['-f, --follow', 'go on until Ctrl-C'],
      ['-n, --lines <n>', 'how many of what happened before (default: 20)'],
    ],
    example: 'tail -f',
    load: async () => (await import('../commands/tail.ts')).tail,
  },
];
