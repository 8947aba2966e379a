import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databases, makeWorkspace } from '../cli/workspaces.ts';
import { until, type Running } from '../support/processes.ts';
import { usePrograms } from './built-programs.ts';
import { watchStandstill } from './programs/standstill.ts';
import type { Kept, WriterReport } from './programs/writer.ts';
import { complaintsAbout, everythingIn } from './soundness.ts';
import { campaignSize } from '../support/campaign-sizes.ts';
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

const WRITERS = 8;
/** 60 when run by hand: only a long run says something about rates. */
const SECONDS = campaignSize('BATON_STORM_SECONDS');
const LONG_RUN_SECONDS = 30;
/** From here on a person notices, and a heartbeat would be late. */
const STANDSTILL_MAX_MS = 150;
const FAIR_SHARE = 0.5;
/** Long enough for the order to reach all of them. */
const BEGIN_IN_MS = 300;

const programs = usePrograms([new URL('./programs/writer.ts', import.meta.url)]);

describe.each(databases)('eight processes that write to one $name database', (database) => {
  it(
    'I1, I2, I3: all get their share, nobody hears of a lock, and all that was acknowledged is there',
    async () => {
      const { folder, address, open } = await makeWorkspace(database);
      const ctx = await open();
      const keeps = Array.from({ length: WRITERS }, (_, index) => join(folder, `kept-${index}.json`));
      const writers = keeps.map((keep) =>
        programs.start('writer', { database: address, seconds: SECONDS, keep }, { input: 'open' }),
      );
      await begin(writers);
      const idle = watchStandstill();
      const reports = await Promise.all(writers.map(reportOf));
      print(reports, idle.stop());

      expect([...new Set(reports.flatMap((report) => report.faults))]).toEqual([]);
      expect(unfairnessOf(reports)).toEqual([]);

      const kept = keeps.map((keep) => JSON.parse(readFileSync(keep, 'utf8')) as Kept);
      const sent = kept.flatMap((each) => each.sent);
      const settled = kept.flatMap((each) => each.settled);
      expect(new Set(settled).size).toBe(settled.length);
      const { handoffs } = await everythingIn(ctx.store);
      expect(handoffs.size).toBe(sent.length);
      expect(sent.filter((id) => !handoffs.has(id))).toEqual([]);
      expect(settled.filter((id) => handoffs.get(id)?.state !== 'completed')).toEqual([]);
      expect(await complaintsAbout(ctx.store, address)).toEqual([]);
    },
    (SECONDS * 2 + 300) * 1000,
  );
});

async function begin(writers: readonly Running[]): Promise<void> {
  await until('all are ready', () => writers.every((writer) => writer.stdout().includes('ready')));
  const atMs = Date.now() + BEGIN_IN_MS;
  for (const writer of writers) writer.say(`${atMs}\n`);
}

async function reportOf(writer: Running): Promise<WriterReport> {
  const { code, stdout, stderr } = await writer.ended;
  if (code !== 0) throw new Error(`a writer ended with ${code}: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as WriterReport;
}

/** What an idle process has to suffer meanwhile is the machine's, not ours. */
function print(reports: readonly WriterReport[], idleMs: number): void {
  const rates = reports.map((report) => report.rounds / SECONDS);
  const words = [
    `${WRITERS} writers for ${SECONDS} s: ${mean(rates).toFixed(0)} rounds (send, claim, settle) per second each,`,
    `slowest ${Math.min(...rates).toFixed(0)}, fastest ${Math.max(...rates).toFixed(0)};`,
    `longest standstill ${Math.max(...reports.map((report) => report.standstillMs))} ms (of an idle process: ${idleMs} ms)`,
  ];
  console.log(words.join(' '));
}

/** A short run on a busy machine says nothing about speed: then only somebody who got nothing at all is reported. */
function unfairnessOf(reports: readonly WriterReport[]): readonly string[] {
  const rates = reports.map((report) => report.rounds / SECONDS);
  const slowest = Math.min(...rates);
  const standstillMs = Math.max(...reports.map((report) => report.standstillMs));
  const isLong = SECONDS >= LONG_RUN_SECONDS;
  return [
    ...(slowest > 0 ? [] : ['one of them got nothing done']),
    ...(isLong && slowest < FAIR_SHARE * mean(rates) ? [`the slowest has ${slowest}, the mean is ${mean(rates)}`] : []),
    ...(isLong && standstillMs > STANDSTILL_MAX_MS ? [`an event loop stood still for ${standstillMs} ms`] : []),
  ];
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
