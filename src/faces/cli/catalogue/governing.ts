/** Documents in a repository: their tasks, their index, and the guard at the door. */
import type { CommandEntry } from './entry.ts';

export const GOVERNING: readonly CommandEntry[] = [
  {
    name: 'check',
    takes: '[file...]',
    summary: 'judge the handoffs of a repository; for a pre-commit hook and for CI',
    options: [
      ['--staged', 'judge what would be committed, and only what it changes'],
      ['--since <commit>', 'compare with this commit instead of HEAD, and judge only what differs'],
    ],
    note:
      'Needs no database. Rejects handoffs outside of _handoffs/, wrong names, copies, missing fields, changes that the\n' +
      'lifecycle does not have, too many open ones and duplicates. Text about handoffs is none. Exit code 5 when\n' +
      'something is wrong; each complaint is FILE:LINE:COLUMN: what is wrong; what to do.',
    example: 'check --staged',
    shares: 'place',
    load: async () => (await import('../commands/check.ts')).check,
  },
  {
    name: 'index',
    summary: 'write _handoffs/_index.yaml anew',
    example: 'index',
    load: async () => (await import('../commands/index.ts')).index,
  },
  {
    name: 'task new',
    summary: 'make a task file with the next free number; prints its id',
    options: [
      ['--title <text>', 'what it is about'],
      ['--owner <agent>', 'whose it is; without, it is open'],
    ],
    example: "task new --title 'API rate limiting' --owner @grok",
    load: async () => (await import('../commands/task.ts')).newTask,
  },
];
