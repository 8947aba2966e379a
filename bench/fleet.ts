/**
 * Baton on PostgreSQL beside graphile-worker, pg-boss and DBOS: one server whose every commit is on the disk, inputs of two
 * kilobytes, all in one run. Rates are full lives (sent, taken, finished) per second.
 *
 *   npm run bench:fleet -- [lives] [bulk] [wake] [curve] [scale] [model]        without arguments: all of them
 */
import { statfsSync } from 'node:fs';
import { privatePostgres, WITHOUT_POSTGRES } from '../test/support/private-postgres.ts';
import { FLEET } from './contestants/all.ts';
import type { Contestant } from './contestants/contestant.ts';
import { measureBulk } from './fleet-bulk.ts';
import { measureCurve } from './fleet-curve.ts';
import { measureLives } from './fleet-lives.ts';
import { measureModel } from './fleet-model.ts';
import { measureScale } from './fleet-scale.ts';
import { measureWakeUps } from './fleet-wake.ts';
import { serverTime } from './processor-time.ts';
import { ROUNDS, runSections, SCALE, sectionsAsked, versionsOf, type Sections } from './sections.ts';

export interface FleetBench {
  readonly scale: number;
  readonly rounds: number;
  readonly contestants: readonly Contestant[];
  /** Processor time of the server so far. */
  serverMs(): number;
  /** The address of a new database with the tables of this contestant. */
  fresh(contestant: Contestant): Promise<string>;
}

const SECTIONS: Sections<FleetBench> = {
  lives: measureLives,
  bulk: measureBulk,
  wake: measureWakeUps,
  curve: measureCurve,
  scale: measureScale,
  model: measureModel,
};
const NAMES = process.env['BATON_BENCH_NAMES']?.split(';') ?? FLEET.map(({ name }) => name);
const TMPFS = 0x01021994;

sectionsAsked(SECTIONS);
const folder = process.env['BATON_BENCH_PLACE'] ?? '/var/tmp';
if (statfsSync(folder).type === TMPFS) throw new Error(`${folder} is no disk: name one in BATON_BENCH_PLACE`);
const server = await privatePostgres({
  folder,
  fsync: true,
  settings: ['autovacuum=on', 'max_connections=600', 'shared_buffers=256MB'],
});
if (server === null) throw new Error(WITHOUT_POSTGRES);
let databases = 0;
const bench: FleetBench = {
  scale: SCALE,
  rounds: ROUNDS,
  contestants: FLEET.filter(({ name }) => NAMES.includes(name)),
  serverMs: await serverTime(server),
  fresh: async (contestant) => {
    databases += 1;
    const url = await server.createDatabase(`bench_${databases}`);
    await contestant.prepare(url);
    return url;
  },
};
try {
  const [row] = await server.sql()`select current_setting('server_version') as version`;
  await runSections('fleet', SECTIONS, bench, [
    `PostgreSQL ${String(row?.['version'])} on a disk, fsync=on, synchronous_commit=on`,
    versionsOf(['graphile-worker', 'pg-boss', '@dbos-inc/dbos-sdk']),
  ]);
} finally {
  await server.remove();
}
