/** What a page for people needs: how much there is, what needs somebody, and doing the same with many. */
import { request as nodeRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { served, type Served } from './served.ts';

async function sender(server: Served): Promise<{ token: string; send: (body: object) => Promise<string> }> {
  const token = await server.tokenFor(null);
  const send = async (body: object): Promise<string> => {
    const sent = await server.ask('POST', '/api/handoffs', { token, body: { from: '@lead', to: '@dev', ...body } });
    return (sent.json as { id: string }).id;
  };
  return { token, send };
}

async function failOnce(server: Served, id: string): Promise<void> {
  const token = await server.tokenFor('dev');
  const { fence } = (await server.ask('POST', `/api/handoffs/${id}/accept`, { token, body: {} })).json as {
    fence: number;
  };
  const failure = { fence, code: 'PROCESSING_ERROR', message: 'it broke' };
  await server.ask('POST', `/api/handoffs/${id}/fail`, { token, body: failure });
}

describe('lists', () => {
  it('have totals by state, filters, an order, and are found by id and by agent', async () => {
    const server = await served();
    const { token, send } = await sender(server);
    const first = await send({ title: 'one', priority: 'high' });
    await send({ title: 'two', to: '@qa' });
    await send({ title: 'three' });
    await server.ask('POST', `/api/handoffs/${first}/cancel`, { token, body: {} });
    const get = async (path: string): Promise<never> => (await server.ask('GET', path, { token })).json;
    const titles = async (query: string): Promise<unknown> =>
      ((await get(`/api/handoffs?${query}`)) as { items: { title: string }[] }).items.map(({ title }) => title);
    expect(await get('/api/totals')).toEqual({ totals: { offered: 2, cancelled: 1 }, all: 3 });
    expect(await get('/api/totals?state=open&agent=qa')).toEqual({ totals: { offered: 1 }, all: 1 });
    expect(await titles('priority=high')).toEqual(['one']);
    expect(await titles('kind=document')).toEqual([]);
    expect(await titles('sort=oldest')).toEqual(['one', 'two', 'three']);
    expect(await titles('createdBefore=2020-01-01T00:00:00Z')).toEqual([]);
    expect(await titles(`text=${first}`)).toEqual(['one']);
    expect(await titles('text=@qa')).toEqual(['two']);
    expect(await titles('text=@qa+three')).toEqual([]);
    const stranger = await server.tokenFor('stranger');
    expect((await server.ask('GET', `/api/handoffs?text=${first}`, { token: stranger })).json).toMatchObject({
      items: [],
    });
    expect((await server.ask('GET', '/api/totals', { token: stranger })).json).toEqual({ totals: {}, all: 0 });
  });

  it('tell the failure of the last attempt, also one from before the server started', async () => {
    const first = await served();
    const { send } = await sender(first);
    const id = await send({ title: 'shaky', retry: { max: 2, delaySeconds: 3_600 } });
    await failOnce(first, id);
    const expected = { attempt: 1, attemptsMax: 3, lastFailure: { code: 'PROCESSING_ERROR', message: 'it broke' } };
    const rows = async (server: Served): Promise<unknown> => {
      const { json } = await server.ask('GET', '/api/handoffs', { token: await server.tokenFor(null) });
      return (json as { items: unknown[] }).items[0];
    };
    await expect.poll(() => rows(first)).toMatchObject(expected);
    await first.stop();
    const second = await served({ folder: first.folder });
    await expect.poll(() => rows(second)).toMatchObject(expected);
    const { json } = await second.ask('GET', '/api/metrics-summary', { token: await second.tokenFor(null) });
    expect(json).toMatchObject({ since: null, failures: [{ code: 'PROCESSING_ERROR', count: 1 }] });
    const { timeInState, minutes } = json as { timeInState: Record<string, object>; minutes: { created: number }[] };
    expect(timeInState['accepted']).toMatchObject({ count: 1, p95Ms: expect.any(Number) as number });
    expect(minutes.reduce((sum, { created }) => sum + created, 0)).toBe(1);
  });
});

describe('attention', () => {
  it('names what needs whom, and an agent only what it may do', async () => {
    const server = await served();
    const { token, send } = await sender(server);
    const dev = await server.tokenFor('dev');
    const asking = await send({ title: 'which one?' });
    const { fence } = (await server.ask('POST', `/api/handoffs/${asking}/accept`, { token: dev, body: {} })).json as {
      fence: number;
    };
    const question = { fence, question: 'red or blue?' };
    await server.ask('POST', `/api/handoffs/${asking}/block`, { token: dev, body: question });
    await failOnce(server, await send({ title: 'shaky', retry: { max: 2, delaySeconds: 3_600 } }));
    const broken = await send({ title: 'broken', retry: { max: 0 } });
    await failOnce(server, broken);
    const look = async (by: string): Promise<never> => (await server.ask('GET', '/api/attention', { token: by })).json;
    // What is open is heard of by the feed, a moment after it was answered.
    const expected = [
      { why: 'question', handoff: { title: 'which one?' } },
      { why: 'failed', handoff: { title: 'broken' } },
      { why: 'failing', handoff: { title: 'shaky' } },
    ];
    const pulse = { needYou: 2, failing: 1, atWork: 0, waiting: 1 };
    await expect.poll(() => look(token)).toMatchObject({ items: expected, pulse, totals: { failed: 1 } });
    // The doer may answer the question that it asked, and cannot retry what its sender has to.
    expect(await look(dev)).toMatchObject({ counts: { question: 1, failed: 0, failing: 1 } });
    expect(await look(await server.tokenFor('stranger'))).toMatchObject({ items: [], totals: {} });
    await server.ask('POST', `/api/handoffs/${broken}/retry`, { token, body: {} });
    await expect.poll(() => look(token)).toMatchObject({ counts: { failed: 0 } });
  });
});

describe('what ends by itself', () => {
  it('is told ten minutes before, as long as nobody has taken it', async () => {
    const server = await served({ configuration: 'clocks:\n  queue: { offered_seconds: 550 }\n' });
    const { token, send } = await sender(server);
    await send({ title: 'soon' });
    const inTwoMinutes = new Date(Date.now() + 120_000).toISOString();
    await send({ title: 'later', notBefore: inTwoMinutes });
    await expect
      .poll(async () => (await server.ask('GET', '/api/attention', { token })).json as object)
      .toMatchObject({
        items: [{ why: 'overdue', handoff: { title: 'soon' } }],
        counts: { overdue: 1 },
        pulse: { waiting: 2, needYou: 1 },
      });
  });
});

describe('doing the same with many', () => {
  it('answers for each, and gives work to somebody else in one step', async () => {
    const server = await served();
    const { token, send } = await sender(server);
    const ids = [await send({ title: 'a' }), await send({ title: 'b', priority: 'low' })];
    const body = { operation: 'reassign', ids: [...ids, 'hoff-none'], input: { to: '@qa' } };
    const { items } = (await server.ask('POST', '/api/batch', { token, body })).json as {
      items: { id: string; handoff?: { id: string }; problem?: object }[];
    };
    expect(items).toMatchObject([
      { id: ids[0], handoff: { to: '@qa', title: 'a', retryOf: ids[0], state: 'offered' } },
      { id: ids[1], handoff: { to: '@qa', priority: 'low' } },
      { id: 'hoff-none', problem: { code: 'no-such-handoff' } },
    ]);
    const old = await server.ask('GET', `/api/handoffs/${ids[0] ?? ''}`, { token });
    expect(old.json).toMatchObject({ state: 'cancelled', failure: { message: 'given to @qa' } });
    const again = await server.ask('POST', `/api/handoffs/${ids[0] ?? ''}/reassign`, { token, body: { to: '@qa' } });
    expect(again.status).toBe(403);
    const nothing = await server.ask('POST', `/api/handoffs/${ids[0] ?? ''}/reassign`, { token, body: {} });
    expect([nothing.status, nothing.json]).toMatchObject([400, { code: 'bad-request' }]);
  });
});

describe('below /api/v1', () => {
  it('everything is there too, and a wait that is not settled answers so', async () => {
    const server = await served();
    const { token, send } = await sender(server);
    const id = await send({});
    const waited = await server.ask('GET', `/api/v1/handoffs/${id}/wait?timeoutSeconds=0`, { token });
    expect([waited.status, waited.json]).toMatchObject([200, { id, state: 'offered', settled: false }]);
    expect((await server.ask('GET', `/api/handoffs/${id}/wait?timeoutSeconds=0`, { token })).status).toBe(408);
    await server.ask('POST', `/api/v1/handoffs/${id}/cancel`, { token, body: {} });
    const settled = await server.ask('GET', `/api/v1/handoffs/${id}/wait`, { token });
    expect(settled.json).toMatchObject({ state: 'cancelled', settled: true });
  });
});

describe('answers', () => {
  it('are compressed for those who can read that, and never where a secret is beside what strangers choose', async () => {
    const server = await served();
    const { token, send } = await sender(server);
    for (let n = 0; n < 20; n += 1) await send({ title: `number ${n}` });
    const encodingOf = (path: string, encoding: string): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}`, 'accept-encoding': encoding };
        nodeRequest(`${server.url}${path}`, { headers }, (answer) => {
          answer.resume();
          resolve(answer.headers['content-encoding']);
        })
          .on('error', reject)
          .end();
      });
    expect(await encodingOf('/api/handoffs', 'gzip, br')).toBe('gzip');
    expect(await encodingOf('/api/handoffs', 'br')).toBeUndefined();
    expect(await encodingOf('/api/handoffs', 'gzip;q=0')).toBeUndefined();
    expect(await encodingOf('/api/session', 'gzip')).toBeUndefined();
  });
});

describe('browser sessions', () => {
  it('outlive their server, are listed, and can be ended', async () => {
    const first = await served();
    const code = new URL(first.link).searchParams.get('code');
    const came = await first.ask('POST', '/api/session', { body: { code } });
    const cookie = (came.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    const { csrf } = (await first.ask('GET', '/api/session', { headers: { cookie } })).json as { csrf: string };
    const { folder, port } = first;
    await first.stop();
    const second = await served({ folder, port });
    const again = await second.ask('GET', '/api/session', { headers: { cookie } });
    expect([again.status, again.json]).toMatchObject([200, { csrf }]);
    const headers = { cookie, 'x-baton-csrf': csrf };
    const body = { from: '@a', to: '@b' };
    expect((await second.ask('POST', '/api/handoffs', { headers, body })).status).toBe(201);
    const { items } = (await second.ask('GET', '/api/sessions', { headers })).json as {
      items: { name: string; own: boolean }[];
    };
    expect(items).toMatchObject([{ own: true }]);
    expect((await second.ask('DELETE', `/api/sessions/${items[0]?.name ?? ''}`, { headers })).status).toBe(204);
    expect((await second.ask('GET', '/api/session', { headers: { cookie } })).status).toBe(401);
  });
});

describe('a preview of what is imported', () => {
  it('says what would be taken and takes nothing', async () => {
    const server = await served();
    const { token } = await sender(server);
    const text = '# Handoff: water the beds\n\n**From:** Ivy\n**To:** @basil\n**Status:** open\n';
    const fates = async (more: object): Promise<unknown> => {
      const body = { text, file: 'handoff-water.md', ...more };
      const { json } = await server.ask('POST', '/api/summaries', { token, body });
      return (json as { blocks: { fate: string }[] }).blocks.map(({ fate }) => fate);
    };
    expect(await fates({ preview: true })).toEqual(['ready']);
    expect((await server.ask('GET', '/api/totals', { token })).json).toEqual({ totals: {}, all: 0 });
    expect(await fates({})).toEqual(['done']);
    expect(await fates({ preview: true })).toEqual(['known']);
  });
});
