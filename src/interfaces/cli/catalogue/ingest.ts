/** Reading the summaries of agents. */
import { ingest } from '../../../operations/ingest.ts';
import type { CommandEntry } from './entry.ts';
import { commandOf } from './command-of.ts';

export const INGEST_COMMANDS: readonly CommandEntry[] = [
  commandOf(ingest, {
    takes: '[files...]',
    without: ['text', 'file'],
    note:
      'Files are markdown or transcripts of JSON lines; without one, or with -, standard input is read. Patterns like\n' +
      "'summaries/**/*.md' may be quoted. A block that was read before changes nothing. Quoted blocks and those in the\n" +
      'results of tools are reported and not applied. A file without a block (markdown, YAML, JSON) is read in any other known\n' +
      'format: an open handoff is offered to its recipient or drafted, a settled one is recorded as it ended, and a guess\n' +
      'is only reported. Exit code 4: a block was refused; 5, with --strict: one is invalid.',
    load: async () => (await import('../commands/ingest.ts')).ingestFiles,
  }),
  {
    name: 'hook',
    takes: '[vendor] [event]',
    summary: 'called by the hooks of an agent: reads its last message, and announces new work to it',
    note:
      'It reads the JSON that an agent passes to its hooks from standard input, and prints JSON. It never fails: the\n' +
      'exit code is always 0. The message of the agent is stored and read in the background; systemMessage of the next hook of\n' +
      'the session says what was done or what went wrong. An agent that ends its turn (claude Stop, codex\n' +
      'Stop, gemini AfterAgent) is asked to continue when work was offered to it, once for each handoff. baton setup installs it.\n' +
      'Without an event, the event in the input counts. While tasks run in the background a block is not read: the\n' +
      'agent will speak again.',
    options: [['--later', 'process the stored calls of hooks in the background; hooks start this themselves']],
    example: 'hook claude Stop < stop.json',
    load: async () => (await import('../commands/hook.ts')).hook,
  },
];
