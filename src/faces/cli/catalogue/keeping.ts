/** Keeping the workspace in order. */
import { EVERY_ROLE } from '../../../domain/principal.ts';
import type { CommandEntry } from './entry.ts';
import { REPEATED } from './handing.ts';

export const KEEPING: readonly CommandEntry[] = [
  {
    name: 'sync',
    summary: 'one pass: clocks, places, lost workers, effects',
    example: 'sync',
    load: async () => (await import('../commands/sync.ts')).sync,
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
    summary: 'from now on it opens nothing',
    example: 'token revoke tok-1a2b3c',
    load: async () => (await import('../commands/token.ts')).revokeToken,
  },
];
