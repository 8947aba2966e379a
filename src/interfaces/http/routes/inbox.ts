/** Putting away what lies in an inbox; reading it is the operation. */
import * as z from 'zod';
import { inbox } from '../../../operations/inbox.ts';
import { endpoint, json, type Endpoint } from '../contract.ts';
import { runOperation } from './operations.ts';

export const INBOX_ROUTES: readonly Endpoint[] = [
  endpoint({
    method: 'delete',
    path: '/api/inbox/{agent}',
    scope: 'write',
    summary: 'Put away what lies in an inbox now',
    operation: inbox,
    answers: { 200: '{ cleared }' },
    gives: z.strictObject({ cleared: z.int() }),
    answer: async (asked) => json({ cleared: (await runOperation(inbox, asked, { clear: true })).entries.length }),
  }),
];
