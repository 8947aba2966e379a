/** What agents tell at the end of their work. */
import type { CommandEntry } from './entry.ts';

export const REPORTING: readonly CommandEntry[] = [
  {
    name: 'ingest',
    takes: '[files...]',
    summary: 'read the handoff blocks of summaries and do what they say',
    options: [
      ['--strict', 'take only blocks that are written exactly as specified'],
      ['--project <name>', 'for blocks that name none (default: that of baton.yaml)'],
      ['--session <id>', 'the session that wrote it, for standard input'],
      ['--turn <id>', 'the turn of that session'],
    ],
    note:
      'Files are markdown or transcripts of JSON lines; without one, or with -, standard input is read. Patterns like\n' +
      "'summaries/**/*.md' may be quoted. A block that was read before changes nothing. Quoted blocks and those in the\n" +
      'results of tools are reported and not obeyed. Exit code 4: a block was refused; 5, with --strict: one is invalid.',
    example: "ingest 'summaries/*.md'",
    load: async () => (await import('../commands/ingest.ts')).ingestFiles,
  },
];
