/** Live events: nothing missed, nothing doubled, nothing shown to whom it is not for, nobody waited for. */
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { agentPrincipal, OPERATOR } from '../../src/domain/principal.ts';
import { readAgentId, type AgentId, type HandoffId } from '../../src/domain/names.ts';
import type { Context } from '../../src/engine/context.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { block, unblock } from '../../src/engine/handoffs/block.ts';
import { cancel } from '../../src/engine/handoffs/reject-and-cancel.ts';
import { sendMany } from '../../src/engine/handoffs/send.ts';
import { until } from '../support/processes.ts';
import { listen, type Heard } from './event-listener.ts';
import { served, written } from './served.ts';
import { shortIdOf } from '../../src/domain/names.ts';

const ROUNDS = 350;
const agent = (name: string): AgentId => present(readAgentId(name), name);

async function sendSome(ctx: Context, count: number, to = 'react', from = 'me'): Promise<readonly HandoffId[]> {
  const request = { from: agent(from), to: agent(to), input: {} };
  const sent = await sendMany(
    ctx,
    agentPrincipal(agent(from)),
    Array.from({ length: count }, () => request),
  );
  if (!sent.ok) throw new Error(sent.refusal.code);
  return sent.value.map(({ id }) => id);
}

async function wholeTrail({ store }: Context): Promise<readonly string[]> {
  const marks: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await store.facts({ max: 500, ...(after === undefined ? {} : { after }) });
    marks.push(...page.map(({ fact, cursor }) => `${cursor} ${fact.handoff} ${fact.revision}`));
    if (page.length < 500) return marks;
    after = page.at(-1)?.cursor;
  }
}

function marksOf(heard: readonly Heard[]): readonly string[] {
  return heard.map(({ id, fact }) => `${id} ${fact.handoff} ${fact.revision}`);
}

describe('live events', () => {
  it('miss nothing after a list of nothing: what is sent before anybody listens is heard', async () => {
    const server = await served();
    const token = await server.tokenFor(null);
    const { cursor } = (await server.ask('GET', '/api/handoffs', { token })).json as { cursor: string };
    await sendSome(server.ctx, 2);
    const listening = await listen(server, token, { query: `?after=${cursor}` });
    await until('both', () => listening.heard.length === 2);
    expect(marksOf(listening.heard)).toEqual(await wholeTrail(server.ctx));
    await listening.close();
  });

  it('tell everything once and in order, over broken connections and a restarted server', async () => {
    const first = await served();
    const token = await first.tokenFor(null);
    const heard: Heard[] = [];
    await sendSome(first.ctx, 1);
    const begun = await listen(first, token, { query: '?after=0' });
    await until('the first', () => begun.heard.length === 1);
    for (const count of [3, 40]) {
      await sendSome(first.ctx, count);
      await until('some', () => begun.heard.length >= 1 + count);
    }
    await begun.close();
    heard.push(...begun.heard);
    let lastId = begun.lastId();

    // More than a page, and more than the server remembers, while nobody listens; then while it is being read.
    for (let round = 0; round < 6; round += 1) await sendSome(first.ctx, 1_000);
    const second = await listen(first, token, { lastId });
    const ids = await sendSome(first.ctx, 300);
    await until('part of it', () => second.heard.length > 700);
    await second.close();
    heard.push(...second.heard);
    lastId = second.lastId();
    await first.stop();

    const again = await served({ folder: first.folder });
    const third = await listen(again, token, { lastId });
    for (const id of ids.slice(0, 100)) await cancel(again.ctx, OPERATOR, id);
    const trail = await wholeTrail(again.ctx);
    await until('the rest', () => heard.length + third.heard.length >= trail.length);
    await sendSome(again.ctx, 1);
    await until('one more', () => heard.length + third.heard.length > trail.length);
    heard.push(...third.heard);
    expect(marksOf(heard)).toEqual(await wholeTrail(again.ctx));
    expect(heard.length).toBe(6_445);
  });

  it('begin where a list ended', async () => {
    const server = await served();
    const token = await server.tokenFor(null);
    await sendSome(server.ctx, 3);
    const { cursor } = (await server.ask('GET', '/api/handoffs', { token })).json as { cursor: string };
    const other = await listen(server, token, { query: `?after=${cursor}` });
    await sendSome(server.ctx, 2);
    // The server has read them and has them in its memory.
    await until('another has them', () => other.heard.length === 2);
    const listening = await listen(server, token, { query: `?after=${cursor}` });
    await sendSome(server.ctx, 1);
    await until('all three', () => listening.heard.length >= 3 && other.heard.length === 3);
    expect(marksOf(listening.heard)).toEqual(marksOf(other.heard));
    expect(listening.heard.map(({ event }) => event)).toEqual(['fact', 'fact', 'fact']);
    expect(listening.heard[0]?.handoff).toMatchObject({ from: '@me', to: '@react', state: 'offered' });
  });

  it('are filtered by agent, handoff and state, and by who may read', async () => {
    const server = await served();
    const operator = await server.tokenFor(null);
    const react = await server.tokenFor('@react');
    const stranger = await server.tokenFor('@stranger');
    const [all, toVue, settled, mine, none] = await Promise.all([
      listen(server, operator),
      listen(server, operator, { query: '?agent=@vue' }),
      listen(server, operator, { query: '?state=cancelled' }),
      listen(server, react),
      listen(server, stranger),
    ]);
    const [id = '' as HandoffId] = await sendSome(server.ctx, 1);
    const one = await listen(server, operator, { query: `?handoff=${shortIdOf(id)}` });
    const [other = '' as HandoffId] = await sendSome(server.ctx, 1, 'vue');
    await cancel(server.ctx, OPERATOR, other);
    await cancel(server.ctx, OPERATOR, id);
    await until('all four', () => all.heard.length === 4 && mine.heard.length === 2 && one.heard.length >= 1);
    const deeds = (heard: readonly Heard[]): readonly string[] =>
      heard.map(({ fact }) => `${fact.deed} ${fact.handoff === id ? 'react' : 'vue'}`);
    expect(deeds(all.heard)).toEqual(['create react', 'create vue', 'cancel vue', 'cancel react']);
    expect(deeds(toVue.heard)).toEqual(['create vue', 'cancel vue']);
    expect(deeds(settled.heard)).toEqual(['cancel vue', 'cancel react']);
    expect(deeds(mine.heard)).toEqual(['create react', 'cancel react']);
    expect(deeds(one.heard).at(-1)).toBe('cancel react');
    expect(none.heard).toEqual([]);
  });

  it('say so when a cursor is not one of this trail, and refuse what cannot be one', async () => {
    const server = await served();
    const token = await server.tokenFor(null);
    await sendSome(server.ctx, 2);
    const lost = await listen(server, token, { lastId: '999999' });
    await until('the reset', () => lost.heard.length === 1);
    expect(lost.heard[0]).toMatchObject({ event: 'reset', id: '2' });
    await sendSome(server.ctx, 1);
    await until('the next', () => lost.heard.length === 2);
    for (const bad of ['x y', '1;drop', 'a'.repeat(200)]) {
      expect((await listen(server, token, { lastId: bad })).status).toBe(400);
    }
  });

  it('let one go that does not read, and nobody else notices', async () => {
    const server = await served();
    const token = await server.tokenFor(null);
    const good = await listen(server, token);
    const stuck = connect(server.port, '127.0.0.1', () => {
      stuck.write(written(server, 'GET /api/events', { Authorization: `Bearer ${token}` }));
    });
    onTestFinished(() => void stuck.destroy());
    let isClosed = false;
    stuck.on('error', () => undefined).on('close', () => (isClosed = true));
    await new Promise((resolve) => void stuck.once('data', resolve));
    stuck.pause();

    // More than what the buffers of the system take, which can be thirty megabytes.
    const long = '€'.repeat(20_000);
    const doer = agentPrincipal(agent('react'));
    const [id = '' as HandoffId] = await sendSome(server.ctx, 1);
    for (let round = 1; round <= ROUNDS; round += 1) {
      await accept(server.ctx, doer, id, {});
      await block(server.ctx, doer, id, round, long);
      await unblock(server.ctx, doer, id, long);
    }
    await until('it is let go', () => server.logged().includes('it does not read'));
    await until('the other has all', () => good.heard.length === 1 + 3 * ROUNDS);
    stuck.resume();
    await until('its connection ends', () => isClosed);
    expect(server.logged().match(/listener dropped/g)?.length).toBe(1);
  });

  it('are for a limited number of listeners', async () => {
    const server = await served();
    const token = await server.tokenFor(null);
    const listeners = await Promise.all(Array.from({ length: 64 }, () => listen(server, token)));
    expect(new Set(listeners.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await listen(server, token)).status).toBe(429);
    expect((await listen(server, await server.tokenFor(null))).status).toBe(200);
    await listeners[0]?.close();
    await until('a place', async () => (await listen(server, token)).status === 200);
  });

  it('show that the line is alive, with the place to go on from, and end with the token', async () => {
    const server = await served({ beatMs: 20 });
    const token = await server.tokenFor(null, { label: 'listener' });
    await sendSome(server.ctx, 3);
    const answer = await fetch(`${server.url}/api/events?agent=@nobody`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const record = (await server.ctx.store.tokens.list()).find(({ label }) => label === 'listener');
    let text = '';
    const read = async (): Promise<void> => {
      for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(piece).toString();
        if (text.includes('id: 3\n: still here\n\n'))
          await server.ctx.store.tokens.revoke(record?.id ?? '', { by: 'me' });
      }
    };
    await expect(read()).rejects.toThrow('terminated');
    expect(text).not.toContain('event: fact');
    expect(server.logged()).toContain('its token or session is over');
  });

  it('cannot be forged by what a handoff says', async () => {
    const server = await served();
    const token = await server.tokenFor(null);
    const listening = await listen(server, token);
    const title = 'a\n\nid: 1\nevent: reset\ndata: {}\n\n\r\r';
    await server.ask('POST', '/api/handoffs', { token, body: { from: '@me', to: '@x', title } });
    await until('it', () => listening.heard.length > 0);
    expect(listening.heard.map(({ event, handoff }) => [event, handoff.title])).toEqual([['fact', title]]);
  });

  it('end when the server does', async () => {
    const server = await served();
    const listening = await listen(server, await server.tokenFor(null));
    await server.stop();
    await listening.ended;
    expect(listening.heard).toEqual([]);
  });
});
