import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { openApp } from '../../src/app/open-app.ts';
import { howToGet, needComponent } from '../support/components.ts';
import { start, tempFolder } from '../support/processes.ts';
import { usePrograms, type Programs } from './built-programs.ts';
import { diskUnder } from './disk-model.ts';
import type { Acknowledged, RecorderOrder } from './programs/recorder.ts';
import { chanceOf, seedOfThisRun } from './seeds.ts';
import { complaintsAbout, everythingIn } from './soundness.ts';
import { readCalls, straceArguments, type Call } from './system-calls.ts';
import { campaignSize } from '../support/campaign-sizes.ts';

/** Cuts at moments and with luck chosen by the seed, beside the worst ones. */
const CUTS = campaignSize('BATON_POWER_CUTS');
const SEED = seedOfThisRun();
const RECORDER = new URL('./programs/recorder.ts', import.meta.url);

type Part = Pick<RecorderOrder, 'rounds' | 'session' | 'bodyBytes'>;
/** Begun, closed, opened again; and so much that the log is worth a checkpoint. */
const SMALL: readonly Part[] = [
  { rounds: 3, session: 'first', bodyBytes: 10 },
  { rounds: 3, session: 'second', bodyBytes: 5_000 },
];
const LARGE: readonly Part[] = [{ rounds: 26, session: 'third', bodyBytes: 60_000 }];

interface Cut {
  /** After this many calls. */
  readonly at: number;
  readonly seed: number | null;
}

describe('a power cut, on sqlite', { timeout: 300_000 + CUTS * 1_000 }, () => {
  const programs = usePrograms([RECORDER]);

  it('I3, I1, I2: after an acknowledgement loses nothing of it', async (context) => {
    const { root, calls } = await record(context, programs, SMALL);
    const said = calls.flatMap((call, index) => (call.kind === 'said' ? [index + 1] : []));
    const chance = chanceOf(SEED);
    const worst = said.map((at): Cut => ({ at, seed: null }));
    const lucky = Array.from({ length: CUTS }, (): Cut => ({
      at: chance.below(calls.length + 1),
      seed: chance.below(1e9),
    }));
    const complaints = await cutAll(root, calls, [...worst, ...lucky]);
    console.log(
      `${calls.length} calls, ${said.length} acknowledgements, ${worst.length + lucky.length} cuts, seed ${SEED}`,
    );
    expect(complaints).toEqual([]);
  });

  it('I3, I1, I2: during a checkpoint loses nothing', async (context) => {
    const { root, calls } = await record(context, programs, LARGE);
    const moved = calls.flatMap((call, index) => (isCheckpointing(call, root) ? [index] : []));
    expect(moved.length).toBeGreaterThan(0);
    const chance = chanceOf(SEED);
    // From a little before the first page is moved to the last call of all, which begins the log anew.
    const from = Math.max(0, (moved[0] ?? 0) - 20);
    const cuts = Array.from({ length: Math.ceil(CUTS / 4) }, (_, index): Cut => {
      const at = from + chance.below(calls.length + 1 - from);
      return { at, seed: index % 3 === 0 ? null : chance.below(1e9) };
    });
    const complaints = await cutAll(root, calls, cuts);
    console.log(`${calls.length} calls, ${moved.length} of a checkpoint, ${cuts.length} cuts, seed ${SEED}`);
    expect(complaints).toEqual([]);
  });
});

describe('the test of power cuts', () => {
  const careless = usePrograms([RECORDER], {
    file: /sqlite\/binding\.ts$/,
    replace: 'PRAGMA synchronous = ${sync};',
    by: 'PRAGMA synchronous = off;',
  });

  it('I3: finds losses when commits do not wait for the disk', async (context) => {
    const { root, calls } = await record(context, careless, SMALL);
    const last = calls.findLastIndex((call) => call.kind === 'said');
    const complaints = await cutAll(root, calls, [{ at: last + 1, seed: null }]);
    expect(complaints.length).toBeGreaterThan(0);
    expect(complaints.join('\n')).toMatch(/was acknowledged as/);
  });
});

/** Runs the parts one after the other under strace, and answers all they did. */
async function record(
  context: TestContext,
  programs: Programs,
  parts: readonly Part[],
): Promise<{ root: string; calls: readonly Call[] }> {
  const strace = await needComponent('strace');
  if (strace === null) return context.skip(howToGet('strace'));
  const folder = tempFolder();
  const root = join(folder, 'disk');
  mkdirSync(root);
  const calls: Call[] = [];
  for (const part of parts) {
    const order = { ...part, database: { kind: 'sqlite', path: join(root, '.baton', 'baton.db') } };
    const trace = join(folder, `${part.session}.trace`);
    const program = [process.execPath, programs.path('recorder'), JSON.stringify(order)];
    const { code, stderr } = await start(strace, [...straceArguments(trace), ...program]).ended;
    if (code !== 0) throw new Error(`strace ended with ${code}: ${stderr}`);
    calls.push(...readCalls(trace));
    rmSync(trace);
  }
  return { root, calls };
}

async function cutAll(root: string, calls: readonly Call[], cuts: readonly Cut[]): Promise<readonly string[]> {
  const folder = tempFolder();
  const disk = diskUnder(root);
  const said: Acknowledged[] = [];
  const complaints: string[] = [];
  let applied = 0;
  for (const { at, seed } of cuts.toSorted((a, b) => a.at - b.at)) {
    for (const call of calls.slice(applied, at)) {
      disk.apply(call);
      if (call.kind === 'said') said.push(...acknowledgedIn(call.text));
    }
    applied = at;
    const target = join(folder, `cut-${at}-${seed ?? 'worst'}`);
    disk.cut(target, seed === null ? null : chanceOf(seed));
    const found = await complaintsAfter(target, said);
    complaints.push(...found.map((complaint) => `cut after call ${at}, ${seed ?? 'worst'}: ${complaint}`));
    rmSync(target, { recursive: true, force: true });
  }
  // The first few tell the story; all of them would hide it.
  return complaints.slice(0, 10);
}

/** Opens what the disk has left, as the next start of Baton would. */
async function complaintsAfter(target: string, said: readonly Acknowledged[]): Promise<readonly string[]> {
  const database = { kind: 'sqlite', path: join(target, '.baton', 'baton.db') } as const;
  try {
    const app = await openApp({ database, limits: NO_LIMITS });
    try {
      const { trails } = await everythingIn(app.ctx.store);
      const byId = new Map<string, readonly { readonly to: string }[]>(trails);
      const lost = said.filter(({ id, state, revision }) => byId.get(id)?.[revision - 1]?.to !== state);
      const complaints = await complaintsAbout(app.ctx.store, database);
      return [
        ...complaints,
        ...lost.map((each) => `${each.id} was acknowledged as ${each.state}, revision ${each.revision}`),
      ];
    } finally {
      await app.close();
    }
  } catch (error) {
    return [
      `cannot be opened: ${String(error)}`,
      ...said.map((each) => `${each.id} was acknowledged as ${each.state}`),
    ];
  }
}

function acknowledgedIn(text: string): readonly Acknowledged[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{"id"'))
    .map((line) => JSON.parse(line) as Acknowledged);
}

function isCheckpointing(call: Call, root: string): boolean {
  return call.kind === 'write' && call.path === join(root, '.baton', 'baton.db');
}
