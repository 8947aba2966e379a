import { EVERY_ROLE, OPERATOR, tokenIn, type Principal, type Role } from '../../../domain/principal.ts';
import type { JsonObject } from '../../../foundation/json.ts';
import { nameInLog, revokeToken as revoke } from '../../../engine/verbs/revoke-token.ts';
import {
  canMint,
  localUser,
  mintFirstToken,
  mintToken,
  SCOPES,
  type Scope,
  type TokenRequest,
} from '../../../house/identity.ts';
import type { OpenWorkspace } from '../../../house/open-workspace.ts';
import type { TokenLogLine, TokenRecord } from '../../../stores/store.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { agentArgument, countArgument, secondsArgument, textArgument } from '../arguments.ts';
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
  const request = requestOf(options);
  return inTokens(options, async (house) => {
    const minted = await mintOne(house, options, request);
    tellNew(minted, output);
    return 0;
  });
}

/**
 * A new operator token for whoever can open the database and has no operator token any more. It is the one way past the
 * closed bootstrap, so it says so to whoever runs it, and to everybody who reads the log.
 */
export async function recoverToken(
  _args: readonly string[],
  options: NewTokenOptions,
  output: Output,
): Promise<number> {
  const request = { ...requestOf({ ...options, operator: true }), scopes: SCOPES };
  return inTokens(options, async ({ around }) => {
    const by = localUser();
    tellNew(await mintToken(around, request, { by, what: 'recovered' }), output);
    output.warn(`${by} has made an operator token without showing one; baton token log has it`);
    return 0;
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

interface Minted {
  readonly secret: string;
  readonly record: TokenRecord;
}

/**
 * Whoever can open the database could write into it, so the first operator token of a strict workspace is free to make.
 * From then on tokens are the operator's business, also when the last one has expired.
 */
async function mintOne(house: OpenWorkspace, options: CommonOptions, request: TokenRequest): Promise<Minted> {
  const { around, configuration } = house;
  const isUnproven = configuration.identity === 'strict' && (process.env['BATON_TOKEN'] ?? '') === '';
  if (isUnproven && (await around.store.tokens.bootstrapIsOpen())) {
    if (request.agent !== null) {
      throw faceProblem('token-needed', 'make the first operator token before all others: baton token new --operator');
    }
    if (!canMint(request)) {
      const says = 'the first operator token must be able to write, or nobody could ever make another one';
      throw faceProblem('bad-request', `${says}: leave --scope out, and make the one that only reads with it`);
    }
    const first = await mintFirstToken(around, request);
    if (first !== null) return first;
  }
  const principal = await operatorIn(house, options);
  const by = tokenIn(principal) === null ? localUser() : nameInLog(principal);
  return mintToken(around, request, { by });
}

function tellNew({ secret, record }: Minted, output: Output): void {
  if (output.json) output.answer({ ...tokenView(record), token: secret });
  else output.line(secret);
  output.note(`${record.id}; shown once, use it as BATON_TOKEN`);
}

export async function listTokens(_args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  return inTokens(options, async (house) => {
    const { around } = house;
    await operatorIn(house, options);
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

interface RevokeOptions extends CommonOptions {
  readonly keepLeases?: true;
}

export async function revokeToken(args: readonly string[], options: RevokeOptions, output: Output): Promise<number> {
  const id = textArgument(args[0] ?? '', 'id');
  return inTokens(options, async (house) => {
    const { around } = house;
    const principal = await operatorIn(house, options);
    const keepsLeases = options.keepLeases === true;
    const { revoked, released } = await revoke(around, principal, id, { keepsLeases });
    if (!revoked) throw faceProblem('no-such-token', `there is no token ${JSON.stringify(id)} that is still good`);
    if (output.json) output.answer({ id, revoked, released });
    else output.line(`${id} revoked${released === 0 ? '' : `; given back: ${released}`}`);
    if (!(await hasOperator(house))) output.warn('no operator token is left; make one with: baton token recover');
    return 0;
  });
}

/** Only a strict workspace cannot be run without one. */
async function hasOperator({ around, configuration }: OpenWorkspace): Promise<boolean> {
  if (configuration.identity !== 'strict') return true;
  const nowMs = around.store.nowMs();
  const tokens = await around.store.tokens.list();
  return tokens.some((token) => token.agent === null && token.scopes.includes('write') && isGood(token, nowMs));
}

const LOG_HEAD = ['at', 'what', 'token', 'by', 'detail'];
const LOG_PAGE = '50';
const LOG_MAX = 10_000;

export async function logOfTokens(_args: readonly string[], options: LogOptions, output: Output): Promise<number> {
  const max = countArgument(options.limit ?? LOG_PAGE, '--limit', 1, LOG_MAX);
  return inTokens(options, async (house) => {
    await operatorIn(house, options);
    const { items } = await house.around.store.tokens.log({ max });
    if (output.json) output.answer(items.map((line) => ({ ...line, at: instant(line.at) })));
    else if (items.length === 0) output.note('nothing has happened to any token');
    else output.line(tableOf(LOG_HEAD, items.map(logRow)));
    return 0;
  });
}

interface LogOptions extends CommonOptions {
  readonly limit?: string;
}

function logRow({ at, what, token, by, detail }: TokenLogLine): readonly string[] {
  const told = Object.entries(detail).flatMap(([name, value]) =>
    value === null || (Array.isArray(value) && value.length === 0) ? [] : [`${name}=${String(value)}`],
  );
  return [instant(at) ?? '', what, token ?? '-', displayLine(by), displayLine(told.join(' '))];
}

async function inTokens(options: CommonOptions, act: (house: OpenWorkspace) => Promise<number>): Promise<number> {
  const house = await openFor(options);
  try {
    return await act(house);
  } finally {
    await house.close();
  }
}

async function operatorIn(house: OpenWorkspace, options: CommonOptions): Promise<Principal> {
  const isStrict = house.configuration.identity === 'strict';
  if (isStrict && (process.env['BATON_TOKEN'] ?? '') === '') {
    const says = 'show an operator token in BATON_TOKEN; where none is left, make one with: baton token recover';
    throw faceProblem('token-needed', `this workspace is strict: ${says}`);
  }
  const principal = await whoAsks(house, options, OPERATOR);
  if (principal.kind === 'operator') return principal;
  throw faceProblem('not-yours', "tokens are the operator's business");
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
