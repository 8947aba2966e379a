import { EVERY_ROLE, OPERATOR, type Role } from '../../../domain/principal.ts';
import type { JsonObject } from '../../../foundation/json.ts';
import { mintToken, SCOPES, type Scope } from '../../../house/identity.ts';
import type { OpenWorkspace } from '../../../house/open-workspace.ts';
import type { TokenRecord } from '../../../stores/store.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { agentArgument, secondsArgument, textArgument } from '../arguments.ts';
import { openFor, whoAsks, type CommonOptions } from '../invocation.ts';
import type { Output } from '../output.ts';
import { faceProblem } from '../problem.ts';
import { tableOf } from '../table.ts';

interface NewTokenOptions extends CommonOptions {
  readonly for?: string;
  readonly operator?: true;
  readonly role?: readonly string[];
  readonly scope?: readonly string[];
  readonly label?: string;
  readonly expires?: string;
}

const TEN_YEARS_SECONDS = 10 * 366 * 24 * 60 * 60;

export async function newToken(_args: readonly string[], options: NewTokenOptions, output: Output): Promise<number> {
  if ((options.for === undefined) === (options.operator === undefined)) {
    throw faceProblem('usage', 'token new needs either --for AGENT or --operator');
  }
  const request = {
    agent: options.for === undefined ? null : agentArgument(options.for, '--for'),
    roles: (options.role ?? []).map((role) => oneOf<Role>(role, EVERY_ROLE, '--role')),
    scopes: options.scope?.map((scope) => oneOf<Scope>(scope, SCOPES, '--scope')) ?? SCOPES,
    label: options.label === undefined ? null : textArgument(options.label, '--label'),
    lifeMs: options.expires === undefined ? null : secondsArgument(options.expires, '--expires', 1, TEN_YEARS_SECONDS),
  };
  return asOperator(options, async ({ around }) => {
    const { secret, record } = await mintToken(around, request);
    if (output.json) output.answer({ ...tokenView(record), token: secret });
    else output.line(secret);
    output.note(`${record.id}; shown once, use it as BATON_TOKEN`);
    return 0;
  });
}

export async function listTokens(_args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  return asOperator(options, async ({ around }) => {
    const tokens = await around.store.tokens.list();
    if (output.json) output.answer(tokens.map(tokenView));
    else if (tokens.length === 0) output.note('there are none');
    else
      output.line(
        tableOf(
          HEAD,
          tokens.map((token) => rowOf(token, around.store.nowMs())),
        ),
      );
    return 0;
  });
}

export async function revokeToken(args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  const id = textArgument(args[0] ?? '', 'id');
  return asOperator(options, async ({ around }) => {
    const revoked = await around.store.tokens.revoke(id);
    if (!revoked) throw faceProblem('no-such-token', `there is no token ${JSON.stringify(id)} that is still good`);
    if (output.json) output.answer({ id, revoked });
    else output.line(`${id} revoked`);
    return 0;
  });
}

/**
 * Whoever can open the database could write into it, so the first operator's token is free to make. From then on, in a
 * strict workspace, tokens are the operator's business.
 */
async function asOperator(options: CommonOptions, act: (house: OpenWorkspace) => Promise<number>): Promise<number> {
  const house = await openFor(options);
  try {
    const nowMs = house.around.store.nowMs();
    const isFirst = !(await house.around.store.tokens.list()).some(
      (token) => token.agent === null && isGood(token, nowMs),
    );
    const principal = isFirst ? OPERATOR : await whoAsks(house, options, OPERATOR);
    if (principal.kind !== 'operator') throw faceProblem('not-yours', "tokens are the operator's business");
    return await act(house);
  } finally {
    await house.close();
  }
}

function isGood({ revokedAt, expiresAt }: TokenRecord, nowMs: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > nowMs);
}

function oneOf<Word extends string>(text: string, words: readonly Word[], what: string): Word {
  const word = words.find((each) => each === text.toLowerCase());
  if (word !== undefined) return word;
  throw faceProblem('bad-request', `${what} ${JSON.stringify(text)}: one of ${words.join(', ')}`);
}

/** Never the hash: it is of no use to anybody but a thief. */
function tokenView({ id, agent, roles, scopes, label, createdAt, expiresAt, revokedAt }: TokenRecord): JsonObject {
  return {
    id,
    for: agent === null ? 'operator' : `@${agent}`,
    roles,
    scopes,
    label,
    createdAt: instant(createdAt),
    expiresAt: instant(expiresAt),
    revokedAt: instant(revokedAt),
  };
}

function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

const HEAD = ['id', 'for', 'scopes', 'state', 'expires', 'label'];

function rowOf(token: TokenRecord, nowMs: number): readonly string[] {
  const state = token.revokedAt !== null ? 'revoked' : isGood(token, nowMs) ? 'good' : 'expired';
  const holder = token.agent === null ? 'operator' : `@${token.agent}`;
  const expires = instant(token.expiresAt) ?? 'never';
  return [token.id, holder, token.scopes.join(', '), state, expires, displayLine(token.label ?? '')];
}
