import { bareLoop } from './bare-loop.ts';
import { batonSqlite, batonWithFolder, batonWithoutFolder } from './baton-sqlite.ts';
import { bullmq } from './bullmq.ts';
import type { EmbeddedContestant } from './embedded.ts';

const EMBEDDED: readonly EmbeddedContestant[] = [batonSqlite, batonWithoutFolder, batonWithFolder, bullmq, bareLoop];

export function embeddedNamed(name: string): EmbeddedContestant {
  const found = EMBEDDED.find((each) => each.name === name);
  if (found === undefined) throw new Error(`nobody is called ${name}`);
  return found;
}
