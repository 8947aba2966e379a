/** Shadow environments, in which work is tried before it is handed on. */
import type { CommandEntry } from './entry.ts';

const SOURCES =
  'A source is PATH or PATH:ORG/NAME: a git repository and its name on GitHub (default: that of its origin). Uncommitted\n' +
  'work is included; the repository itself is not changed. The default source is the repository around this folder.';

/** Shadows belong to the user of the machine, so these commands take no `--as`. */
const ON_SHADOWS: readonly CommandEntry[] = [
  {
    name: 'shadow preflight',
    summary: 'check whether shadows can be made here, and which limits are enforced',
    example: 'shadow preflight',
    load: async () => (await import('../commands/shadow.ts')).preflightShadow,
  },
  {
    name: 'shadow build-image',
    summary: 'build the image that shadows start from',
    example: 'shadow build-image',
    load: async () => (await import('../commands/shadow.ts')).buildShadowImage,
  },
  {
    name: 'shadow create',
    takes: '[source...]',
    summary: 'make a shadow that stays until it is destroyed; prints its id',
    note: SOURCES,
    example: 'shadow create ~/repos/my-library:myorg/my-library',
    load: async () => (await import('../commands/shadow.ts')).createOne,
  },
  {
    name: 'shadow add-source',
    takes: '<id> <source>',
    summary: 'add another repository to a shadow',
    example: 'shadow add-source shadow-4f1a2b3c4d ~/repos/other:myorg/other',
    load: async () => (await import('../commands/shadow.ts')).addOneSource,
  },
  {
    name: 'shadow sync-source',
    takes: '<id> [org/name]',
    summary: 'take a new snapshot of one source or of all sources',
    example: 'shadow sync-source shadow-4f1a2b3c4d',
    load: async () => (await import('../commands/shadow.ts')).syncSources,
  },
  {
    name: 'shadow exec',
    takes: '<id> [command...]',
    summary: 'run a command in a shadow; exits with the exit code of the command',
    options: [['--timeout <duration>', 'the time limit (default: shadow.command_seconds, 300)']],
    note: 'A single argument is run by the shell inside; several are a program and its arguments.',
    example: "shadow exec shadow-4f1a2b3c4d -- 'git clone https://github.com/myorg/my-library x && ls x'",
    load: async () => (await import('../commands/shadow.ts')).execCommand,
  },
  {
    name: 'shadow diff',
    takes: '<id>',
    summary: 'print the changes in a shadow since its snapshot, as a patch',
    example: 'shadow diff shadow-4f1a2b3c4d',
    load: async () => (await import('../commands/shadow.ts')).diffOne,
  },
  {
    name: 'shadow extract',
    takes: '<id> <path> <to>',
    summary: 'copy regular files from a shadow to a new path in the workspace',
    note: 'Links, pipes and devices are skipped and listed. Existing files are never replaced.',
    example: 'shadow extract shadow-4f1a2b3c4d my-library/dist out/dist',
    load: async () => (await import('../commands/shadow.ts')).extractFiles,
  },
  {
    name: 'shadow inject',
    takes: '<id> <file> <path>',
    summary: 'copy a file of the workspace into a shadow',
    example: 'shadow inject shadow-4f1a2b3c4d fixtures/input.json my-library/input.json',
    load: async () => (await import('../commands/shadow.ts')).injectFile,
  },
  {
    name: 'shadow list',
    summary: 'all shadows of this workspace',
    example: 'shadow list',
    load: async () => (await import('../commands/shadow.ts')).listShadows,
  },
  {
    name: 'shadow status',
    takes: '<id>',
    summary: 'show a shadow: its sources, enforced limits and manifest',
    example: 'shadow status shadow-4f1a2b3c4d',
    load: async () => (await import('../commands/shadow.ts')).statusOne,
  },
  {
    name: 'shadow destroy',
    takes: '[id...]',
    summary: 'end shadows and remove all their files',
    options: [['--all', 'all shadows of this workspace']],
    example: 'shadow destroy shadow-4f1a2b3c4d',
    load: async () => (await import('../commands/shadow.ts')).destroyShadows,
  },
];

export const SHADOW_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'shadow test',
    takes: '[source...]',
    summary: 'test the working tree in a shadow by the rubric, and print the verdict',
    options: [
      ['--no-host-only', 'without a shadow the verdict is INCOMPLETE, instead of a check on this host'],
      ['--allow-host-execution', 'without a shadow, allow code of the project to run on this host'],
      ['--keep', 'keep the shadow after the test'],
      ['--yaml', 'print the verdict as YAML, in the format of the specification'],
      ['--verbose', 'print the output of every command'],
    ],
    note: `${SOURCES}\nThe last line is VERDICT: PASS, FAIL or INCOMPLETE. Exit code 8: FAIL; 7: INCOMPLETE.`,
    example: 'shadow test',
    load: async () => (await import('../commands/shadow-test.ts')).testShadow,
  },
  ...ON_SHADOWS.map((entry) => ({ ...entry, shares: 'place' as const })),
];
