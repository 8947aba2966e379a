/** Health and metrics. */
import * as z from 'zod';
import { endpoint, json, type Endpoint } from '../contract.ts';
import { HttpProblem } from '../problem.ts';

export const SERVER_ROUTES: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/healthz',
    scope: null,
    summary: 'Check that the server and its database respond',
    answers: { 200: 'Both respond.', 503: 'The database does not respond.' },
    responseShape: z.strictObject({ ok: z.literal(true), version: z.string() }),
    answer: async ({ serverContext: { ctx, version } }) => {
      try {
        await ctx.store.facts({ newest: true, max: 1 });
      } catch (error) {
        throw new HttpProblem('fault', 'the database does not answer', {}, { cause: error });
      }
      return json({ ok: true, version });
    },
  }),
  endpoint({
    method: 'get',
    path: '/metrics',
    scope: 'read',
    operatorOnly: true,
    summary: 'Metrics for Prometheus',
    answers: { 200: 'Text in the Prometheus format.' },
    responseShape: z.string(),
    responseType: 'text/plain',
    answer: async ({ serverContext: { metrics } }) =>
      new Response(metrics.text(), { headers: { 'content-type': metrics.contentType } }),
  }),
];
