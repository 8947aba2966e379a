/** Who may come in, as whom, and for what. */
import { describe, expect, it } from 'vitest';
import { cookieName } from '../../src/interfaces/http/caller.ts';
import { served, type Answer, type Served } from './served.ts';

interface ProblemJson {
  readonly code: string;
  readonly detail: string;
  readonly status: number;
}

function codeOf(answer: Answer): string {
  return (answer.json as ProblemJson).code;
}

const SEND = { to: '@react', input: { x: 1 } };

describe('a token', () => {
  it('is needed for everything that tells or changes something', async () => {
    const server = await served();
    for (const [method, path] of [
      ['GET', '/api/handoffs'],
      ['POST', '/api/handoffs'],
      ['GET', '/api/events'],
      ['GET', '/api/agents'],
      ['GET', '/api/quarantine'],
      ['GET', '/metrics'],
      ['POST', '/api/claims'],
      ['POST', '/api/login-links'],
    ] as const) {
      const answer = await server.ask(method, path, method === 'POST' ? { body: {} } : {});
      expect([path, answer.status, codeOf(answer)]).toEqual([path, 401, 'token-needed']);
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    }
  });

  it('is refused when it is unknown, of another workspace, revoked or too old', async () => {
    const server = await served();
    const other = await served();
    const foreign = await other.tokenFor(null);
    const old = await server.tokenFor('@me', { lifeMs: -1 });
    const revoked = await server.tokenFor('@me', { label: 'gone' });
    const { store } = server.ctx;
    const record = (await store.tokens.list()).find(({ label }) => label === 'gone');
    await store.tokens.revoke(record?.id ?? '', { by: 'me' });
    for (const token of ['baton_nothing', foreign, old, revoked]) {
      const answer = await server.ask('GET', '/api/handoffs', { token });
      expect([answer.status, codeOf(answer)]).toEqual([401, 'token-refused']);
    }
    const basic = await server.ask('GET', '/api/handoffs', { headers: { authorization: 'Basic bWU6eW91' } });
    expect(basic.status).toBe(401);
  });

  it('opens only what its scopes say', async () => {
    const server = await served();
    const reader = await server.tokenFor('@me', { scopes: ['read'] });
    const writer = await server.tokenFor('@me', { scopes: ['write'] });
    expect((await server.ask('GET', '/api/handoffs', { token: reader })).status).toBe(200);
    const written = await server.ask('POST', '/api/handoffs', { token: reader, body: SEND });
    expect([written.status, codeOf(written)]).toEqual([403, 'scope-missing']);
    expect((await server.ask('POST', '/api/handoffs', { token: writer, body: SEND })).status).toBe(201);
    expect((await server.ask('GET', '/api/handoffs', { token: writer })).status).toBe(403);
  });

  it('alone says who somebody is: a name in the body changes nothing', async () => {
    const server = await served();
    const mallory = await server.tokenFor('@mallory');
    const forged = await server.ask('POST', '/api/handoffs', { token: mallory, body: { ...SEND, from: '@boss' } });
    expect([forged.status, codeOf(forged)]).toEqual([403, 'not-entitled']);
    const plain = await server.ask('POST', '/api/handoffs', { token: mallory, body: SEND });
    expect((plain.json as { from: string }).from).toBe('@mallory');

    const { id } = plain.json as { id: string };
    for (const body of [{ as: '@react' }, { by: '@react' }, { principal: 'operator' }]) {
      const accepted = await server.ask('POST', `/api/handoffs/${id}/accept`, { token: mallory, body });
      expect([accepted.status, codeOf(accepted)]).toEqual([400, 'bad-request']);
    }
    const taken = await server.ask('POST', `/api/handoffs/${id}/accept`, { token: mallory, body: {} });
    expect([taken.status, codeOf(taken)]).toEqual([403, 'not-entitled']);
    const claimed = await server.ask('POST', '/api/claims', { token: mallory, body: { agent: '@react' } });
    expect([claimed.status, codeOf(claimed)]).toEqual([403, 'not-yours']);
    const inbox = await server.ask('GET', '/api/inbox/@react', { token: mallory });
    expect([inbox.status, codeOf(inbox)]).toEqual([403, 'not-yours']);
  });

  it('shows what is its own and nothing else', async () => {
    const server = await served();
    const me = await server.tokenFor('@me');
    const stranger = await server.tokenFor('@stranger');
    const { id } = (await server.ask('POST', '/api/handoffs', { token: me, body: SEND })).json as { id: string };
    const listed = await server.ask('GET', '/api/handoffs', { token: stranger });
    expect((listed.json as { items: unknown[] }).items).toEqual([]);
    for (const path of ['', '/facts', '/chain', '/wait?seconds=0']) {
      const answer = await server.ask('GET', `/api/handoffs/${id}${path}`, { token: stranger });
      expect([path, answer.status, codeOf(answer)]).toEqual([path, 404, 'no-such-handoff']);
    }
    for (const path of ['/api/metrics-summary', '/api/quarantine', '/metrics']) {
      const answer = await server.ask('GET', path, { token: stranger });
      expect([path, answer.status, codeOf(answer)]).toEqual([path, 403, 'not-yours']);
    }
  });

  it('is never logged', async () => {
    const server = await served();
    const token = await server.tokenFor('@me');
    await server.ask('POST', '/api/handoffs', { token, body: SEND });
    await server.ask('GET', '/api/handoffs', { token: `${token}x` });
    expect(server.logged()).toContain('/api/handoffs');
    expect(server.logged()).not.toContain(token);
  });
});

async function comeIn(
  server: Served,
  link = server.link,
): Promise<{ readonly cookie: string; readonly answer: Answer }> {
  const code = new URL(link).searchParams.get('code');
  const answer = await server.ask('POST', '/api/session', { body: { code } });
  return { cookie: (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '', answer };
}

describe('a login link', () => {
  it('becomes a cookie that no script reads and no other site sends, once', async () => {
    const server = await served();
    const looked = await server.ask('GET', new URL(server.link).pathname + new URL(server.link).search);
    expect([looked.status, looked.headers.get('set-cookie')]).toEqual([200, null]);
    const { cookie, answer } = await comeIn(server);
    expect(answer.headers.get('set-cookie')).toMatch(
      new RegExp(`^${cookieName(server.port)}=[\\w-]+; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200$`),
    );
    expect((await server.ask('GET', '/api/handoffs', { headers: { cookie } })).status).toBe(200);
    const again = await comeIn(server);
    expect([again.answer.status, codeOf(again.answer), again.cookie]).toEqual([401, 'code-refused', '']);
  });

  it('opens writes only with the mark of its session, which other pages cannot read', async () => {
    const server = await served();
    const { cookie } = await comeIn(server);
    const body = { ...SEND, from: '@me' };
    const bare = await server.ask('POST', '/api/handoffs', { headers: { cookie }, body });
    expect([bare.status, codeOf(bare)]).toEqual([403, 'csrf-missing']);
    const wrong = await server.ask('POST', '/api/handoffs', { headers: { cookie, 'x-baton-csrf': '1' }, body });
    expect(wrong.status).toBe(403);
    const session = (await server.ask('GET', '/api/session', { headers: { cookie } })).json as {
      principal: string;
      csrf: string;
    };
    expect(session.principal).toBe('operator');
    const headers = { cookie, 'x-baton-csrf': session.csrf };
    expect((await server.ask('POST', '/api/handoffs', { headers, body })).status).toBe(201);
    expect((await server.ask('DELETE', '/api/session', { headers })).status).toBe(204);
    expect((await server.ask('GET', '/api/handoffs', { headers: { cookie } })).status).toBe(401);
  });

  it('that an agent asks for opens what its token opens, and nothing once that is revoked', async () => {
    const server = await served();
    const operator = await server.tokenFor(null);
    const token = await server.tokenFor('@doer');
    const reader = await server.tokenFor('@doer', { scopes: ['read'] });
    expect((await server.ask('POST', '/api/login-links', { token: reader })).status).toBe(403);
    await server.ask('POST', '/api/handoffs', { token: operator, body: { from: '@me', to: '@other' } });
    const { path } = (await server.ask('POST', '/api/login-links', { token })).json as { path: string };
    const { cookie } = await comeIn(server, `${server.url}${path}`);
    const headers = { cookie };
    const session = (await server.ask('GET', '/api/session', { headers })).json as { csrf: string };
    expect(session).toMatchObject({ principal: '@doer', agent: '@doer' });
    expect((await server.ask('GET', '/api/handoffs', { headers })).json).toMatchObject({ items: [] });
    expect((await server.ask('GET', '/api/tokens', { headers })).status).toBe(403);
    const mine = { cookie, 'x-baton-csrf': session.csrf };
    const sent = await server.ask('POST', '/api/handoffs', { headers: mine, body: { from: '@me', to: '@other' } });
    expect([sent.status, codeOf(sent)]).toEqual([403, 'not-entitled']);
    const [made] = (await server.ctx.store.tokens.list()).filter(
      ({ agent, scopes }) => agent === 'doer' && scopes.length > 1,
    );
    await server.ask('DELETE', `/api/tokens/${made?.id ?? ''}`, { token: operator });
    expect((await server.ask('GET', '/api/session', { headers })).status).toBe(401);
  });

  it('can be had anew by the operator, from the file that only its owner reads', async () => {
    const server = await served();
    const { statSync, readFileSync } = await import('node:fs');
    const file = `${server.folder}/.baton/serve.json`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { url, token } = JSON.parse(readFileSync(file, 'utf8')) as { url: string; token: string };
    expect(url).toBe(server.url);
    const { path } = (await server.ask('POST', '/api/login-links', { token })).json as { path: string };
    expect((await comeIn(server, `${server.url}${path}`)).answer.status).toBe(200);
    await server.stop();
    const again = await served({ folder: server.folder });
    expect((await again.ask('GET', '/api/handoffs', { token })).status).toBe(401);
  });
});
