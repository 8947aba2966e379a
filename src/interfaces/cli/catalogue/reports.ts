/** Reports on projects. */
import { workflow } from '../../../operations/workflow.ts';
import { REPORT_FORMAT_NAMES, REPORT_FORMATS } from '../../shared/report/formats.ts';
import type { CommandEntry } from './entry.ts';
import { commandOf } from './command-of.ts';

export const REPORT_COMMANDS: readonly CommandEntry[] = [
  commandOf(workflow),
  {
    name: 'report',
    summary: 'report on projects, for people and CI, or export the audit trail',
    options: [
      [
        '--format <format>',
        REPORT_FORMAT_NAMES.map((name) => `${name}: ${REPORT_FORMATS[name].says}`).join('; '),
        { choices: REPORT_FORMAT_NAMES },
      ],
      ['--project <name>', 'only this one'],
      ['-o, --output <file>', 'write it to this file, replacing an existing one'],
      ['--ci', 'set the exit code by the outcome'],
    ],
    note: 'Exit codes with --ci: 0 all complete, 8 something failed or is blocked, 7 unfinished, 3 nothing to report.',
    example: 'report --ci --format junit -o baton.xml',
    load: async () => (await import('../commands/report.ts')).report,
  },
];
