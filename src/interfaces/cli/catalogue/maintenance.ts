/** Maintenance of the workspace. */
import { EVERY_ROLE } from '../../../domain/principal.ts';
import { prune } from '../../../operations/retention.ts';
import type { CommandEntry, OptionEntry } from './entry.ts';
import { commandOf } from './operations.ts';
import { REPEATED } from './send-and-work.ts';

const FORCE: OptionEntry = ['--force', 'replace the file if there is one'];

export const MAINTENANCE_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'apply',
    summary: 'store what baton.yaml says as the policy that all processes follow',
    options: [
      ['--dry-run', 'only show what would change'],
      ['--show', 'show the policy that is stored'],
      ['--history', 'list every version: when, by whom, what changed'],
    ],
    note:
      'The first command on a new database stores the policy by itself. When baton.yaml is changed later, every command\n' +
      'says so and follows the stored policy until it is applied. Commands of agents, folders and the desktop are local:\n' +
      'they are read from baton.yaml and need no apply.',
    example: 'apply --dry-run',
    load: async () => (await import('../commands/apply.ts')).apply,
  },
  {
    name: 'sync',
    summary: 'run one pass now: expiry, folders, lost workers, notifications',
    options: [
      ['--adopt', 'also import settled documents that this database does not know'],
      ['--quiet', 'for git hooks: only take in what git has brought, and say only what that changed'],
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
    summary: 'check the workspace for damage and for handoffs that are stuck; changes nothing',
    note: 'The exit code is 1 when there is a problem.',
    example: 'doctor',
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  {
    name: 'conformance queue',
    takes: '[command...]',
    summary: 'try a program of yours against the protocol of the queue folder',
    options: [
      [
        '--role <role>',
        'only this role (may be repeated); default: all three',
        { ...REPEATED, choices: ['send', 'work', 'wait'] },
      ],
    ],
    note:
      'The command stands for all roles: COMMAND send @from @to JSON prints the id, COMMAND work @agent does once what lies\n' +
      'in pending/, COMMAND wait ID prints the answer. It runs in a folder of its own, with races, slow writes, crashes and\n' +
      'late answers; nothing of this workspace is touched. Exit code 1 when something is wrong.',
    example: 'conformance queue -- python3 handoffs.py',
    shares: 'json',
    load: async () => (await import('../commands/conformance.ts')).conformanceQueue,
  },
  {
    name: 'audit',
    summary: 'completed handoffs by how far they are proven, and by whom',
    options: [
      ['--recheck', 'look at their evidence again, as it is today'],
      ['--offline <file>', 'check the signatures in an export or a document, without any database'],
      ['--keys <file>', 'with --offline: the registered keys, as baton key list --json prints them'],
    ],
    note:
      'verified, attested, unverified, reported: docs/trust.md says what each means. --recheck runs commands of evidence\n' +
      'again where the workspace allows them; exit code 8 when something does not hold any more. --offline also ends with\n' +
      '8 when a signature is missing, forged, or of a key that was revoked.',
    example: 'audit --recheck --as operator',
    load: async () => (await import('../commands/audit.ts')).audit,
  },
  {
    name: 'backup',
    takes: '<file>',
    summary: 'copy the SQLite database while others work with it',
    options: [FORCE],
    note: 'To restore it, stop all workers and put the file in the place of .baton/baton.db, without its -wal and -shm.',
    example: 'backup monday.db',
    load: async () => (await import('../commands/backup.ts')).backup,
  },
  {
    name: 'export',
    takes: '[file]',
    summary: 'write all handoffs and schedules to a file of JSON lines, or to standard output',
    options: [FORCE, ['--from-start', 'discard what an interrupted export has written']],
    note:
      'The file appears when it is complete. To continue an export that was interrupted, run it again: it keeps what it\n' +
      'has written and adds what is new. --from-start reads everything again. An export has no outbox, no request ids and\n' +
      'no tokens; baton backup has them.',
    example: 'export handoffs.jsonl',
    load: async () => (await import('../commands/export.ts')).exportTo,
  },
  {
    name: 'import',
    takes: '<file>',
    summary: 'read an export, from a file or from - for standard input',
    note:
      'Every line is checked before it is written. What is imported is marked with the name of the file and is never more\n' +
      'than `reported`: a file proves nothing about itself. An import that was interrupted is run again and goes on: what is\n' +
      'here already is skipped, what was worked on since is left as it is.',
    example: 'import handoffs.jsonl --as operator --database postgres://localhost/baton',
    load: async () => (await import('../commands/import.ts')).importFrom,
  },
  {
    name: 'token new',
    summary: 'make a token; prints its secret once',
    options: [
      ['--for <agent>', 'the agent that the token is for'],
      ['--operator', 'make a token for an operator'],
      ['--role <role>', 'verifier or chief (may be repeated)', { ...REPEATED, choices: EVERY_ROLE }],
      [
        '--scope <scope>',
        'read or write (may be repeated; default: both)',
        { ...REPEATED, choices: ['read', 'write'] },
      ],
      ['--label <text>', 'what it is for'],
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
    summary: 'end a token, its sessions and waits, and give back what it holds',
    options: [['--keep-leases', 'what was claimed with it stays claimed']],
    note: 'A server notices within a second, workers that run with the token too.',
    example: 'token revoke tok-1a2b3c --as operator',
    load: async () => (await import('../commands/token.ts')).revokeToken,
  },
  {
    name: 'token log',
    summary: 'who made, revoked or was denied which token, newest first',
    options: [['--limit <count>', 'how many lines (default: 50)']],
    note: 'Of denials the newest 1,000 are kept.',
    example: 'token log --limit 20',
    load: async () => (await import('../commands/token.ts')).logOfTokens,
  },
  {
    name: 'token recover',
    summary: 'make an operator token when the last one is lost; the token log records it',
    options: [
      ['--label <text>', 'what it is for'],
      ['--expires <duration>', 'how long the token is valid (default: until it is revoked)'],
    ],
    note: 'You must be able to open the database yourself.',
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
    summary: 'the registered keys, also those that were revoked or retired',
    note: 'With --json it is the list that audit --offline takes as --keys.',
    example: 'key list',
    load: async () => (await import('../commands/key.ts')).listKeys,
  },
  {
    name: 'key revoke',
    takes: '<fingerprint>',
    summary: 'somebody else may have this key: what is signed with it proves nothing, whatever its date',
    example: 'key revoke SHA256:… --as operator',
    load: async () => (await import('../commands/key.ts')).revokeKey,
  },
  {
    name: 'key retire',
    takes: '<fingerprint>',
    summary: 'the agent has another key now: what was signed with this one before stays proven',
    note: 'To rotate a key, add the new one first. A key that may be stolen is revoked, not retired.',
    example: 'key retire SHA256:… --as operator',
    load: async () => (await import('../commands/key.ts')).retireKey,
  },
];
