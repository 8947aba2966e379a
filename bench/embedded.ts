/**
 * Baton on SQLite beside BullMQ on a Redis that syncs every write, and beside a bare loop that writes the same rows.
 * One producer and one worker process each, inputs of two kilobytes, all in one run, rounds interleaved, medians.
 *
 * A full life at concurrency c: c callers in the producer, and c slots in the worker. Each caller sends one handoff
 * and waits until it is completed before it sends the next. Every step (sent, claimed, completed) is on the disk before
 * the next one begins. The bare loop sends, takes and completes c at a time.
 *
 *   npm run bench -- [lives] [wake] [million] [memory] [start] [kill] [folder] [drop]        without arguments: all of them
 */
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bindingText, chooseBinding } from '../src/stores/sqlite/choose-binding.ts';
import { howToGet, needComponent } from '../test/support/components.ts';
import { chartOf } from './chart.ts';
import { embeddedNamed } from './contestants/all.ts';
import { privateRedis } from './private-redis.ts';
import { measureDrops } from './embedded-drop.ts';
import { measureFolder } from './embedded-folder.ts';
import { measureKill } from './embedded-kill.ts';
import { measureLives } from './embedded-lives.ts';
import { measureMemory } from './embedded-memory.ts';
import { measureMillion } from './embedded-million.ts';
import { measureStart } from './embedded-start.ts';
import { measureWakeUps } from './embedded-wake.ts';
import type { Contestant } from './contestants/contestant.ts';
import { MACHINE, RESULTS, ROUNDS, runSections, SCALE, sectionsAsked, versionsOf, type Sections } from './sections.ts';

export interface Bench {
  readonly scale: number;
  readonly rounds: number;
  readonly contestants: readonly Contestant[];
  /** Of this contestant, emptied. */
  fresh(contestant: Contestant): Promise<string>;
  /** A new folder of its own, which stays until the end. */
  folder(name: string): string;
}

const SECTIONS: Sections<Bench> = {
  lives: measureLives,
  wake: measureWakeUps,
  million: measureMillion,
  memory: measureMemory,
  start: measureStart,
  kill: measureKill,
  folder: measureFolder,
  drop: measureDrops,
};

sectionsAsked(SECTIONS);
const program = await needComponent('redis');
mkdirSync('bench/.out', { recursive: true });
// Beside the sources, because the temporary folder may be in memory.
const home = mkdtempSync(join(process.env['BATON_BENCH_PLACE'] ?? join(process.cwd(), 'bench/.out'), 'run-'));
const redis = program === null ? null : await privateRedis(program, join(home, 'redis'));
const bench: Bench = {
  scale: SCALE,
  rounds: ROUNDS,
  contestants: (redis === null ? ['baton', 'bare loop'] : ['baton', 'BullMQ', 'bare loop']).map(embeddedNamed),
  fresh: async (contestant) => {
    const place = contestant.name === 'BullMQ' && redis !== null ? redis.url : join(home, contestant.name);
    await contestant.prepare(place);
    return place;
  },
  folder: (name) => join(home, name),
};
const conditions = [
  `Baton and the bare loop: ${bindingText(chooseBinding())}, synchronous=FULL`,
  redis === null
    ? `without BullMQ: ${howToGet('redis')}`
    : `${versionsOf(['bullmq'])} on Redis ${redis.version}, appendfsync=always`,
];
try {
  const figures = await runSections('embedded', SECTIONS, bench, conditions);
  writeFileSync(`${RESULTS}/embedded.svg`, chartOf(figures, MACHINE));
} finally {
  await redis?.stop();
  rmSync(home, { recursive: true, force: true });
}
