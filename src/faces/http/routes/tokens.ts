/** Tokens, for the operator alone: who may come in, and for how long. */
import * as z from 'zod';
import { EVERY_ROLE } from '../../../domain/principal.ts';
import { secondsShape, toMilliseconds } from '../../../dialects/seconds.ts';
import type { TokenRecord } from '../../../stores/store.ts';
import { AgentName } from '../../shared/requests.ts';
import { mustBeOperator } from '../caller.ts';
import { endpoint, json, type Endpoint } from '../contract.ts';
import { httpProblem } from '../problem.ts';

const TEN_YEARS_SECONDS = 10 * 366 * 24 * 60 * 60;

const NewToken = z.strictObject({
  agent: AgentName.optional().describe("Whose it is; absent is an operator's."),
  roles: z.array(z.enum(EVERY_ROLE)).max(EVERY_ROLE.length).optional(),
  scopes: z
    .array(z.enum(['read', 'write']))
    .min(1)
    .max(2)
    .optional(),
  label: z.string().min(1).max(200).optional(),
  expiresSeconds: secondsShape(1, TEN_YEARS_SECONDS).optional(),
});

export const TOKENS: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/tokens',
    scope: 'write',
    summary: 'Make a token, for the operator; its secret is shown once',
    body: NewToken,
    answers: { 201: 'The token, with its secret as `token`.' },
    answer: async ({ premises: { access }, caller, body }) => {
      mustBeOperator(caller);
      const { secret, record } = await access.mint({
        agent: body.agent ?? null,
        roles: body.roles ?? [],
        scopes: body.scopes ?? ['read', 'write'],
        label: body.label ?? null,
        lifeMs: body.expiresSeconds === undefined ? null : toMilliseconds(body.expiresSeconds),
      });
      return json({ ...tokenView(record), token: secret }, 201);
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/tokens',
    scope: 'read',
    summary: 'The tokens that there are, without their secrets, for the operator',
    answers: { 200: '{ items }' },
    answer: async ({ premises: { around }, caller }) => {
      mustBeOperator(caller);
      return json({ items: (await around.store.tokens.list()).map(tokenView) });
    },
  }),
  endpoint({
    method: 'delete',
    path: '/api/tokens/{id}',
    scope: 'write',
    summary: 'From now on it opens nothing, for the operator',
    answers: { 200: '{ id, revoked }' },
    answer: async ({ premises: { around }, caller, c }) => {
      mustBeOperator(caller);
      const id = c.req.param('id') ?? '';
      if (await around.store.tokens.revoke(id)) return json({ id, revoked: true });
      throw httpProblem('no-such-token', `there is no token ${JSON.stringify(id)} that is still good`);
    },
  }),
];

function tokenView({ id, agent, roles, scopes, label, createdAt, expiresAt, revokedAt }: TokenRecord): object {
  const instant = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
  return {
    id,
    agent: agent === null ? null : `@${agent}`,
    roles,
    scopes,
    label,
    createdAt: instant(createdAt),
    expiresAt: instant(expiresAt),
    revokedAt: instant(revokedAt),
  };
}
