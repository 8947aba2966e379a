/** What agents tell at the end of their work. */
import { ingest } from '../../../operations/ingest.ts';
import type { CommandEntry } from './entry.ts';
import { commandOf } from './operations.ts';

export const INGEST_COMMANDS: readonly CommandEntry[] = [
  commandOf(ingest, {
    takes: '[files...]',
    without: ['text', 'file'],
    note:
      'Files are markdown or transcripts of JSON lines; without one, or with -, standard input is read. Patterns like\n' +
      "'summaries/**/*.md' may be quoted. A block that was read before changes nothing. Quoted blocks and those in the\n" +
      'results of tools are reported and not obeyed. A file without a block (markdown, YAML, JSON) is read in whatever form\n' +
      'it has: an open handoff is offered to its recipient or drafted, a settled one is recorded as it ended, and a guess\n' +
      'is only reported. Exit code 4: a block was refused; 5, with --strict: one is invalid.',
    load: async () => (await import('../commands/ingest.ts')).ingestFiles,
  }),
];
