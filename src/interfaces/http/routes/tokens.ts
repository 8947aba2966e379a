/** Tokens, for the operator only. */
import * as z from 'zod';
import { instantOrNull, instantText } from '../../../foundation/instant-text.ts';
import { EVERY_ROLE } from '../../../domain/principal.ts';
import { secondsShape } from '../../../formats/seconds-shape.ts';
import { toMilliseconds } from '../../../formats/seconds.ts';
import { revokeToken } from '../../../engine/handoffs/revoke-token.ts';
import type { TokenRecord, UsedToken } from '../../../stores/store.ts';
import { AgentName, Cursor, PageQuery } from '../../shared/requests.ts';
import { NewTokenShape, RevokedShape, TokenLogShape, TokensShape } from '../../shared/view-shapes.ts';
import { endpoint, json, type Endpoint } from '../contract.ts';
import { httpProblem } from '../problem.ts';

const TEN_YEARS_SECONDS = 10 * 366 * 24 * 60 * 60;

const NewToken = z.strictObject({
  agent: AgentName.optional().describe("The agent of the token; absent: an operator's token."),
  roles: z.array(z.enum(EVERY_ROLE)).max(EVERY_ROLE.length).optional(),
  scopes: z
    .array(z.enum(['read', 'write']))
    .min(1)
    .max(2)
    .optional(),
  label: z.string().min(1).max(200).optional(),
  expiresSeconds: secondsShape(1, TEN_YEARS_SECONDS).optional(),
});

const RevokeQuery = z.strictObject({
  leases: z.enum(['keep', 'release']).optional().describe('What happens to handoffs claimed with it; default release.'),
});

const LogQuery = PageQuery.extend({ after: Cursor.optional() });

export const TOKEN_ROUTES: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/tokens',
    scope: 'write',
    operatorOnly: true,
    summary: 'Create a token, for the operator; its secret is shown once',
    body: NewToken,
    answers: { 201: 'The token, with its secret as `token`.' },
    responseShape: NewTokenShape,
    answer: async ({ serverContext: { access }, caller, body }) => {
      const request = {
        agent: body.agent ?? null,
        roles: body.roles ?? [],
        scopes: body.scopes ?? (['read', 'write'] as const),
        label: body.label ?? null,
        lifeMs: body.expiresSeconds === undefined ? null : toMilliseconds(body.expiresSeconds),
      };
      const { secret, record } = await access.mint(request, caller.principal);
      return json({ ...tokenView(record), token: secret }, 201);
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/tokens',
    scope: 'read',
    operatorOnly: true,
    summary: 'List the tokens without their secrets, for the operator',
    answers: { 200: '{ items }' },
    responseShape: TokensShape,
    answer: async ({ serverContext: { ctx } }) => json({ items: (await ctx.store.tokens.list()).map(usedTokenView) }),
  }),
  endpoint({
    method: 'delete',
    path: '/api/tokens/{id}',
    scope: 'write',
    operatorOnly: true,
    summary: 'Revoke a token, for the operator',
    about:
      'Its browser sessions, waiting requests and event streams end. Handoffs claimed with it are released, and the attempt does not count, ' +
      'unless `leases=keep`.',
    query: RevokeQuery,
    answers: { 200: '{ id, revoked, released }' },
    responseShape: RevokedShape,
    answer: async ({ serverContext: { ctx, tokens }, caller, query, c }) => {
      const id = c.req.param('id') ?? '';
      const keepsLeases = query.leases === 'keep';
      const { revoked, released } = await revokeToken(ctx, caller.principal, id, { keepsLeases });
      await tokens.check();
      if (revoked) return json({ id, revoked, released });
      throw httpProblem('no-such-token', `there is no token ${JSON.stringify(id)} that is still good`);
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/token-log',
    scope: 'read',
    operatorOnly: true,
    summary: 'List who created, revoked or was denied a token, for the operator',
    about: 'Newest first. The newest 1,000 denials are kept; repetitions within a minute are one line with a `count`.',
    query: LogQuery,
    answers: { 200: '{ items, next }' },
    responseShape: TokenLogShape,
    answer: async ({ serverContext: { ctx }, query: { limit, after } }) => {
      const asked = { max: limit ?? LOG_PAGE, ...(after === undefined ? {} : { after }) };
      const { items, next } = await ctx.store.tokens.log(asked);
      return json({ items: items.map((line) => ({ ...line, at: instantText(line.at) })), next });
    },
  }),
];

const LOG_PAGE = 100;

function usedTokenView(token: UsedToken): object {
  return { ...tokenView(token), lastUsedAt: instantOrNull(token.usedAt) };
}

function tokenView({ id, agent, roles, scopes, label, createdAt, expiresAt, revokedAt }: TokenRecord): object {
  return {
    id,
    agent: agent === null ? null : `@${agent}`,
    roles,
    scopes,
    label,
    createdAt: instantText(createdAt),
    expiresAt: instantOrNull(expiresAt),
    revokedAt: instantOrNull(revokedAt),
  };
}
