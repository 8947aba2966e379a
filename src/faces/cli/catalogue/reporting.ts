/** What agents tell at the end of their work. */
import type { CommandEntry } from './entry.ts';

export const REPORTING: readonly CommandEntry[] = [
  {
    name: 'ingest',
    takes: '[files...]',
    summary: 'read handoff blocks, and handoffs in other forms, and do what they say',
    options: [
      ['--strict', 'take only blocks that are written exactly as specified'],
      ['--project <name>', 'for blocks that name none (default: that of baton.yaml)'],
      ['--session <id>', 'the session that wrote it, for standard input'],
      ['--turn <id>', 'the turn of that session'],
      ['--fence <n>', 'the number of your acceptance, where the text reports on a handoff that you claimed by hand'],
    ],
    note:
      'Files are markdown or transcripts of JSON lines; without one, or with -, standard input is read. Patterns like\n' +
      "'summaries/**/*.md' may be quoted. A block that was read before changes nothing. Quoted blocks and those in the\n" +
      'results of tools are reported and not obeyed. A file without a block (markdown, YAML, JSON) is read in whatever form\n' +
      'it has: an open handoff is offered to its recipient or drafted, a settled one is recorded as it ended, and a guess\n' +
      'is only reported. Exit code 4: a block was refused; 5, with --strict: one is invalid.',
    example: "ingest 'summaries/*.md'",
    load: async () => (await import('../commands/ingest.ts')).ingestFiles,
  },
];
