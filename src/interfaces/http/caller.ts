/** Finds out who asks by a token or a session. Nothing else in a request names its caller. */
import { OPERATOR, principalText, type Principal } from '../../domain/principal.ts';
import type { ProblemCode } from '../shared/problems.ts';
import { sameSecret } from './logins.ts';
import { SCOPES, type Scope } from '../../workspace/identity.ts';
import type { ServerContext } from './server-context.ts';
import { HttpProblem, httpProblem } from './problem.ts';

export interface Caller {
  readonly principal: Principal;
  /** The name of the token or session, for limits and logs. */
  readonly name: string;
  /** The id of the token of the request, or of the one that opened the session. */
  readonly token: string | null;
  readonly csrf: string | null;
  readonly scopes: readonly string[];
  /** Whether the token or session is still good: an operator may revoke it while the caller listens. */
  isStillValid(): Promise<boolean>;
}

/** Carries the id of a known token to the token log. The answer does not name it. */
export class Denied extends HttpProblem {
  readonly token: string | null;

  constructor(code: ProblemCode, says: string, token: string | null) {
    super(code, says);
    this.token = token;
  }
}

/** Sessions of links that the server printed itself belong to the operator. */
const BY_LINK = { principal: OPERATOR, record: { scopes: SCOPES } } as const;

const CSRF_HEADER = 'x-baton-csrf';

export async function callerOf(
  serverContext: ServerContext,
  headers: Headers,
  port: number,
  scope: Scope,
): Promise<Caller> {
  const bearer = bearerIn(headers.get('authorization'));
  if (bearer !== null) return byToken(serverContext, bearer, scope);
  const secret = cookieIn(headers.get('cookie'), cookieName(port));
  if (secret === null) {
    throw httpProblem('token-needed', 'send a token as Authorization: Bearer …; create one with: baton token new');
  }
  const session = serverContext.logins.sessionOf(secret);
  if (session === null) {
    throw httpProblem('token-refused', 'this session is over; get a new link with: baton serve');
  }
  const proof = session.token === null ? BY_LINK : await serverContext.access.ofToken(session.token);
  if (proof === null) {
    serverContext.logins.end(secret);
    const says = 'this session is over: the token that opened it has ended; get a new link with: baton serve';
    throw new Denied('token-refused', says, session.token);
  }
  const shown = headers.get(CSRF_HEADER) ?? '';
  if (scope === 'write' && !sameSecret(shown, session.csrf)) {
    throw httpProblem(
      'csrf-missing',
      `a write with a cookie needs the ${CSRF_HEADER} of its session; see GET /api/session`,
    );
  }
  if (!proof.record.scopes.includes(scope)) {
    throw new Denied('scope-missing', `the token of this session does not allow to ${scope}`, session.token);
  }
  return {
    ...session,
    principal: proof.principal,
    scopes: proof.record.scopes,
    isStillValid: async () =>
      serverContext.logins.sessionOf(secret) !== null &&
      (session.token === null || (await serverContext.access.ofToken(session.token)) !== null),
  };
}

async function byToken({ access }: ServerContext, secret: string, scope: Scope): Promise<Caller> {
  const proven = await access.prove(secret, scope);
  if (!proven.ok) {
    const { refusal } = proven;
    throw new Denied(refusal.code, refusal.says, 'token' in refusal ? refusal.token : null);
  }
  const { principal, record } = proven.value;
  return {
    principal,
    name: record.id,
    token: record.id,
    scopes: record.scopes,
    csrf: null,
    isStillValid: async () => (await access.prove(secret, scope)).ok,
  };
}

function bearerIn(header: string | null): string | null {
  if (header === null) return null;
  const found = /^Bearer ([A-Za-z0-9._~+/=-]{1,400})$/i.exec(header);
  if (found?.[1] !== undefined) return found[1];
  throw httpProblem('token-refused', 'only tokens are accepted: Authorization: Bearer …');
}

/** Names the port, because a browser sends the cookies of a host to all its ports. */
export function cookieName(port: number): string {
  return `baton-${port}`;
}

export function cookieIn(header: string | null, name: string): string | null {
  for (const part of header?.split(';') ?? []) {
    const [key = '', value = ''] = part.trim().split('=', 2);
    if (key === name && /^[A-Za-z0-9_-]{1,200}$/.test(value)) return value;
  }
  return null;
}

export function mustBeOperator({ principal }: Caller): void {
  if (principal.kind === 'operator') return;
  throw httpProblem('not-yours', `only an operator may do this, not ${principalText(principal)}`);
}
