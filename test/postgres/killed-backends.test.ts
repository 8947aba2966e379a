/** Somebody keeps ending our connections while we work. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SESSION_LEASE_MS } from '../../src/domain/deadlines.ts';
import type { HandoffId, SessionId } from '../../src/domain/names.ts';
import type { Store } from '../../src/stores/store.ts';
import {
  acceptBy,
  cancelled,
  deliverAndVerify,
  idOf,
  jsonOf,
  limitsOf,
  openingOf,
  processOf,
  progressed,
  sessionOf,
  WORKER,
} from '../contract/builders.ts';
import { ALL, put, putHeld, soundRecordOf, trailOf, valueOf } from '../contract/store-checks.ts';
import type { PrivatePostgres } from '../support/private-postgres.ts';
import { describeWithServer, endBackends, type Fixture } from './fixture.ts';

const LIVES = 400;
const SENDERS = 8;
/** Nobody is to give up here: what hangs is found by the test's own limit. */
const PATIENCE_MS = 600_000;

await describeWithServer('a server that ends connections', 'shared', (fixture) => {
  it('I1, I2, I3, I6: nothing is lost and nothing happens twice', async () => {
    const { url, name } = await fixture.database();
    const sending = await fixture.open(url, { patienceMs: PATIENCE_MS });
    // Two that get in each other's way, so that both ways of claiming are taken.
    const working = [
      await fixture.open(url, { patienceMs: PATIENCE_MS }),
      await fixture.open(url, { patienceMs: PATIENCE_MS }),
    ];
    const trouble = endAgainAndAgain(fixture, name);
    const ids: HandoffId[] = [];
    const isEnough = (): boolean => ids.length >= LIVES && trouble.ended() > 20;
    const nextId = (): HandoffId | null => {
      if (isEnough()) return null;
      ids.push(idOf(`a-${ids.length}`));
      return ids.at(-1) ?? null;
    };
    const done: HandoffId[] = [];
    const isAllDone = (): boolean => isEnough() && done.length >= ids.length;
    const [sent] = await Promise.all([
      send(sending, nextId),
      ...working.map(async (store, nth) => work(store, await ownSession(store, nth), isAllDone, done)),
    ]);
    await trouble.end();

    expect(sent?.toSorted()).toEqual(ids.toSorted());
    expect(done.toSorted()).toEqual(ids.toSorted());
    for (const id of ids) {
      const handoff = await soundRecordOf(sending, id);
      expect(handoff).toMatchObject({ state: 'completed', revision: 4, attempt: 1, fence: 1 });
    }
    expect((await sending.find({ by: 'filter', max: ALL })).items).toHaveLength(ids.length);
  });

  it('I1: changes of one record are each made once', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url, { patienceMs: PATIENCE_MS });
    await putHeld(store, openingOf({ id: 'a' }));
    const trouble = endAgainAndAgain(fixture, name);
    const revisions: number[] = [];
    while (revisions.length < 200 || trouble.ended() <= 5) {
      revisions.push(valueOf((await store.change([idOf('a')], progressed))[0]).revision);
    }
    await trouble.end();
    expect(revisions).toEqual(revisions.map((_, index) => index + 3));
    expect(await soundRecordOf(store, idOf('a'))).toMatchObject({ revision: revisions.length + 2 });
  });

  it('I5: a request is answered with the same record, however often its answer is lost', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url, { patienceMs: PATIENCE_MS });
    const trouble = endAgainAndAgain(fixture, name);
    for (let count = 0; count < 60; count += 1) {
      const request = { by: '@sender', key: `key-${count}`, hash: 'same' };
      const [first] = valueOf(await store.insert([openingOf({ id: `a-${count}` })], { request }));
      const [second] = valueOf(await store.insert([openingOf({ id: `b-${count}` })], { request }));
      expect(second).toEqual(first);
    }
    await trouble.end();
    expect((await store.find({ by: 'filter', max: ALL })).items).toHaveLength(60);
  });

  it('I15, D5: limits hold, and what they count comes out right', async () => {
    const { url, name } = await fixture.database();
    const limits = limitsOf({ worker: [null, 5] });
    const stores = [
      await fixture.open(url, { limits, patienceMs: PATIENCE_MS }),
      await fixture.open(url, { limits, patienceMs: PATIENCE_MS }),
    ];
    const trouble = endAgainAndAgain(fixture, name);
    await Promise.all(
      Array.from({ length: 8 }, async (_, sender) => {
        const store = stores[sender % 2] as Store;
        for (let round = 0; round < 15; round += 1) {
          const id = idOf(`a-${sender}-${round}`);
          const answer = await store.insert([openingOf({ id })]);
          const open = (await store.find({ by: 'filter', to: WORKER, states: ['offered'], max: ALL })).items.length;
          expect(open).toBeLessThanOrEqual(5);
          if (answer.ok) valueOf((await store.change([id], cancelled))[0]);
        }
      }),
    );
    await trouble.end();
    const [counter] = await fixture.server.sql(name)`select all_open from baton.place where agent = 'worker'`;
    expect(counter).toEqual({ all_open: 0 });
  });
});

interface Trouble {
  /** How many connections it has ended. A busy machine gets to few of them in a given number of changes. */
  ended(): number;
  end(): Promise<void>;
}

/**
 * Ends all connections again and again, in the middle of whatever they do. Between two times something is written, so that
 * a machine that is busy with other things gets on as well.
 */
function endAgainAndAgain({ server }: Fixture, name: string): Trouble {
  let over = false;
  let ended = 0;
  const ending = (async () => {
    while (!over) {
      const before = await newestFact(server, name);
      ended += await endBackends(server, name);
      while (!over && (await newestFact(server, name)) === before) await pause(5);
      // Long enough for a new connection and a little work on it, and never in step with either.
      await pause(20 + 60 * Math.random());
    }
  })();
  return {
    ended: () => ended,
    end: async () => {
      over = true;
      return ending;
    },
  };
}

async function newestFact(server: PrivatePostgres, name: string): Promise<unknown> {
  const [row] = await server.sql(name)`select max(seq) as seq from baton.fact`;
  return row?.['seq'];
}

async function send(store: Store, nextId: () => HandoffId | null): Promise<readonly HandoffId[]> {
  const sent: HandoffId[] = [];
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      for (let id = nextId(); id !== null; id = nextId()) {
        const [made] = await put(store, openingOf({ id }));
        if (made !== undefined) sent.push(made.id);
      }
    }),
  );
  return sent;
}

/** Like every process, each worker has a session of its own. */
async function ownSession(store: Store, nth: number): Promise<SessionId> {
  const id = sessionOf(`worker-${nth}`);
  await store.sessions.open({ id, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS });
  return id;
}

/** Claims and completes until all are done; notes what it was given, as often as it was given it. */
async function work(
  store: Store,
  session: SessionId,
  isAllDone: () => boolean,
  done: HandoffId[],
): Promise<readonly HandoffId[]> {
  while (!isAllDone()) {
    const hint = store.changed({ kind: 'offers', agent: WORKER }, AbortSignal.timeout(1000));
    const claimed = await store.claim(WORKER, 10, acceptBy(session));
    if (claimed.length === 0) await hint;
    await Promise.all(
      claimed.map(async ({ handoff, body }) => {
        expect(body).toBe(jsonOf({ of: handoff.id }));
        const [answer] = await store.change([handoff], deliverAndVerify(handoff.fence));
        expect((await trailOf(store, handoff.id)).at(-1)?.hash).toBe(valueOf(answer).trail);
        done.push(handoff.id);
      }),
    );
  }
  return done;
}
