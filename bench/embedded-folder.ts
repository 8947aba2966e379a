/** What the queue folder costs: the same lives with and without it, in turn. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './embedded.ts';
import { livesOf } from './embedded-lives.ts';
import { atLeast, type Figures, type Pledge } from './report.ts';
import { embeddedNamed } from './contestants/all.ts';
import { median, medians } from './measure.ts';

/** By concurrency: how many lives, and what part of the rate without the folder is promised. */
const MEASURED = [
  { concurrency: 1, lives: 1_000, bound: 0.6 },
  { concurrency: 10, lives: 3_000, bound: 0.5 },
  { concurrency: 50, lives: 4_000, bound: 0.5 },
] as const;
const WITH = 'baton, folder on';
const WITHOUT = 'baton, folder off';

export async function measureFolder(bench: Bench): Promise<Figures> {
  const rows: Record<string, Record<string, number>> = {};
  const pledges: Pledge[] = [];
  const making: number[] = [];
  for (const { concurrency, lives, bound } of MEASURED) {
    const rates = new Map<string, number[]>();
    const costs = new Map<string, number[]>();
    for (let round = 1; round <= bench.rounds; round += 1) {
      for (const name of [WITHOUT, WITH]) {
        process.stderr.write(`  round ${round} of ${bench.rounds}: ${name} at ${concurrency}\n`);
        const contestant = embeddedNamed(name);
        const { place, us } = cleanPlace(bench, `${name} ${concurrency} ${round}`);
        making.push(us);
        await contestant.prepare(place);
        const count = Math.ceil(lives * bench.scale);
        const { rate, cpuUs } = await livesOf(contestant, place, concurrency, count, () => count);
        rates.set(name, [...(rates.get(name) ?? []), rate]);
        costs.set(name, [...(costs.get(name) ?? []), cpuUs]);
      }
    }
    const byName = medians(rates);
    rows[`lives/s at ${concurrency}`] = byName;
    rows[`processor µs per life at ${concurrency}`] = medians(costs);
    const share = (byName[WITH] ?? Number.NaN) / (byName[WITHOUT] ?? Number.NaN);
    pledges.push(atLeast(`of the rate without the folder at ${concurrency}`, share, bound));
  }
  rows['processor µs to make a file there'] = { [WITH]: median(making) };
  return { rows, pledges };
}

const MADE = 100;
const DEBRIS_US = 80;
const PLACES_MAX = 30;

/**
 * Where many files were deleted a moment ago, some systems take ten times as long to make one, and so would every life.
 * That is true of regions of a disk, and each new folder may lie in another one: the first without debris is taken.
 */
function cleanPlace(bench: Bench, name: string): { readonly place: string; readonly us: number } {
  for (let at = 1; ; at += 1) {
    const folder = bench.folder(`${name} ${at}`);
    const us = makingUs(folder);
    if (us <= DEBRIS_US) return { place: join(folder, 'place'), us };
    if (at < PLACES_MAX) continue;
    process.stderr.write(`  making a file takes ${us} µs here: name a place without debris in BATON_BENCH_PLACE\n`);
    return { place: join(folder, 'place'), us };
  }
}

function makingUs(folder: string): number {
  mkdirSync(folder, { recursive: true });
  const before = process.cpuUsage();
  for (let at = 0; at < MADE; at += 1) writeFileSync(join(folder, String(at)), 'x');
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / MADE);
}
