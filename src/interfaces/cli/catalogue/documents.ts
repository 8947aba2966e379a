/** Documents in a repository: the guard, the index and the tasks. */
import type { CommandEntry } from './entry.ts';

export const DOCUMENT_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'check',
    takes: '[file...]',
    summary: 'check the handoff documents of a repository; for a pre-commit hook and for CI',
    options: [
      ['--staged', 'check only what is staged for the next commit'],
      ['--since <commit>', 'check only what differs from this commit'],
      ['--keys <file>', 'the keys to verify signed commits with, from baton key list --json'],
    ],
    note:
      'Needs no database, except with identity: strict, where the content of a document has to be in the database or in commits\n' +
      'signed with registered keys; a hook cannot see the signature of a commit that is not made yet. Rejects handoffs outside of _handoffs/, wrong names, copies, missing fields, changes that the\n' +
      'lifecycle does not allow, too many open ones and duplicates. A page about handoffs is not a handoff. Exit code 5 when\n' +
      'there are problems; each is printed as FILE:LINE:COLUMN: problem; what to do.',
    example: 'check --staged',
    shares: 'place',
    load: async () => (await import('../commands/check.ts')).check,
  },
  {
    name: 'index',
    summary: 'rebuild _handoffs/_index.yaml from the documents',
    example: 'index',
    load: async () => (await import('../commands/write-index.ts')).index,
  },
  {
    name: 'task new',
    summary: 'make a task file with the next free number; prints its id',
    options: [
      ['--title <text>', 'the title of the task'],
      ['--owner <agent>', 'the owner of the task (default: none)'],
    ],
    example: "task new --title 'API rate limiting' --owner @grok",
    load: async () => (await import('../commands/task.ts')).newTask,
  },
];
