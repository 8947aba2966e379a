/** What agents tell at the end of their summaries, seen as a whole. */
import { workflow } from '../../../operations/workflow.ts';
import type { CommandEntry } from './entry.ts';
import { commandOf } from './operations.ts';

export const REPORT_FORMATS = ['md', 'json', 'junit', 'html', 'jsonl', 'csv'] as const;

export const REPORT_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'hook',
    takes: '<vendor> [event]',
    summary: 'called by the hooks of an agent: reads what it said last, and tells it of work for it',
    note:
      'It reads JSON from standard input, as the agent passes it to its hooks, and answers JSON. Whatever goes wrong, the\n' +
      'exit code is 0: systemMessage says what was done or what went wrong. An agent that ends its turn (claude Stop, codex\n' +
      'Stop, gemini AfterAgent) is asked to go on when work was offered to it: once for each handoff. baton setup installs it.\n' +
      'Without an event the one that the input names counts. While tasks run in the background a block is not read: the\n' +
      'agent will speak again.',
    example: 'hook claude Stop < stop.json',
    load: async () => (await import('../commands/hook.ts')).hook,
  },
  commandOf(workflow),
  {
    name: 'report',
    summary: 'a report on projects for people and pipelines, or the audit trail',
    options: [
      [
        '--format <format>',
        'md (default), json, junit or html; jsonl or csv: the audit trail',
        { choices: REPORT_FORMATS },
      ],
      ['--project <name>', 'only this one'],
      ['-o, --output <file>', 'write it to this file; one that is there is replaced'],
      ['--ci', 'answer the outcome with the exit code'],
    ],
    note: 'With --ci: 0 all complete, 8 something failed or is blocked, 7 unfinished, 3 nothing there.',
    example: 'report --ci --format junit -o baton.xml',
    load: async () => (await import('../commands/report.ts')).report,
  },
];
