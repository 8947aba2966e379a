import { baton } from './baton.ts';
import type { Contestant } from './contestant.ts';
import { graphileWorker, graphileWorkerBatched } from './graphile-worker.ts';
import { pgBoss } from './pg-boss.ts';

export const CONTESTANTS: readonly Contestant[] = [baton, graphileWorker, graphileWorkerBatched, pgBoss];

export function contestantNamed(name: string): Contestant {
  const found = CONTESTANTS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`nobody is called ${name}`);
  return found;
}
