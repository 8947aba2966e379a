/** Migration of old handoffs. */
import type { CommandEntry } from './entry.ts';

export const MIGRATE_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'migrate',
    takes: '[path]',
    summary: 'bring old handoffs of a repository into _handoffs/; shows a plan first',
    options: [
      ['--apply', 'carry out the plan in one commit; without this nothing is changed'],
      ['--yes', 'with --apply on a terminal: do not ask'],
      [
        '--branch <name>',
        'with --apply: commit on a new branch; needed when files have changes that are not committed',
      ],
      ['--undo', 'take back the last migration of this branch, in a commit of its own'],
      ['--newest', 'of texts that contradict each other take the newest, and keep the others inside'],
      ['--from <agent>', 'the sender of those that name none'],
      ['--to <agent>', 'the recipient of those that name none'],
    ],
    note:
      'Only files that call themselves handoffs and name both parties are moved. Files in folders of tests, examples,\n' +
      'templates, documentation and packages are listed and left, unless [path] names such a folder. Old texts are kept\n' +
      'whole inside the documents that take their place. On a terminal --apply shows the plan and asks; without one,\n' +
      '--apply is the answer. An apply that was interrupted is run again and goes on.',
    example: 'migrate --apply',
    load: async () => (await import('../commands/migrate.ts')).migrate,
  },
];
