/** What agents tell at the end of their summaries, seen as a whole. */
import type { CommandEntry } from './entry.ts';

export const REPORT_FORMATS = ['md', 'json', 'junit', 'html', 'jsonl', 'csv'] as const;

export const TELLING: readonly CommandEntry[] = [
  {
    name: 'hook',
    takes: '<vendor> <event>',
    summary: 'read what an agent said last, as its own hook calls it (claude Stop, codex Stop, gemini AfterAgent)',
    note:
      'JSON on standard input, as the agent gives it to its hooks; JSON on standard output. It never stands in the way of\n' +
      'the agent: the exit code is 0 and what was done, or went wrong, is in systemMessage.',
    example: 'hook claude Stop < stop.json',
    load: async () => (await import('../commands/hook.ts')).hook,
  },
  {
    name: 'workflow',
    takes: '[project]',
    summary: 'projects by phase: progress, time, open legs, order of tasks',
    example: 'workflow shop',
    load: async () => (await import('../commands/workflow.ts')).workflow,
  },
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
