/** One operation on many handoffs. A refusal of one does not stop the others. */
import * as z from 'zod';
import { MOVES } from '../../../operations/index.ts';
import { readFor, runFor, type Operation } from '../../../operations/operation.ts';
import { AS_JSON, issuesText } from '../../../operations/reading.ts';
import type { Handoff } from '../../../domain/handoff.ts';
import { BatchShape } from '../../shared/view-shapes.ts';
import { handoffView } from '../../shared/views.ts';
import { PROBLEMS } from '../../shared/problems.ts';
import { endpoint, json, type Endpoint, type RouteRequest } from '../contract.ts';
import { httpProblem, problemOf, type HttpProblem } from '../problem.ts';
import { requestSignal } from '../long-request.ts';

const IDS_MAX = 100;
const KEY_MAX = 300;
const NAMES = ['activate', 'cancel', 'release', 'retry', 'reassign', 'unblock', 'verify', 'rework', 'reject'] as const;

const Batch = z.strictObject({
  operation: z.enum(NAMES).describe('The operation to run on each handoff.'),
  ids: z.array(z.string().min(1).max(128)).min(1).max(IDS_MAX),
  input: z.looseObject({}).optional().describe('The input of the operation, the same for all handoffs.'),
});

export const BATCH_ROUTES: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/batch',
    scope: 'write',
    summary: 'Run an operation on many handoffs',
    about: 'Answers 200 with one item for each id, in order: the `handoff` after the operation, or the `problem`.',
    headers: {
      'Idempotency-Key': 'For operations that make new handoffs: the same key and ids return the same handoffs.',
    },
    body: Batch,
    answers: { 200: 'The result for each id.' },
    responseShape: BatchShape,
    answer: async (asked) => {
      const { operation, ids, input = {} } = asked.body;
      const items = [];
      for (const id of new Set(ids)) items.push({ id, ...(await oneOf(MOVES[operation], id, input, asked)) });
      asked.serverContext.hub.wake();
      return json({ items });
    },
  }),
];

type Given = Readonly<Record<string, unknown>>;

async function oneOf(
  operation: Operation,
  id: string,
  input: Given,
  { serverContext, caller, c }: Pick<RouteRequest, 'serverContext' | 'caller' | 'c'>,
): Promise<object> {
  const key = c.req.header('idempotency-key')?.slice(0, KEY_MAX);
  const request = key === undefined || !('requestId' in operation.input) ? {} : { requestId: `${key} ${id}` };
  const read = readFor(operation, { ...input, ...request, id }, AS_JSON);
  if (!read.ok) return problemView(httpProblem('bad-request', issuesText(read.refusal)));
  const done = await runFor(operation, serverContext.ctx, caller.principal, read.value, {
    signal: requestSignal(serverContext, c),
  });
  return done.ok ? { handoff: handoffView(done.value as Handoff) } : problemView(problemOf(done.refusal));
}

function problemView({ code, message }: HttpProblem): object {
  return { problem: { code, detail: message, retryable: PROBLEMS[code].retryable } };
}
