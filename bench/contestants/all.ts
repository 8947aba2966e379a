import { bareLoop } from './bare-loop.ts';
import { batonPostgres } from './baton-postgres.ts';
import { batonSqlite, batonWithFolder, batonWithoutFolder } from './baton-sqlite.ts';
import { bullmq } from './bullmq.ts';
import type { Contestant } from './contestant.ts';
import { dbos } from './dbos.ts';
import { graphileWorker, graphileWorkerBatched } from './graphile-worker.ts';
import { pgBoss, pgBossBatched } from './pg-boss.ts';

/** On PostgreSQL. */
export const FLEET: readonly Contestant[] = [
  batonPostgres,
  graphileWorker,
  graphileWorkerBatched,
  pgBoss,
  pgBossBatched,
  dbos,
];

/** On one machine. */
const EMBEDDED: readonly Contestant[] = [batonSqlite, batonWithoutFolder, batonWithFolder, bullmq, bareLoop];

export const fleetNamed = (name: string): Contestant => named(FLEET, name);
export const embeddedNamed = (name: string): Contestant => named(EMBEDDED, name);

function named(contestants: readonly Contestant[], name: string): Contestant {
  const found = contestants.find((each) => each.name === name);
  if (found === undefined) throw new Error(`nobody is called ${name}`);
  return found;
}
