/** What a revoked token leaves behind: nothing that is open, and nothing that it holds. */
import { describe, expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { openWorkspace } from '../../src/app/open-workspace.ts';
import { OPERATOR } from '../../src/domain/principal.ts';
import { revokeToken } from '../../src/engine/handoffs/revoke-token.ts';
import { until } from '../support/processes.ts';
import { listen } from './event-listener.ts';
import { served, type Served } from './served.ts';

/** Longer than any test: what ends earlier was not ended by a sign of life. */
const NO_BEAT_MS = 10 * 60_000;

interface Made {
  readonly id: string;
  readonly token: string;
}

async function make(server: Served, by: string, agent?: string): Promise<Made> {
  const made = await server.ask('POST', '/api/tokens', { token: by, body: agent === undefined ? {} : { agent } });
  expect(made.status).toBe(201);
  return made.json;
}

async function revoke(server: Served, by: string, { id }: Made, query = ''): Promise<unknown> {
  const answer = await server.ask('DELETE', `/api/tokens/${id}${query}`, { token: by });
  expect(answer.status).toBe(200);
  return answer.json;
}

/** As a command beside the server does it. */
async function revokeElsewhere({ folder }: Served, { id }: Made): Promise<void> {
  const other = present(await openWorkspace({ workspace: folder }), 'a workspace');
  await revokeToken(other.ctx, OPERATOR, id);
  await other.close();
}

async function sendTo(server: Served, operator: string, to: string): Promise<string> {
  const sent = await server.ask('POST', '/api/handoffs', { token: operator, body: { from: '@me', to } });
  return (sent.json as { id: string }).id;
}

async function stateOf(server: Served, operator: string, id: string): Promise<unknown> {
  const { json } = await server.ask('GET', `/api/handoffs/${id}`, { token: operator });
  return (json as { state: string }).state;
}

async function browserOf(server: Served, token: string): Promise<Record<string, string>> {
  const { path } = (await server.ask('POST', '/api/login-links', { token })).json as { path: string };
  const code = new URL(path, server.url).searchParams.get('code');
  const came = await server.ask('POST', '/api/session', { body: { code } });
  const cookie = (came.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const { csrf } = (await server.ask('GET', '/api/session', { headers: { cookie } })).json as { csrf: string };
  return { cookie, 'x-baton-csrf': csrf };
}

describe.each([
  {
    how: 'through the server',
    end: async (server: Served, by: string, made: Made) => void (await revoke(server, by, made)),
  },
  { how: 'by another process', end: async (server: Served, _by: string, made: Made) => revokeElsewhere(server, made) },
])('a token that is revoked $how', ({ end }) => {
  it('ends the browser sessions and the login links that it opened', async () => {
    const server = await served();
    const operator = await server.tokenFor(null);
    const made = await make(server, operator);
    const browser = await browserOf(server, made.token);
    const { path } = (await server.ask('POST', '/api/login-links', { token: made.token })).json as { path: string };
    await end(server, operator, made);
    const minted = await server.ask('POST', '/api/tokens', { headers: browser, body: {} });
    expect([minted.status, (minted.json as { code: string }).code]).toEqual([401, 'token-refused']);
    expect((await server.ask('GET', '/api/handoffs', { headers: browser })).status).toBe(401);
    const code = new URL(path, server.url).searchParams.get('code');
    expect((await server.ask('POST', '/api/session', { body: { code } })).status).toBe(401);
  });

  it('gets none of the work that it waits for', async () => {
    const server = await served();
    const operator = await server.tokenFor(null);
    const made = await make(server, operator, '@react');
    const waiting = server.ask('POST', '/api/claims', { token: made.token, body: { waitSeconds: 60 } });
    await server.ask('GET', '/healthz');
    await end(server, operator, made);
    const id = await sendTo(server, operator, '@react');
    const answer = await waiting;
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([401, 'token-refused']);
    expect(await stateOf(server, operator, id)).toBe('offered');
  });

  it('is told while it waits, and its event streams end', async () => {
    const server = await served({ beatMs: NO_BEAT_MS });
    const operator = await server.tokenFor(null);
    const made = await make(server, operator, '@react');
    const id = await sendTo(server, operator, '@react');
    const listening = await listen(server, made.token);
    const settled = server.ask('GET', `/api/handoffs/${id}/wait?seconds=300`, { token: made.token });
    const shown = server.ask('GET', `/api/handoffs/${id}?wait=300`, { token: made.token });
    await server.ask('GET', '/healthz');
    await end(server, operator, made);
    await listening.ended;
    expect((await Promise.all([settled, shown])).map(({ status }) => status)).toEqual([401, 401]);
  });

  it('ends the event streams of its browser sessions', async () => {
    const server = await served({ beatMs: NO_BEAT_MS });
    const operator = await server.tokenFor(null);
    const made = await make(server, operator);
    const browser = await browserOf(server, made.token);
    const stream = await fetch(`${server.url}/api/events`, { headers: browser });
    expect(stream.status).toBe(200);
    await end(server, operator, made);
    await expect(stream.text()).rejects.toThrow('terminated');
  });

  it('gives back what was taken with it, uncounted, and nothing else', async () => {
    const server = await served();
    const operator = await server.tokenFor(null);
    const [made, other] = [await make(server, operator, '@react'), await make(server, operator, '@react')];
    const [claimed, accepted, kept] = [
      await sendTo(server, operator, '@react'),
      await sendTo(server, operator, '@react'),
      await sendTo(server, operator, '@react'),
    ];
    const taken = await server.ask('POST', '/api/claims', { token: made.token, body: {} });
    expect((taken.json as { id: string }).id).toBe(claimed);
    expect((await server.ask('POST', `/api/handoffs/${accepted}/accept`, { token: made.token })).status).toBe(200);
    expect((await server.ask('POST', `/api/handoffs/${kept}/accept`, { token: other.token })).status).toBe(200);
    await end(server, operator, made);
    const { store } = server.ctx;
    const { items } = await store.find({ by: 'filter', max: 10 });
    expect(items.map(({ id, state, attempt, excused }) => [id, state, attempt - excused])).toEqual([
      [kept, 'accepted', 1],
      [accepted, 'offered', 0],
      [claimed, 'offered', 0],
    ]);
    const late = await server.ask('POST', `/api/handoffs/${claimed}/deliver`, {
      token: other.token,
      body: { fence: 1 },
    });
    expect([late.status, (late.json as { code: string }).code]).toEqual([409, 'lease-lost']);
  });
});

describe('leases of a revoked token', () => {
  it('are kept where the operator wants it, and a newer token of the agent goes on', async () => {
    const server = await served();
    const operator = await server.tokenFor(null);
    const [made, next] = [await make(server, operator, '@react'), await make(server, operator, '@react')];
    const id = await sendTo(server, operator, '@react');
    await server.ask('POST', '/api/claims', { token: made.token, body: {} });
    expect(await revoke(server, operator, made, '?leases=keep')).toEqual({ id: made.id, revoked: true, released: 0 });
    expect(await stateOf(server, operator, id)).toBe('accepted');
    const done = await server.ask('POST', `/api/handoffs/${id}/deliver`, { token: next.token, body: { fence: 1 } });
    expect(done.status).toBe(200);
  });

  it('belong to the token that renewed them last', async () => {
    const server = await served();
    const operator = await server.tokenFor(null);
    const [made, next] = [await make(server, operator, '@react'), await make(server, operator, '@react')];
    const id = await sendTo(server, operator, '@react');
    await server.ask('POST', '/api/claims', { token: made.token, body: {} });
    await server.ask('POST', `/api/handoffs/${id}/renew`, { token: next.token, body: { fence: 1 } });
    expect(await revoke(server, operator, made)).toMatchObject({ released: 0 });
    expect(await revoke(server, operator, next)).toMatchObject({ released: 1 });
    expect(await stateOf(server, operator, id)).toBe('offered');
  });
});

describe('the token log', () => {
  interface Line {
    readonly what: string;
    readonly token: string | null;
    readonly by: string;
    readonly detail: Readonly<Record<string, unknown>>;
  }

  async function linesOf(server: Served, token: string): Promise<readonly Line[]> {
    const answer = await server.ask('GET', '/api/token-log?limit=100', { token });
    expect(answer.status).toBe(200);
    return (answer.json as { items: readonly Line[] }).items;
  }

  it('has who made and revoked which token, and who was denied what, by the ids of tokens', async () => {
    const server = await served();
    const operator = await server.tokenFor(null, { label: 'first' });
    const own = present(
      (await server.ctx.store.tokens.list()).find(({ label }) => label === 'first'),
      'the first',
    ).id;
    const made = await make(server, operator, '@react');
    await server.ask('GET', '/api/tokens', { token: made.token });
    await revoke(server, operator, made);
    await server.ask('GET', '/api/handoffs', { token: made.token });
    await server.ask('GET', '/api/handoffs', { token: 'baton_unknown' });
    await until('all are written', async () => (await linesOf(server, operator)).length >= 7);
    const lines = await linesOf(server, operator);
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ what: 'minted', token: made.id, by: `operator with ${own}` }),
        expect.objectContaining({ what: 'revoked', token: made.id, by: `operator with ${own}` }),
        expect.objectContaining({ what: 'denied', token: made.id, by: '@react' }),
        expect.objectContaining({ what: 'denied', token: made.id, by: 'unknown' }),
        expect.objectContaining({ what: 'denied', token: null, by: 'unknown' }),
      ]),
    );
    const denied = lines
      .filter(({ what }) => what === 'denied')
      .map(({ detail }) => `${String(detail['status'])} ${String(detail['code'])}`);
    expect(denied.toSorted((a, b) => a.localeCompare(b))).toEqual([
      '401 token-refused',
      '401 token-refused',
      '403 not-yours',
    ]);
    expect(JSON.stringify(lines)).not.toContain(made.token);
    expect((await server.ask('GET', '/api/token-log', { token: made.token })).status).toBe(401);
    const agent = await make(server, operator, '@me');
    expect((await server.ask('GET', '/api/token-log', { token: agent.token })).status).toBe(403);
  });

  it('counts repeated denials in one line instead of growing with them', async () => {
    const server = await served();
    const operator = await server.tokenFor(null);
    for (let round = 0; round < 50; round += 1) await server.ask('GET', '/api/handoffs', { token: 'baton_unknown' });
    await server.stop();
    const again = await served({ folder: server.folder });
    const denied = (await linesOf(again, operator)).filter(({ what }) => what === 'denied');
    // Newest first: the rest was written when the server ended.
    expect(denied.map(({ detail }) => detail['count'])).toEqual([49, 1]);
  });
});
