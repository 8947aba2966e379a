/** Bringing in what others have written. */
import type { CommandEntry } from './entry.ts';

export const BRINGING: readonly CommandEntry[] = [
  {
    name: 'migrate',
    takes: '[path]',
    summary: 'bring old handoffs of a repository into _handoffs/; shows a plan first',
    options: [
      ['--apply', 'do it; without this nothing is changed'],
      ['--newest', 'of texts that contradict each other take the newest, and keep the others inside'],
      ['--from <agent>', 'the sender of those that name none'],
      ['--to <agent>', 'the recipient of those that name none'],
    ],
    note:
      'Old texts are kept whole inside of the documents that take their place, and only then cleared away. An apply that\n' +
      'was interrupted is run again and goes on. Conflicts and unclear files are left where they are.',
    example: 'migrate --apply',
    load: async () => (await import('../commands/migrate.ts')).migrate,
  },
];
