/** Several servers over one PostgreSQL: whoever asks any of them learns the same, once and in the same order. */
import { expect, it } from 'vitest';
import { until } from '../support/processes.ts';
import { describeWithServer, endBackends } from '../postgres/fixture.ts';
import { listen, type Heard } from './event-listener.ts';
import { served, type Served } from './served.ts';

const AT_ONCE = 20;

await describeWithServer('servers of a fleet', 'shared', (fixture) => {
  it('tell what was done through any of them, also to who goes on at another', async () => {
    const { url, name } = await fixture.database();
    const database = { kind: 'postgres', url } as const;
    const [one, other] = [await served({ database }), await served({ database })];
    const token = await one.tokenFor(null);
    const listening = await listen(one, token);
    await through([one, other], token);
    await until('all of both', () => listening.heard.length >= 2 * AT_ONCE);
    await one.stop();
    await listening.ended;

    // Nobody listens meanwhile, and the connections of the server that is left break.
    expect(await endBackends(fixture.server, name)).toBeGreaterThan(0);
    await through([other], token);
    const goingOn = await listen(other, token, { lastId: listening.lastId() });
    await through([other], token);
    await until('the rest', () => listening.heard.length + goingOn.heard.length >= 4 * AT_ONCE);

    const all: readonly Heard[] = [...listening.heard, ...goingOn.heard];
    const told = all.map(({ fact }) => `${fact.handoff} ${fact.revision}`);
    expect(new Set(told).size).toBe(told.length);
    const facts = await fixture.server.sql(name)`select b.id, f.revision from baton.fact f join baton.body b using (n)
      order by f.xid, f.seq`;
    expect(told).toEqual(facts.map((row) => `${row['id']} ${row['revision']}`));
  });

  it('give out each handoff once, whoever is asked', async () => {
    const { url } = await fixture.database();
    const database = { kind: 'postgres', url } as const;
    const [one, other] = [await served({ database }), await served({ database })];
    const token = await one.tokenFor(null);
    await through([one], token);
    const worker = await other.tokenFor('react');
    const claims = Array.from({ length: 2 * AT_ONCE }, (_each, index) =>
      (index % 2 === 0 ? one : other).ask('POST', '/api/claims', { token: worker, body: {} }),
    );
    const taken = (await Promise.all(claims)).filter(({ status }) => status === 200);
    const ids = taken.map(({ json }) => (json as { id: string }).id);
    expect(new Set(ids).size).toBe(AT_ONCE);
    expect(ids).toHaveLength(AT_ONCE);
  });
});

async function through(servers: readonly Served[], token: string): Promise<void> {
  const sends = servers.flatMap((server) =>
    Array.from({ length: AT_ONCE }, (_each, index) =>
      server.ask('POST', '/api/handoffs', {
        token,
        body: { from: '@me', to: '@react', input: { index } },
      }),
    ),
  );
  for (const { status } of await Promise.all(sends)) expect(status).toBe(201);
}
