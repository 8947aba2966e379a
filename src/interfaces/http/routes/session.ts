/** Sessions of browsers. */
import * as z from 'zod';
import { instantText } from '../../../foundation/instant-text.ts';
import { principalText } from '../../../domain/principal.ts';
import { LoginBody } from '../../shared/requests.ts';
import { SessionShape, SessionsShape } from '../../shared/view-shapes.ts';
import { cookieIn, cookieName, Denied } from '../caller.ts';
import { endpoint, json, type Endpoint } from '../contract.ts';
import { httpProblem } from '../problem.ts';

export const SESSION_ROUTES: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/session',
    scope: null,
    summary: 'Exchange the code of a login link for a session',
    about: 'The page at /login does this. A code works once, for ten minutes.',
    body: LoginBody,
    answers: { 200: 'The cookie is set.' },
    responseShape: z.strictObject({ ok: z.literal(true) }),
    answer: async ({ serverContext: { logins, access, log }, body, port, c }) => {
      const made = logins.redeem(body.code);
      const isGood = made !== null && (made.token === null || (await access.ofToken(made.token)) !== null);
      if (made !== null && !isGood) logins.end(made.secret);
      if (made === null || !isGood) {
        log.warn({}, 'a login code was refused');
        const says = 'this link was used, is too old, or its token has ended; get a new one with: baton serve';
        throw new Denied('code-refused', says, made?.token ?? null);
      }
      const secure = c.req.header('origin')?.startsWith('https://') === true ? '; Secure' : '';
      const cookie = `${cookieName(port)}=${made.secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${made.lifeMs / 1000}${secure}`;
      return json({ ok: true }, 200, { 'set-cookie': cookie });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/session',
    scope: 'read',
    summary: 'Show the current caller',
    about: 'A write with a cookie sends `csrf` as X-Baton-Csrf; with a token it is null and not needed.',
    answers: { 200: 'You.' },
    responseShape: SessionShape,
    answer: async ({ serverContext: { project, version, ctx }, caller: { principal, scopes, csrf } }) =>
      json({
        principal: principalText(principal),
        agent: principal.kind === 'agent' ? `@${principal.agent}` : null,
        roles: principal.kind === 'agent' ? principal.roles : [],
        scopes,
        csrf,
        project,
        version,
        now: instantText(ctx.store.nowMs()),
      }),
  }),
  endpoint({
    method: 'delete',
    path: '/api/session',
    scope: 'write',
    summary: 'Sign out: end the session',
    answers: { 204: 'The session is over.' },
    answer: async ({ serverContext: { logins }, port, c }) => {
      const secret = cookieIn(c.req.header('cookie') ?? null, cookieName(port));
      if (secret !== null) logins.end(secret);
      const cookie = `${cookieName(port)}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0`;
      return new Response(null, { status: 204, headers: { 'set-cookie': cookie } });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/sessions',
    scope: 'read',
    operatorOnly: true,
    summary: 'List open browser sessions, for the operator',
    answers: { 200: 'The sessions; `own` marks the one of the request.' },
    responseShape: SessionsShape,
    answer: async ({ serverContext: { logins }, caller }) => {
      const items = logins.list().map(({ name, token, untilMs }) => ({
        name,
        own: name === caller.name,
        token,
        until: instantText(untilMs),
      }));
      return json({ items });
    },
  }),
  endpoint({
    method: 'delete',
    path: '/api/sessions/{name}',
    scope: 'write',
    operatorOnly: true,
    summary: 'End a browser session, for the operator',
    answers: { 204: 'The session is over.' },
    answer: async ({ serverContext: { logins }, c }) => {
      const name = c.req.param('name') ?? '';
      if (logins.endNamed(name)) return new Response(null, { status: 204 });
      throw httpProblem('no-such-token', `there is no session ${JSON.stringify(name.slice(0, 100))}`);
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/login-links',
    scope: 'write',
    summary: 'Create a login link for the caller',
    about: 'Its session has the rights of the token of the request, and ends with it.',
    answers: { 201: '{ path }' },
    responseShape: z.strictObject({
      path: z.string().describe('A path on this server; it works once, for ten minutes.'),
    }),
    answer: async ({ serverContext: { logins }, caller }) =>
      json({ path: `/login?code=${logins.newCode(caller.token)}` }, 201),
  }),
];
