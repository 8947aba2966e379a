/** Reading the summaries of agents. */
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
  {
    name: 'hook',
    takes: '[vendor] [event]',
    summary: 'called by the hooks of an agent: reads what it said last, and tells it of work for it',
    note:
      'It reads JSON from standard input, as the agent passes it to its hooks, and answers JSON. Whatever goes wrong, the\n' +
      'exit code is 0. What the agent said is written down and read beside it; systemMessage of the next hook of the session\n' +
      'says what was done or what went wrong. An agent that ends its turn (claude Stop, codex\n' +
      'Stop, gemini AfterAgent) is asked to go on when work was offered to it: once for each handoff. baton setup installs it.\n' +
      'Without an event the one that the input names counts. While tasks run in the background a block is not read: the\n' +
      'agent will speak again.',
    options: [['--later', 'do what hooks have left, so that agents do not wait for it; hooks start this themselves']],
    example: 'hook claude Stop < stop.json',
    load: async () => (await import('../commands/hook.ts')).hook,
  },
];
