/**
 * A fleet whose database is taken away under it, again and again: connections are ended at random, and the server dies
 * as by a power cut. BATON_STORM_KILLS and BATON_STORM_RESTARTS make it longer.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HandoffId } from '../../src/domain/names.ts';
import { openApp } from '../../src/app/open-app.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { jsonLines } from '../cli/workspaces.ts';
import { privatePostgres, WITHOUT_POSTGRES, type PrivatePostgres } from '../support/private-postgres.ts';
import { until, type Running } from '../support/processes.ts';
import { usePrograms } from './built-programs.ts';
import { chanceOf, seedOfThisRun } from './seeds.ts';
import { complaintsAbout, everythingIn } from './soundness.ts';
import { campaignSize } from '../support/campaign-sizes.ts';

const KILLS = campaignSize('BATON_STORM_KILLS');
const RESTARTS = campaignSize('BATON_STORM_RESTARTS');
const KILL_EVERY_MS = 50;
const SEED = seedOfThisRun();
/** Far beyond what is expected, which is printed: a test that waits this long has failed. */
const PATIENCE_MS = 60_000;

const programs = usePrograms([
  new URL('./programs/storm-sender.ts', import.meta.url),
  new URL('./programs/storm-worker.ts', import.meta.url),
]);

interface Said {
  readonly sent?: HandoffId;
  readonly completed?: HandoffId;
}

describe('a fleet on PostgreSQL', () => {
  it(
    'I1, I2, I3, I6: goes on by itself when connections and server are taken away, and loses and doubles nothing',
    async ({ skip }) => {
      const server = await privatePostgres({ fsync: true });
      if (server === null) return skip(WITHOUT_POSTGRES);
      onTestFinished(() => server.remove());
      const database = { kind: 'postgres', url: await server.createDatabase('fleet') } as const;
      const app = await openApp({ database, limits: NO_LIMITS });
      onTestFinished(() => app.close());
      const senders = [1, 2].map(() => programs.start('storm-sender', { database }));
      const workers = [1, 2, 3, 4].map(() => programs.start('storm-worker', { database }));
      const everybody = [...senders, ...workers];
      await until('everybody has begun', () => everybody.every((each) => saidIn(each).length > 0), PATIENCE_MS);

      const pauses: number[] = [];
      for (let round = 0; round <= RESTARTS; round += 1) {
        await endConnections(server, Math.ceil(KILLS / (RESTARTS + 1)));
        if (round === RESTARTS) break;
        await server.stop('immediate');
        await server.start();
        pauses.push(await timeUntilAllGoOn(everybody));
      }
      pauses.push(await timeUntilAllGoOn(everybody));
      for (const each of senders) each.signal('SIGKILL');
      const { store } = app.ctx;
      const open = { by: 'filter', states: ['offered', 'accepted'], max: 1 } as const;
      await until('all is done', async () => (await store.find(open)).items.length === 0, PATIENCE_MS);
      for (const each of workers) each.signal('SIGKILL');
      await Promise.all(everybody.map((each) => each.ended));

      const sent = everybody.flatMap(saidIn).flatMap((line) => line.sent ?? []);
      const completed = everybody.flatMap(saidIn).flatMap((line) => line.completed ?? []);
      const { handoffs } = await everythingIn(store);
      console.log(
        `seed ${SEED}: ${KILLS} connections ended, ${RESTARTS} immediate restarts; ${sent.length} acknowledged, ` +
          `${handoffs.size} there; everybody went on after ${pauses.map((ms) => `${Math.round(ms)} ms`).join(', ')}`,
      );
      expect(sent.filter((id) => handoffs.get(id)?.state !== 'completed')).toEqual([]);
      expect([...handoffs.values()].filter(({ state }) => state !== 'completed')).toEqual([]);
      expect(new Set(completed).size).toBe(completed.length);
      expect(await complaintsAbout(store, database)).toEqual([]);
    },
    PATIENCE_MS * (RESTARTS + 3) + KILLS * KILL_EVERY_MS * 2,
  );
});

async function endConnections(server: PrivatePostgres, count: number): Promise<void> {
  const chance = chanceOf(SEED);
  const admin = server.sql();
  for (let ended = 0; ended < count; ended += 1) {
    const nextMs = performance.now() + KILL_EVERY_MS * (0.5 + chance.unit());
    const found = await admin<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = 'fleet' and backend_type = 'client backend' order by pid`;
    const pid = found[chance.below(Math.max(1, found.length))]?.pid;
    if (pid !== undefined) await admin`select pg_terminate_backend(${pid})`;
    await until('it is time', () => performance.now() >= nextMs);
  }
}

/** Until each process has said something new. */
async function timeUntilAllGoOn(everybody: readonly Running[]): Promise<number> {
  const beganMs = performance.now();
  const before = everybody.map((each) => each.stdout().length);
  await until(
    'everybody goes on',
    () => everybody.every((each, i) => each.stdout().length > (before[i] ?? 0)),
    PATIENCE_MS,
  );
  return performance.now() - beganMs;
}

/** The last line of somebody who was killed may be half a line. */
function saidIn(running: Running): readonly Said[] {
  const stdout = running.stdout();
  return jsonLines(stdout.slice(0, stdout.lastIndexOf('\n') + 1)) as readonly Said[];
}
