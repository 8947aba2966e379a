/** Two hosts in one address, the second a standby of the first: work goes to the one that can be written to. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { systemRandom } from '../../src/foundation/random.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { openPostgresBeat } from '../../src/stores/postgres/heartbeat.ts';
import { openPostgresStore } from '../../src/stores/postgres/open-postgres-store.ts';
import { acceptBy, deliverAndVerify, idOf, openingOf, SESSION, WORKER } from '../contract/builders.ts';
import { put, soundRecordOf, valueOf } from '../contract/store-checks.ts';
import { privatePostgres, type PrivatePostgres } from '../support/private-postgres.ts';
import { describeWithServer, faultOf } from './fixture.ts';

await describeWithServer('a standby', { fsync: true }, (fixture) => {
  it('I3: takes over, and everything acknowledged is there and goes on by itself', async () => {
    const { name } = await fixture.database();
    const primary = fixture.server;
    const standby = await standbyOf(primary);
    const hosts = [standby, primary].map((server) => new URL(server.url()).host);
    const url = `postgres://postgres@${hosts.join(',')}/${name}`;
    const store = await fixture.open(url);
    const beat = await openPostgresBeat(url, SESSION);
    onTestFinished(() => beat.close());
    expect(await beat.beat()).toBe(true);

    const acknowledged: string[] = [];
    let over = false;
    const sending = (async () => {
      for (let count = 0; !over; count += 1) {
        const [made] = await put(store, openingOf({ id: `a-${count}` }));
        acknowledged.push(made!.id);
      }
    })();
    while (acknowledged.length < 20) await pause(1);
    const claimed = await store.claim(WORKER, 5, acceptBy());
    expect(claimed).toHaveLength(5);

    await primary.stop('immediate');
    await standby.promote();
    const before = acknowledged.length;
    while (acknowledged.length < before + 20) await pause(1);
    over = true;
    await sending;
    expect(await beat.beat()).toBe(true);
    for (const { handoff } of claimed) {
      const [answer] = await store.change([handoff], deliverAndVerify(1));
      expect(valueOf(answer).state).toBe('completed');
    }
    for (const id of acknowledged) await soundRecordOf(store, idOf(id));
    const [row] = await standby.sql(name)`select count(*)::int as many from baton.handoff`;
    expect(row?.['many']).toBe(acknowledged.length);
  });

  it('is not written to, and whoever finds nothing else is told', async () => {
    const { name } = await fixture.database();
    const standby = await standbyOf(fixture.server);
    const url = `${standby.url(name)}?target_session_attrs=read-write`;
    const asked = openPostgresStore({ url, limits: NO_LIMITS, random: systemRandom, patienceMs: 50 });
    const fault = await faultOf(asked);
    expect(fault.message).toMatch(/127\.0\.0\.1 can only be read from just now/);
    expect(fault).toMatchObject({ name: 'StoreFault', outcome: 'unchanged' });
  });
});

/** What is acknowledged is on both. */
async function standbyOf(primary: PrivatePostgres): Promise<PrivatePostgres> {
  const standby = present(await privatePostgres({ fsync: true, standbyOf: primary }), 'a server as the first one');
  onTestFinished(() => standby.remove());
  const sql = primary.sql();
  await sql`alter system set synchronous_standby_names = '*'`;
  await sql`select pg_reload_conf()`;
  onTestFinished(async () => {
    await primary.start().catch(() => undefined);
    await sql`alter system reset synchronous_standby_names`;
    await sql`select pg_reload_conf()`;
  });
  while ((await sql`select from pg_stat_replication where sync_state = 'sync'`).length === 0) await pause(10);
  return standby;
}
