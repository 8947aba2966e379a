/** Migration of old handoffs. */
import type { CommandEntry } from './entry.ts';

export const MIGRATE_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'migrate',
    takes: '[path]',
    summary: 'migrate older handoffs of a repository to _handoffs/; shows a plan first',
    options: [
      ['--apply', 'carry out the plan in one commit; without this nothing is changed'],
      ['--yes', 'with --apply: do not ask for confirmation'],
      [
        '--branch <name>',
        'with --apply: commit on a new branch; needed when files have changes that are not committed',
      ],
      ['--undo', 'revert the last migration of this branch, in a new commit'],
      ['--newest', 'where texts contradict each other, use the newest, and keep the others inside the document'],
      ['--from <agent>', 'the sender of handoffs that name none'],
      ['--to <agent>', 'the recipient of handoffs that name none'],
    ],
    note:
      'Only files that call themselves handoffs and name both parties are moved. Files in folders of tests, examples,\n' +
      'templates, documentation and packages are listed but not migrated, unless [path] names such a folder. Old texts are kept\n' +
      'in full inside the new documents. On a terminal --apply shows the plan and asks; without one,\n' +
      '--apply does not ask. To continue an interrupted migration, run it again.',
    example: 'migrate --apply',
    load: async () => (await import('../commands/migrate.ts')).migrate,
  },
];
