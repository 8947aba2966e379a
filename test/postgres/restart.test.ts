/** The server dies as by a power cut and comes back, or does not. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { StoreFault } from '../../src/stores/store.ts';
import { acceptBy, deliverAndVerify, idOf, openingOf, openingsOf, WORKER } from '../contract/builders.ts';
import { put, recordOf, soundRecordOf, valueOf } from '../contract/store-checks.ts';
import { describeWithServer, faultOf } from './fixture.ts';

await describeWithServer('a server that dies', { fsync: true }, (fixture) => {
  it('I3: what was acknowledged before an immediate stop is there after it, and work goes on by itself', async () => {
    const { url } = await fixture.database();
    const store = await fixture.open(url);
    const acknowledged: string[] = [];
    let over = false;
    const sending = Promise.all(
      Array.from({ length: 4 }, async (_, sender) => {
        for (let count = 0; !over; count += 1) {
          const [made] = await put(store, openingOf({ id: `a-${sender}-${count}` }));
          acknowledged.push(made!.id);
        }
      }),
    );
    for (let round = 0; round < 3; round += 1) {
      const before = acknowledged.length;
      while (acknowledged.length < before + 20) await pause(1);
      await fixture.server.stop('immediate');
      await fixture.server.start();
    }
    const before = acknowledged.length;
    while (acknowledged.length < before + 20) await pause(1);
    over = true;
    await sending;
    for (const id of acknowledged) expect(await soundRecordOf(store, idOf(id))).toMatchObject({ revision: 1 });
  });

  it('I3: claims and settlements go on across a restart', async () => {
    const { url } = await fixture.database();
    const store = await fixture.open(url);
    await put(store, ...openingsOf(30, 'a'));
    const claimed = await store.claim(WORKER, 30, acceptBy());
    await fixture.server.stop('immediate');
    const settling = claimed.map(async ({ handoff }) => store.change([handoff], deliverAndVerify(1)));
    await fixture.server.start();
    for (const [answer] of await Promise.all(settling)) expect(valueOf(answer).state).toBe('completed');
    for (const { handoff } of claimed) await soundRecordOf(store, handoff.id);
  });

  it('I4: a server that stays away is told after a while, and that nothing was sent', async () => {
    const { url } = await fixture.database();
    const store = await fixture.open(url, { patienceMs: 300 });
    await put(store, openingOf({ id: 'a' }));
    await fixture.server.stop('fast');
    // The first statement finds out that the connection is gone; those after it have nothing to send on.
    await faultOf(store.load(idOf('a')));
    const fault = await faultOf(store.sessions.beat('nobody' as never));
    expect(fault).toBeInstanceOf(StoreFault);
    expect(fault).toMatchObject({ outcome: 'unchanged' });
    expect(fault.message).toMatch(/cannot be reached/);
    await fixture.server.start();
    expect(await recordOf(store, idOf('a'))).toMatchObject({ state: 'offered' });
  });

  it('I4: what was under way when the server went for good is unknown, and says so', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url, { patienceMs: 300 });
    await fixture.server.session(name).unsafe('begin; lock table baton.handoff in access exclusive mode');
    const inserting = faultOf(store.insert([openingOf({ id: 'a' })]));
    const watch = fixture.server.sql(name);
    const isWaiting = async (): Promise<boolean> =>
      (await watch`select 1 from pg_stat_activity where application_name = 'baton' and wait_event_type = 'Lock'`)
        .length > 0;
    while (!(await isWaiting())) await pause(5);
    await fixture.server.stop('immediate');
    expect(await inserting).toMatchObject({ outcome: 'unknown' });
    await fixture.server.start();
    expect(await store.load(idOf('a'))).toBeNull();
  });
});
