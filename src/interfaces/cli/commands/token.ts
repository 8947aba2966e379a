import { instantOrNull } from '../../../foundation/instant-text.ts';
import { EVERY_ROLE, OPERATOR, tokenIn, type Principal, type Role } from '../../../domain/principal.ts';
import type { JsonObject } from '../../../foundation/json.ts';
import { nameInLog, revokeToken as revoke } from '../../../engine/handoffs/revoke-token.ts';
import {
  canMint,
  localUser,
  mintFirstToken,
  mintToken,
  SCOPES,
  type Minted,
  type Scope,
  type TokenRequest,
} from '../../../workspace/identity.ts';
import type { OpenWorkspace } from '../../../workspace/opened-workspace.ts';
import type { TokenLogLine, TokenRecord } from '../../../stores/store.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { agentArgument, countArgument, secondsArgument, textArgument } from '../arguments.ts';
import {
  unprovenOperator,
  requireExplicitPrincipal,
  principalFor,
  type CommonOptions,
  type Flags,
  type Lists,
  type Texts,
  withOpened,
} from '../with-workspace.ts';
import type { Output } from '../output.ts';
import { cliProblem } from '../problem.ts';
import { printTable } from '../table.ts';

type NewTokenOptions = CommonOptions & Flags<'operator'> & Texts<'for' | 'label' | 'expires'> & Lists<'role' | 'scope'>;

const MAKE = 'make an operator token';
const TEN_YEARS_SECONDS = 10 * 366 * 24 * 60 * 60;

export async function newToken(_args: readonly string[], options: NewTokenOptions, output: Output): Promise<void> {
  if ((options.for === undefined) === (options.operator === undefined)) {
    throw cliProblem('usage', 'token new needs either --for AGENT or --operator');
  }
  const request = requestOf(options);
  return withOpened(options, async (app) => {
    const minted = await mintOne(app, options, request);
    printNew(minted, output);
  });
}

/**
 * Makes an operator token without showing one, for an operator who has lost the last one and can open the database. It
 * is the only way around the closed bootstrap, so a warning and the token log say so.
 */
export async function recoverToken(_args: readonly string[], options: NewTokenOptions, output: Output): Promise<void> {
  const request = { ...requestOf({ ...options, operator: true }), scopes: SCOPES };
  return withOpened(options, async ({ ctx }) => {
    await requireExplicitPrincipal(options, unprovenOperator(options, MAKE), MAKE);
    const by = localUser();
    printNew(await mintToken(ctx, request, { by, what: 'recovered' }), output);
    output.warn(`${by} has made an operator token without showing one; baton token log has it`);
  });
}

function requestOf(options: NewTokenOptions): TokenRequest {
  return {
    agent: options.for === undefined ? null : agentArgument(options.for, '--for'),
    roles: (options.role ?? []).map((role) => oneOf<Role>(role, EVERY_ROLE, '--role')),
    scopes: options.scope?.map((scope) => oneOf<Scope>(scope, SCOPES, '--scope')) ?? SCOPES,
    label: options.label === undefined ? null : textArgument(options.label, '--label'),
    lifeMs: options.expires === undefined ? null : secondsArgument(options.expires, '--expires', 1, TEN_YEARS_SECONDS),
  };
}

/**
 * A user who can open the database could write into it, so anybody may make the first operator token of a strict
 * workspace. After that only an operator may manage tokens, also when the last token has expired.
 */
async function mintOne(app: OpenWorkspace, options: CommonOptions, request: TokenRequest): Promise<Minted> {
  const { ctx, configuration } = app;
  const isUnproven = configuration.identity === 'strict' && (process.env['BATON_TOKEN'] ?? '') === '';
  if (isUnproven && (await ctx.store.tokens.bootstrapIsOpen())) {
    if (request.agent !== null) {
      throw cliProblem('token-needed', 'make the first operator token before all others: baton token new --operator');
    }
    if (!canMint(request)) {
      const says = 'the first operator token must be able to write, or nobody could ever make another one';
      throw cliProblem('bad-request', `${says}: leave --scope out, and make the one that only reads with it`);
    }
    unprovenOperator(options, MAKE);
    const first = await mintFirstToken(ctx, request);
    if (first !== null) return first;
  }
  const principal = await operatorIn(app, options, 'make a token');
  const by = tokenIn(principal) === null ? localUser() : nameInLog(principal);
  return mintToken(ctx, request, { by });
}

function printNew({ secret, record }: Minted, output: Output): void {
  if (output.json) output.answer({ ...tokenView(record), token: secret });
  else output.line(secret);
  output.note(`${record.id}; shown once, use it as BATON_TOKEN`);
}

export async function listTokens(_args: readonly string[], options: CommonOptions, output: Output): Promise<void> {
  return withOpened(options, async (app) => {
    const { ctx } = app;
    await operatorIn(app, options);
    const tokens = await ctx.store.tokens.list();
    const rows = tokens.map((token) => rowOf(token, ctx.store.nowMs()));
    printTable(output, tokens.map(tokenView), [HEAD, ...rows], 'no tokens');
  });
}

type RevokeOptions = CommonOptions & Flags<'keepLeases'>;

export async function revokeToken(args: readonly string[], options: RevokeOptions, output: Output): Promise<void> {
  const id = textArgument(args[0] ?? '', 'id');
  return withOpened(options, async (app) => {
    const { ctx } = app;
    const principal = await operatorIn(app, options, 'revoke a token');
    const keepsLeases = options.keepLeases === true;
    const { revoked, released } = await revoke(ctx, principal, id, { keepsLeases });
    if (!revoked) throw cliProblem('no-such-token', `there is no token ${JSON.stringify(id)} that is still good`);
    if (output.json) output.answer({ id, revoked, released });
    else output.line(`${id} revoked${released === 0 ? '' : `; given back: ${released}`}`);
    if (!(await hasOperator(app)))
      output.warn('no operator token is left; make one with: baton token recover --as operator');
  });
}

/** Only a strict workspace needs an operator token. */
async function hasOperator({ ctx, configuration }: OpenWorkspace): Promise<boolean> {
  if (configuration.identity !== 'strict') return true;
  const nowMs = ctx.store.nowMs();
  const tokens = await ctx.store.tokens.list();
  return tokens.some((token) => token.agent === null && token.scopes.includes('write') && isGood(token, nowMs));
}

const LOG_HEAD = ['at', 'what', 'token', 'by', 'detail'];
const LOG_PAGE = '50';
const LOG_MAX = 10_000;

type LogOptions = CommonOptions & Texts<'limit'>;

export async function logOfTokens(_args: readonly string[], options: LogOptions, output: Output): Promise<void> {
  const max = countArgument(options.limit ?? LOG_PAGE, '--limit', 1, LOG_MAX);
  return withOpened(options, async (app) => {
    await operatorIn(app, options);
    const { items } = await app.ctx.store.tokens.log({ max });
    const view = items.map((line) => ({ ...line, at: instantOrNull(line.at) }));
    printTable(output, view, [LOG_HEAD, ...items.map(logRow)], 'nothing has happened to any token');
  });
}

function logRow({ at, what, token, by, detail }: TokenLogLine): readonly string[] {
  const details = Object.entries(detail).flatMap(([name, value]) =>
    value === null || (Array.isArray(value) && value.length === 0) ? [] : [`${name}=${String(value)}`],
  );
  return [instantOrNull(at) ?? '', what, token ?? '-', displayLine(by), displayLine(details.join(' '))];
}

async function operatorIn(
  app: OpenWorkspace,
  options: CommonOptions,
  explicitAs: string | null = null,
): Promise<Principal> {
  const isStrict = app.configuration.identity === 'strict';
  if (isStrict && (process.env['BATON_TOKEN'] ?? '') === '') {
    const says =
      'show an operator token in BATON_TOKEN; where none is left, make one with: baton token recover --as operator';
    throw cliProblem('token-needed', `this workspace is strict: ${says}`);
  }
  const principal = await principalFor(app, options, OPERATOR);
  if (explicitAs !== null) await requireExplicitPrincipal(options, principal, explicitAs);
  if (principal.kind === 'operator') return principal;
  throw cliProblem('not-yours', 'only an operator may manage tokens');
}

function isGood({ revokedAt, expiresAt }: TokenRecord, nowMs: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > nowMs);
}

function oneOf<Word extends string>(text: string, words: readonly Word[], what: string): Word {
  const word = words.find((each) => each === text.toLowerCase());
  if (word !== undefined) return word;
  throw cliProblem('bad-request', `${what} ${JSON.stringify(text)}: one of ${words.join(', ')}`);
}

/** Without the hash, which only an attacker could use. */
function tokenView({ id, agent, roles, scopes, label, createdAt, expiresAt, revokedAt }: TokenRecord): JsonObject {
  return {
    id,
    for: agent === null ? 'operator' : `@${agent}`,
    roles,
    scopes,
    label,
    createdAt: instantOrNull(createdAt),
    expiresAt: instantOrNull(expiresAt),
    revokedAt: instantOrNull(revokedAt),
  };
}

const HEAD = ['id', 'for', 'scopes', 'state', 'expires', 'label'];

function rowOf(token: TokenRecord, nowMs: number): readonly string[] {
  const state = token.revokedAt !== null ? 'revoked' : isGood(token, nowMs) ? 'good' : 'expired';
  const holder = token.agent === null ? 'operator' : `@${token.agent}`;
  const expires = instantOrNull(token.expiresAt) ?? 'never';
  return [token.id, holder, token.scopes.join(', '), state, expires, displayLine(token.label ?? '')];
}
