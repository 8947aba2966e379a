/** What handoffs leave behind. */
import { ARTIFACT_STATUSES } from '../../../domain/artifacts.ts';
import type { CommandEntry } from './entry.ts';
import { REPEATED } from './handing.ts';

export const ARTIFACTS: readonly CommandEntry[] = [
  {
    name: 'artifact register',
    takes: '[file...]',
    summary: 'bring files below artifacts/ into the registry; prints their ids',
    options: [
      ['--all', 'every file below artifacts/ that is an artifact'],
      ['--schema <name>', 'the schema that the content follows, instead of the one that the file names'],
      ['--supersedes <id>', 'deprecate this one when the new one is active (may be repeated)', REPEATED],
    ],
    note:
      'Active is what passes, in this order: its schema, what it requires, its generated files, its validation.\n' +
      'What does not is kept as created, with the reason; register it again when that is mended.',
    example: 'artifact register artifacts/phase-13-react/artifact-profile.json',
    load: async () => (await import('../commands/artifact.ts')).registerArtifacts,
  },
  {
    name: 'artifact show',
    takes: '<id>',
    summary: 'one artifact: its file, what it requires, what requires it, and whether it has changed',
    example: 'artifact show artifact-profile --json',
    load: async () => (await import('../commands/artifact.ts')).showOne,
  },
  {
    name: 'artifact find',
    summary: 'list artifacts',
    options: [
      ['--type <type>', 'only of this type'],
      ['--phase <number>', 'only of this phase'],
      ['--agent <agent>', 'only made by this agent'],
      ['--status <status>', 'one of them (default: not archived, not deleted)', { choices: ARTIFACT_STATUSES }],
    ],
    example: 'artifact find --type react-components --phase 13',
    load: async () => (await import('../commands/artifact.ts')).findAll,
  },
  {
    name: 'artifact clean',
    summary: 'show what is old enough to go; with --apply, let it go',
    options: [
      ['--apply', 'do it; without, nothing is changed'],
      ['--deprecate <id>', 'say that this one should no longer be used (may be repeated; needs --apply)', REPEATED],
      ['--deprecated-days <n>', 'archive what has been deprecated for this long (default: 30)'],
      ['--archived-days <n>', 'delete what has been archived for this long (default: 90)'],
    ],
    note:
      'Age alone ends nothing that is in use: only what was superseded or deprecated grows old. What something in use\n' +
      'requires, and a file that has changed since it was registered, is never deleted.',
    example: 'artifact clean --apply',
    load: async () => (await import('../commands/artifact.ts')).cleanUp,
  },
];
