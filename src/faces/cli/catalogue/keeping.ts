/** Keeping the workspace in order. */
import { EVERY_ROLE } from '../../../domain/principal.ts';
import type { CommandEntry, OptionEntry } from './entry.ts';
import { REPEATED } from './handing.ts';

const FORCE: OptionEntry = ['--force', 'replace the file if there is one'];

export const KEEPING: readonly CommandEntry[] = [
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
    summary: 'one pass: clocks, places, lost workers, effects',
    options: [['--adopt', 'also take in what was settled before this database knew of it']],
    note:
      'Open handoffs that only the folders know are taken in by every pass, in the name of whoever wrote the file or\n' +
      'committed it. --adopt is for the archive of documents, and for whoever has lost the database.',
    example: 'sync --adopt',
    load: async () => (await import('../commands/sync.ts')).sync,
  },
  {
    name: 'doctor',
    summary: 'look for damage and for what hangs; changes nothing',
    note: 'Exit code 1 when something is a problem.',
    example: 'doctor',
    load: async () => (await import('../commands/doctor.ts')).doctor,
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
    summary: 'write everything to a file of JSON lines, or to standard output',
    options: [FORCE, ['--from-start', 'throw away what an interrupted export has left']],
    note:
      'The file appears when it is complete. An export that was interrupted is run again and goes on: what it had\n' +
      'written stays as it was then, what is new since comes along. --from-start reads everything anew. Outbox, request\n' +
      'ids and tokens are not part of it; baton backup has them.',
    example: 'export handoffs.jsonl',
    load: async () => (await import('../commands/export.ts')).exportTo,
  },
  {
    name: 'import',
    takes: '<file>',
    summary: 'read an export, from a file or from - for standard input',
    note:
      'Every line is checked before it is written. An import that was interrupted is run again and goes on: what is\n' +
      'here already is skipped, what was worked on since is left as it is.',
    example: 'import handoffs.jsonl --database postgres://localhost/baton',
    load: async () => (await import('../commands/import.ts')).importFrom,
  },
  {
    name: 'token new',
    summary: 'make a token; prints its secret once',
    options: [
      ['--for <agent>', 'whose it is'],
      ['--operator', "an operator's"],
      ['--role <role>', 'verifier or chief (may be repeated)', { ...REPEATED, choices: EVERY_ROLE }],
      [
        '--scope <scope>',
        'read or write (may be repeated; default: both)',
        { ...REPEATED, choices: ['read', 'write'] },
      ],
      ['--label <text>', 'what it is for'],
      ['--expires <seconds>', 'its life (default: for ever)'],
    ],
    example: 'token new --for @react --expires 43200',
    load: async () => (await import('../commands/token.ts')).newToken,
  },
  {
    name: 'token list',
    summary: 'the tokens that there are, without their secrets',
    example: 'token list',
    load: async () => (await import('../commands/token.ts')).listTokens,
  },
  {
    name: 'token revoke',
    takes: '<id>',
    summary: 'end a token, its sessions and waits, and give back what it holds',
    options: [['--keep-leases', 'what was claimed with it stays claimed']],
    note: 'A server notices within a second, workers that run with the token too.',
    example: 'token revoke tok-1a2b3c',
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
    summary: 'make an operator token without showing one; stands in the log',
    options: [
      ['--label <text>', 'what it is for'],
      ['--expires <seconds>', 'its life (default: for ever)'],
    ],
    note: 'For whoever can open the database and has lost the last operator token.',
    example: "token recover --label 'the laptop'",
    load: async () => (await import('../commands/token.ts')).recoverToken,
  },
];
