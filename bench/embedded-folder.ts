/** What the queue folder costs: the same lives with and without it, in turn. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './embedded.ts';
import { livesOf } from './embedded-lives.ts';
import { atLeast, type Figures, type Pledge } from './embedded-report.ts';
import { embeddedNamed } from './contestants/embedded-all.ts';
import { median } from './measure.ts';

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
  rows['processor µs to make a file here'] = { [WITH]: makingUs(bench.folder('making')) };
  for (const { concurrency, lives, bound } of MEASURED) {
    const rates = new Map<string, number[]>();
    const costs = new Map<string, number[]>();
    for (let round = 1; round <= bench.rounds; round += 1) {
      for (const name of [WITHOUT, WITH]) {
        process.stderr.write(`  round ${round} of ${bench.rounds}: ${name} at ${concurrency}\n`);
        const contestant = embeddedNamed(name);
        // A new place each time: where many files were just deleted, making one takes a system far longer.
        const place = bench.folder(`${name} ${concurrency} ${round}`);
        await contestant.prepare(place);
        const { rate, cpuUs } = await livesOf(contestant, place, concurrency, Math.ceil(lives * bench.scale));
        rates.set(name, [...(rates.get(name) ?? []), rate]);
        costs.set(name, [...(costs.get(name) ?? []), cpuUs]);
      }
    }
    const medians = mediansOf(rates);
    rows[`lives/s at ${concurrency}`] = medians;
    rows[`processor µs per life at ${concurrency}`] = mediansOf(costs);
    const share = (medians[WITH] ?? Number.NaN) / (medians[WITHOUT] ?? Number.NaN);
    pledges.push(atLeast(`of the rate without the folder at ${concurrency}`, share, bound));
  }
  return { rows, pledges };
}

const MADE = 500;
const DEBRIS_US = 100;

/** Some systems take ten times as long to make a file where many were deleted a moment ago, and so would every life. */
function makingUs(place: string): number {
  mkdirSync(place, { recursive: true });
  const before = process.cpuUsage();
  for (let at = 0; at < MADE; at += 1) writeFileSync(join(place, String(at)), 'x');
  const { user, system } = process.cpuUsage(before);
  const us = Math.round((user + system) / MADE);
  if (us > DEBRIS_US) {
    process.stderr.write(`  making a file takes ${us} µs here: name a place without debris in BATON_BENCH_PLACE\n`);
  }
  return us;
}

function mediansOf(values: ReadonlyMap<string, readonly number[]>): Record<string, number> {
  return Object.fromEntries([...values].map(([name, all]) => [name, median(all)]));
}
