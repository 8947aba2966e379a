/**
 * Baton on SQLite beside BullMQ on a Redis that syncs every write, and beside a bare loop that writes the same rows.
 * One producer and one worker process each, inputs of two kilobytes, all in one run, rounds interleaved, medians.
 *
 * A full life at concurrency c: c callers in the producer, and c hands in the worker. Each caller sends one handoff,
 * and waits until it has learnt that this very one is completed, before it sends the next. Every step (sent, taken,
 * completed) is on the disk before the next one begins. The bare loop sends, takes and completes c at a time.
 *
 *   npm run bench -- [lives] [wake] [million] [memory] [start] [kill] [folder] [drop]        without arguments: all of them
 */
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { chartOf } from './chart.ts';
import { embeddedNamed } from './contestants/embedded-all.ts';
import { privateRedis } from './private-redis.ts';
import { report, type Figures } from './embedded-report.ts';
import { measureDrops } from './embedded-drop.ts';
import { measureFolder } from './embedded-folder.ts';
import { measureKill } from './embedded-kill.ts';
import { measureLives } from './embedded-lives.ts';
import { measureMemory } from './embedded-memory.ts';
import { measureMillion } from './embedded-million.ts';
import { measureStart } from './embedded-start.ts';
import { measureWakeUps } from './embedded-wake.ts';
import type { EmbeddedContestant } from './contestants/embedded.ts';

export interface Bench {
  readonly scale: number;
  readonly rounds: number;
  readonly contestants: readonly EmbeddedContestant[];
  /** Of this contestant, emptied. */
  fresh(contestant: EmbeddedContestant): Promise<string>;
  /** A new folder of its own, which stays until the end. */
  folder(name: string): string;
}

const SECTIONS: Record<string, (bench: Bench) => Promise<Figures>> = {
  lives: measureLives,
  wake: measureWakeUps,
  million: measureMillion,
  memory: measureMemory,
  start: measureStart,
  kill: measureKill,
  folder: measureFolder,
  drop: measureDrops,
};
const RESULTS = 'bench/results/embedded.json';

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => SECTIONS[name] === undefined);
if (unknown.length > 0) throw new Error(`unknown ${unknown.join(', ')}; there are ${Object.keys(SECTIONS).join(', ')}`);

mkdirSync('bench/.out', { recursive: true });
// Beside the sources and not in the temporary folder, which may be no disk at all.
const home = mkdtempSync(join(process.env['BATON_BENCH_PLACE'] ?? join(process.cwd(), 'bench/.out'), 'run-'));
const redis = await privateRedis(join(home, 'redis'));
if (redis === null) process.stderr.write('redis-server is missing or does not start: without BullMQ\n');
const bench: Bench = {
  scale: Number(process.env['BATON_BENCH_SCALE'] ?? 1),
  rounds: Number(process.env['BATON_BENCH_ROUNDS'] ?? 3),
  contestants: (redis === null ? ['baton', 'bare loop'] : ['baton', 'BullMQ', 'bare loop']).map(embeddedNamed),
  fresh: async (contestant) => {
    const place = contestant.name === 'BullMQ' && redis !== null ? redis.url : join(home, contestant.name);
    await contestant.prepare(place);
    return place;
  },
  folder: (name) => join(home, name),
};
try {
  const figures: Record<string, Figures> = readResults();
  for (const name of asked.length === 0 ? Object.keys(SECTIONS) : asked) {
    process.stderr.write(`${name}\n`);
    const measured = await SECTIONS[name]?.(bench);
    if (measured === undefined) continue;
    figures[name] = measured;
    process.stdout.write(`${report(name, measured)}\n\n`);
  }
  const machine = `${cpus().length} cores, Node ${process.version}`;
  mkdirSync('bench/results', { recursive: true });
  writeFileSync(RESULTS, `${JSON.stringify({ machine, ...figures }, null, 2)}\n`);
  writeFileSync('bench/results/embedded.svg', chartOf(figures, machine));
} finally {
  await redis?.stop();
  rmSync(home, { recursive: true, force: true });
}

/** A run of some sections leaves the figures of the others as they were. */
function readResults(): Record<string, Figures> {
  try {
    const { machine: _, ...figures } = JSON.parse(readFileSync(RESULTS, 'utf8')) as Record<string, Figures>;
    return figures;
  } catch {
    return {};
  }
}
