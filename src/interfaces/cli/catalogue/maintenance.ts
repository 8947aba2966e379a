/** Maintenance of the workspace. */
import { EVERY_ROLE } from '../../../domain/principal.ts';
import { prune } from '../../../operations/retention.ts';
import type { CommandEntry, OptionEntry } from './entry.ts';
import { commandOf } from './command-of.ts';
import { REPEATED } from './send-and-work.ts';

const FORCE: OptionEntry = ['--force', 'replace an existing file'];

export const MAINTENANCE_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'apply',
    summary: 'store the shared settings of baton.yaml as the policy that all processes follow',
    options: [
      ['--dry-run', 'only show what would change'],
      ['--show', 'show the stored policy'],
      ['--history', 'list all versions with date, author and changes'],
    ],
    note:
      'The first command on a new database stores the policy. When baton.yaml is changed later, every command\n' +
      'warns about it and follows the stored policy until you apply the change. Commands of agents, folders and the desktop are local:\n' +
      'they are read from baton.yaml and need no apply.',
    example: 'apply --dry-run',
    load: async () => (await import('../commands/apply.ts')).apply,
  },
  {
    name: 'sync',
    summary: 'run one pass now: expiry, folders, lost workers, notifications',
    options: [
      ['--adopt', 'also import settled documents that are not in the database'],
      ['--quiet', 'for git hooks: only import documents that git has brought, and print only changes'],
    ],
    note:
      'Every pass imports open handoffs that only the folders know, in the name of the user who wrote the file or the\n' +
      'author who committed it. --adopt also reads the archive of documents; use it after you have lost the database.',
    example: 'sync --adopt',
    load: async () => (await import('../commands/sync.ts')).sync,
  },
  commandOf(prune),
  {
    name: 'doctor',
    summary: 'check the workspace for damage and stuck handoffs; changes nothing',
    note: 'The exit code is 1 when there is a problem.',
    example: 'doctor',
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  {
    name: 'conformance queue',
    takes: '[command...]',
    summary: 'test a program of yours against the protocol of the queue folder',
    options: [
      [
        '--role <role>',
        'only this role (may be repeated); default: all three',
        { ...REPEATED, choices: ['send', 'work', 'wait'] },
      ],
    ],
    note:
      'The command plays all roles: COMMAND send @from @to JSON prints the id, COMMAND work @agent works once on the files\n' +
      'in pending/, COMMAND wait ID prints the answer. It runs in a temporary folder, with races, slow writes, crashes and\n' +
      'late answers; this workspace is not changed. Exit code 1 when a check fails.',
    example: 'conformance queue -- python3 handoffs.py',
    shares: 'json',
    load: async () => (await import('../commands/conformance.ts')).conformanceQueue,
  },
  {
    name: 'audit',
    summary: 'list completed handoffs by assurance: how far they are proven, and by whom',
    options: [
      ['--recheck', 'check their evidence again'],
      ['--offline <file>', 'check the signatures in an export or a document, without any database'],
      ['--keys <file>', 'with --offline: the registered keys, as baton key list --json prints them'],
    ],
    note:
      'verified, attested, unverified, reported: docs/trust.md says what each means. --recheck runs commands of evidence\n' +
      'again where the workspace allows them; exit code 8 when evidence no longer holds. --offline also exits with\n' +
      '8 when a signature is missing, forged, or of a key that was revoked.',
    example: 'audit --recheck --as operator',
    load: async () => (await import('../commands/audit.ts')).audit,
  },
  {
    name: 'backup',
    takes: '<file>',
    summary: 'copy the SQLite database while it is in use',
    options: [FORCE],
    note: 'To restore it, stop all workers, replace .baton/baton.db by the file, and delete baton.db-wal and baton.db-shm.',
    example: 'backup monday.db',
    load: async () => (await import('../commands/backup.ts')).backup,
  },
  {
    name: 'export',
    takes: '[file]',
    summary: 'write all handoffs and schedules as JSON lines to a file or to standard output',
    options: [FORCE, ['--from-start', 'discard what an interrupted export has written']],
    note:
      'The file appears when it is complete. To continue an interrupted export, run it again: it keeps what it\n' +
      'has written and adds what is new. --from-start reads everything again. An export has no outbox, no request ids and\n' +
      'no tokens; a baton backup has them.',
    example: 'export handoffs.jsonl',
    load: async () => (await import('../commands/export.ts')).exportTo,
  },
  {
    name: 'import',
    takes: '<file>',
    summary: 'read an export, from a file or from - for standard input',
    note:
      'Every line is checked before it is written. What is imported is marked with the name of the file and is never more\n' +
      'than `reported`: a file proves nothing about itself. To continue an interrupted import, run it again: handoffs that are\n' +
      'already here are skipped, and those that have changed since then stay as they are.',
    example: 'import handoffs.jsonl --as operator --database postgres://localhost/baton',
    load: async () => (await import('../commands/import.ts')).importFrom,
  },
  {
    name: 'token new',
    summary: 'create a token; prints its secret once',
    options: [
      ['--for <agent>', 'the agent that the token is for'],
      ['--operator', 'create a token for an operator'],
      ['--role <role>', 'verifier or chief (may be repeated)', { ...REPEATED, choices: EVERY_ROLE }],
      [
        '--scope <scope>',
        'read or write (may be repeated; default: both)',
        { ...REPEATED, choices: ['read', 'write'] },
      ],
      ['--label <text>', 'what the token is for'],
      ['--expires <duration>', 'how long the token is valid (default: until it is revoked)'],
    ],
    example: 'token new --for @react --expires 43200 --as operator',
    load: async () => (await import('../commands/token.ts')).newToken,
  },
  {
    name: 'token list',
    summary: 'list the tokens, without their secrets',
    example: 'token list',
    load: async () => (await import('../commands/token.ts')).listTokens,
  },
  {
    name: 'token revoke',
    takes: '<id>',
    summary: 'revoke a token, end its sessions and waits, and release the handoffs that it holds',
    options: [['--keep-leases', 'do not release the handoffs that it holds']],
    note: 'Servers, and workers that run with the token, notice within a second.',
    example: 'token revoke tok-1a2b3c --as operator',
    load: async () => (await import('../commands/token.ts')).revokeToken,
  },
  {
    name: 'token log',
    summary: 'list who created, revoked or was denied a token, newest first',
    options: [['--limit <count>', 'how many lines (default: 50)']],
    note: 'The newest 1,000 denials are kept.',
    example: 'token log --limit 20',
    load: async () => (await import('../commands/token.ts')).logOfTokens,
  },
  {
    name: 'token recover',
    summary: 'create an operator token when the last one is lost; the token log records it',
    options: [
      ['--label <text>', 'what the token is for'],
      ['--expires <duration>', 'how long the token is valid (default: until it is revoked)'],
    ],
    note: 'You need direct access to the database.',
    example: "token recover --label 'the laptop' --as operator",
    load: async () => (await import('../commands/token.ts')).recoverToken,
  },
  {
    name: 'key add',
    takes: '<agent> <key...>',
    summary: 'register a public key with which an agent signs its commits and moves',
    note:
      'Git signs with such a key after: git config gpg.format ssh; git config user.signingkey ~/.ssh/id_ed25519.pub;\n' +
      'git config commit.gpgsign true. Baton signs moves with it where BATON_KEY_FILE names the file of the private key\n' +
      '(mode 600, no passphrase). Only Ed25519 keys, and each for one agent.',
    example: 'key add @qa ssh-ed25519 AAAA… --as operator',
    load: async () => (await import('../commands/key.ts')).newKey,
  },
  {
    name: 'key list',
    summary: 'list registered keys, including revoked and retired ones',
    note: 'audit --offline takes the output of --json as --keys.',
    example: 'key list',
    load: async () => (await import('../commands/key.ts')).listKeys,
  },
  {
    name: 'key revoke',
    takes: '<fingerprint>',
    summary: 'revoke a key that may be stolen: nothing that is signed with it is proof any more, whatever its date',
    example: 'key revoke SHA256:… --as operator',
    load: async () => (await import('../commands/key.ts')).revokeKey,
  },
  {
    name: 'key retire',
    takes: '<fingerprint>',
    summary: 'retire a key that the agent has replaced: earlier signatures stay valid',
    note: 'To rotate a key, add the new one first. Revoke a key that may be stolen; do not retire it.',
    example: 'key retire SHA256:… --as operator',
    load: async () => (await import('../commands/key.ts')).retireKey,
  },
];
