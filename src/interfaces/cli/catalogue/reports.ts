/** Reports on projects. */
import { workflow } from '../../../operations/workflow.ts';
import { REPORT_FORMATS } from '../../shared/report/formats.ts';
import type { CommandEntry } from './entry.ts';
import { commandOf } from './operations.ts';

export const REPORT_COMMANDS: readonly CommandEntry[] = [
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
