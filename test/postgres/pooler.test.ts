/**
 * Behind a PgBouncer that lends connections for one transaction: whole lives in two processes, a worker that dies, and
 * what somebody is told who forgot to say so. The contract of the store runs behind it in `test/contract`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { SESSION_LEASE_MS } from '../../src/domain/deadlines.ts';
import { present } from '../../src/foundation/assert.ts';
import { systemRandom } from '../../src/foundation/random.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { openBaton, type Baton } from '../../src/index.ts';
import { readAddress } from '../../src/stores/postgres/address.ts';
import { openPostgresBeat } from '../../src/stores/postgres/heartbeat.ts';
import { openDriver } from '../../src/stores/postgres/driver.ts';
import { openPostgresStore } from '../../src/stores/postgres/open-postgres-store.ts';
import { SCHEMA_VERSION } from '../../src/stores/postgres/schema.ts';
import { schemaVersionAt } from '../../src/stores/postgres/schema-version.ts';
import { StoreFault, type Store } from '../../src/stores/store.ts';
import { openingOf, processOf, SESSION, WORKER } from '../contract/builders.ts';
import { ALL, put, soundRecordOf } from '../contract/store-checks.ts';
import { factsOf, makeWorkspace } from '../cli/workspaces.ts';
import { until, untilSays } from '../support/processes.ts';
import { privatePgBouncer, WITHOUT_PGBOUNCER, type PrivatePgBouncer } from '../support/private-pgbouncer.ts';
import { privatePostgres, WITHOUT_POSTGRES } from '../support/private-postgres.ts';
import { faultOf } from './fixture.ts';

/** Longer than a test may take. */
const FOR_EVER_MS = 60 * 60_000;

/** Everything that Baton sends with its greeting, and a real administrator would list to silence the complaint. */
const IGNORED =
  'statement_timeout, lock_timeout, idle_in_transaction_session_timeout, jit, enable_seqscan, enable_hashjoin, enable_mergejoin, plan_cache_mode, batonpass.session';
const LIVES = 200;

// With fsync, so that an audit finds nothing to complain about.
const server = await privatePostgres({ fsync: true });
const pooler = server === null ? null : await privatePgBouncer(server, { poolSize: 2 });
const careless =
  server === null
    ? null
    : await privatePgBouncer(server, { poolSize: 2, settings: [`ignore_startup_parameters = ${IGNORED}`] });
const missing = pooler === null ? ` (${WITHOUT_POSTGRES}; ${WITHOUT_PGBOUNCER})` : '';

describe.skipIf(pooler === null)(`behind PgBouncer${missing}`, () => {
  let count = 0;
  const database = async (through: PrivatePgBouncer | null = pooler): Promise<string> => {
    const direct = await present(server, 'there is a server').createDatabase(`test_${(count += 1)}`);
    return present(through, 'there is a pooler').through(direct);
  };
  const opened = async (url: string): Promise<Store> => {
    const store = await openPostgresStore({ url, limits: NO_LIMITS, random: systemRandom });
    onTestFinished(async () => store.close());
    return store;
  };
  afterAll(async () => {
    await Promise.all([pooler, careless].map(async (each) => each?.remove()));
    await server?.remove();
  });

  it('statements that are sent together are all answered, on connections that change hands', async () => {
    const address = readAddress(`${await database()}?notify=off`, {});
    const link = () => openDriver({ address, namespace: 'baton', session: {}, prepare: address.notify });
    const links = Array.from({ length: 6 }, link);
    onTestFinished(async () => void (await Promise.all(links.map(async (each) => each.end()))));
    const backends = new Set<unknown>();
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(
        links.flatMap((each, index) => [
          each.run('select 1', []),
          each.run('select $1::text, pg_backend_pid()', [`${round}-${index}`]),
          each.run('select 2', []),
        ]),
      );
      answers.forEach((rows, at) => {
        const asked = [1, `${round}-${Math.floor(at / 3)}`, 2][at % 3];
        expect(rows[0]?.[0]).toBe(asked);
        if (at % 3 === 1) backends.add(rows[0]?.[1]);
      });
    }
    expect(backends.size).toBe(2);
  });

  it('many that open an empty database at once make it once', async () => {
    const url = `${await database()}?notify=off`;
    expect(await schemaVersionAt(url)).toBeNull();
    const stores = await Promise.all(Array.from({ length: 6 }, () => opened(url)));
    await Promise.all(stores.map(async (store, index) => put(store, openingOf({ id: `a-${index}` }))));
    expect((await stores[0]!.find({ by: 'filter', max: ALL })).items).toHaveLength(6);
    expect(await schemaVersionAt(url)).toBe(SCHEMA_VERSION);
  });

  it('I1, I2, I6: two workers complete everything, once, and the books are in order', async () => {
    const url = `${await database()}?notify=off`;
    const batons: Baton[] = [];
    for (let index = 0; index < 3; index += 1) {
      const baton = await openBaton({ database: url });
      onTestFinished(() => baton.close());
      batons.push(baton);
    }
    const [sender, ...others] = batons as [Baton, Baton, Baton];
    const done: unknown[] = [];
    const workers = others.map((baton) =>
      baton.work(
        '@adder',
        ({ input }) => {
          done.push(input);
          return { sum: (input as { n: number }).n + 1 };
        },
        { concurrency: 8 },
      ),
    );
    const numbers = Array.from({ length: LIVES }, (_, n) => n);
    const sent = await Promise.all(
      numbers.map(async (n) => sender.send({ from: '@me', to: '@adder', input: { n }, requestId: `request-${n}` })),
    );
    const ended = await Promise.all(sent.map(async ({ id }) => sender.wait(id, { timeoutMs: 90_000 })));
    expect(ended.map(({ result }) => result)).toEqual(numbers.map((n) => ({ sum: n + 1 })));
    await Promise.all(workers.map(async (worker) => worker.stop()));
    const attempts = await Promise.all(workers.map(async (worker) => (await worker.done).attempts));
    expect(attempts.reduce((a, b) => a + b)).toBe(LIVES);
    expect(Math.min(...attempts)).toBeGreaterThan(0);
    expect(done).toHaveLength(LIVES);

    const store = await opened(url);
    for (const { id } of sent) {
      expect(await soundRecordOf(store, id as never)).toMatchObject({ state: 'completed', attempt: 1, fence: 1 });
    }
    expect(await store.upkeep.audit()).toEqual([]);
  });

  it('I14, I6: a worker that is killed is missed, and another takes over', async () => {
    const url = `${await database()}?notify=off&password=tr0ub4dor`;
    const workspace = await makeWorkspace({ name: 'pooled', make: async () => ({ kind: 'postgres', url }) });
    const ctx = await workspace.open();
    const id = await workspace.send('@react');
    const first = workspace.start(['work', '@react', '--', 'sh', '-c', 'echo $$ > started; sleep 300']);
    await until('the command has started', () => existsSync(join(workspace.folder, 'started')));
    const second = workspace.start(['work', '@react', '--once', '--', 'echo', '"second"']);
    await untilSays(second, 'working as @');
    first.signal('SIGKILL');
    expect(await second.ended).toMatchObject({ code: 0 });
    expect((await factsOf(ctx, id)).map((fact) => `${fact.deed}, fence ${fact.fence}`)).toEqual([
      'create, fence 0',
      'accept, fence 1',
      'release, fence 1',
      'accept, fence 2',
      'deliver, fence 2',
      'complete, fence 2',
    ]);
    expect(await ctx.store.upkeep.audit()).toEqual([]);
    const doctor = await workspace.run(['doctor']);
    expect(doctor.stdout).toMatch(/^ok +database.*password=\*\*\*/m);
    expect(`${doctor.stdout}${doctor.stderr}`).not.toContain('tr0ub4dor');
  });

  it('I14: beats arrive, until somebody ends the session', async () => {
    const url = `${await database()}?notify=off`;
    const store = await opened(url);
    await store.sessions.open({ id: SESSION, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS });
    const beat = await openPostgresBeat(url, SESSION);
    onTestFinished(async () => beat.close());
    for (let round = 0; round < 5; round += 1) expect(await beat.beat()).toBe(true);
    await store.sessions.end(SESSION, 0);
    expect(await beat.beat()).toBe(false);
    const unknown = await openPostgresBeat(url, 'nobody');
    onTestFinished(async () => unknown.close());
    expect(await unknown.beat()).toBe(false);
  });

  it.each([
    ['is told, not kept waiting', () => pooler, /unsupported startup parameter.*add notify=off/s],
    ['is told, also where the complaint was silenced', () => careless, /does not keep the settings.*add notify=off/s],
  ])('who forgot notify=off %s', async (_, through, says) => {
    const url = await database(through());
    // As the documentation advises for whoever says notify=off; it must not pass for a session that was kept.
    await present(server, 'there is a server').sql().unsafe(`alter role postgres set statement_timeout = '5s'`);
    const options = { limits: NO_LIMITS, random: systemRandom, patienceMs: FOR_EVER_MS };
    for (const address of [url, `${url}?notify=on`]) {
      const fault = await faultOf(openPostgresStore({ ...options, url: address }));
      expect(fault).toBeInstanceOf(StoreFault);
      expect(fault).toMatchObject({ outcome: 'unchanged' });
      expect(fault.message).toMatch(says);
      expect((await faultOf(schemaVersionAt(address))).message).toMatch(says);
    }
    // Nothing was made on the way, and with notify=off the same pooler does.
    expect(await schemaVersionAt(`${url}?notify=off`)).toBeNull();
    await put(await opened(`${url}?notify=off`), openingOf({ id: 'a' }));
  });
});
