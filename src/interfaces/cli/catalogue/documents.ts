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
      ['--keys <file>', 'keys that signed commits are believed by, as baton key list --json prints them'],
    ],
    note:
      'Needs no database, except for identity: strict, where what a document tells has to be in the database or in commits\n' +
      'signed with registered keys; a hook cannot see the signature of a commit that is not made yet. Rejects handoffs outside of _handoffs/, wrong names, copies, missing fields, changes that the\n' +
      'lifecycle does not allow, too many open ones and duplicates. A page about handoffs is not a handoff. Exit code 5 when\n' +
      'something is wrong; each complaint is FILE:LINE:COLUMN: what is wrong; what to do.',
    example: 'check --staged',
    shares: 'place',
    load: async () => (await import('../commands/check.ts')).check,
  },
  {
    name: 'index',
    summary: 'write _handoffs/_index.yaml again from the documents',
    example: 'index',
    load: async () => (await import('../commands/write-index.ts')).index,
  },
  {
    name: 'task new',
    summary: 'make a task file with the next free number; prints its id',
    options: [
      ['--title <text>', 'what it is about'],
      ['--owner <agent>', 'the agent that owns it (default: nobody)'],
    ],
    example: "task new --title 'API rate limiting' --owner @grok",
    load: async () => (await import('../commands/task.ts')).newTask,
  },
];
