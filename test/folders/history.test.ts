import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readCalls, straceArguments, type Call } from '../crash/system-calls.ts';
import { howToGet, needComponent } from '../support/components.ts';
import { BATON, quickBaton, start, tempFolder } from '../support/processes.ts';
import { answer } from './native.ts';
import { aRequest, queueWorld } from './queue-world.ts';
import { campaignSize } from '../support/campaign-sizes.ts';

/** The whole history with `BATON_HISTORY_COUNT=100000`. */
const HISTORY = campaignSize('BATON_HISTORY_COUNT');
const WORK = 3;
/** Beside, without anybody looking: how long a life takes. Told, and not judged. */
const LIVES = 30;

let strace: string | null = null;

beforeAll(async () => {
  strace = await needComponent('strace');
});

async function workspace(finished: number): Promise<string> {
  const folder = tempFolder();
  await quickBaton(['init'], { cwd: folder });
  writeFileSync(join(folder, 'baton.yaml'), 'folders: { queue: on }\n');
  await quickBaton(['sync'], { cwd: folder });
  const completed = join(folder, 'handoffs/completed');
  mkdirSync(completed, { recursive: true });
  for (let at = 0; at < finished; at += 1) writeFileSync(join(completed, `old-${at}.json`), '{"status":"completed"}');
  for (let at = 0; at < WORK; at += 1) {
    writeFileSync(join(folder, `handoffs/pending/n${at}.json`), JSON.stringify(aRequest(`n${at}`)));
  }
  return folder;
}

async function traced(folder: string, args: readonly string[], shape: readonly string[]): Promise<string> {
  const output = join(folder, 'calls.trace');
  const program = [...shape, '-o', output, process.execPath, BATON, ...args];
  const { code, stderr } = await start(strace ?? '', program, { cwd: folder }).ended;
  expect([code, stderr.replace(/^.*attempt.*\n?/gm, '')]).toEqual([0, expect.any(String)]);
  return output;
}

const WORKER = ['work', '@react', '--once', '--', 'sh', '-c', 'cat > /dev/null; echo 1'];

/** What was asked of the queue's folders, and how often. */
async function asked(
  folder: string,
  args: readonly string[],
): Promise<{ readonly listed: Set<string>; readonly calls: number }> {
  const trace = 'trace=openat,getdents64,statx,newfstatat,rename,link,unlink,mkdir';
  const output = await traced(folder, args, ['-f', '-y', '-s', '1000', '-qq', '-e', 'signal=none', '-e', trace]);
  const lines = readFileSync(output, 'utf8').split('\n');
  const listed = lines.flatMap((line) => /getdents64\(\d+<[^>]*\/handoffs\/([^>/]+)>/.exec(line)?.[1] ?? []);
  return { listed: new Set(listed), calls: lines.filter((line) => line.includes('/handoffs/')).length };
}

async function lifeMs(folder: string): Promise<number> {
  const world = await queueWorld(undefined, folder);
  const beganMs = performance.now();
  for (let at = 0; at < LIVES; at += 1) {
    const id = await world.send({ at });
    await answer(world, id, at);
  }
  await world.queue.sync('quick');
  return (performance.now() - beganMs) / LIVES;
}

describe(`a queue folder with ${HISTORY} finished files`, () => {
  it('is never listed, and a pass asks no more of it than of an empty one', { timeout: 600_000 }, async ({ skip }) => {
    if (strace === null) return skip(howToGet('strace'));
    const [empty, full] = [await workspace(0), await workspace(HISTORY)];
    const [before, after] = [await asked(empty, ['sync']), await asked(full, ['sync'])];
    expect([...after.listed].toSorted()).toEqual(['in-progress', 'pending', 'waiting']);
    expect(after.calls).toBe(before.calls);
    for (const folder of [empty, full]) {
      for (let at = 0; at < WORK; at += 1) {
        const { listed } = await asked(folder, WORKER);
        expect(['completed', 'failed'].filter((place) => listed.has(place))).toEqual([]);
      }
      expect(readdirSync(join(folder, 'handoffs/completed')).filter((name) => name.startsWith('n'))).toHaveLength(WORK);
    }
    const times = [await lifeMs(empty), await lifeMs(full)].map((ms) => `${ms.toFixed(2)} ms`);
    console.log(`history: ${times[0]} for a life with nothing finished, ${times[1]} with ${HISTORY} finished files`);
  });
});

describe('what appears in completed/', () => {
  it('Q5, I7, I10: is whole, final and on the disk, after its artifact is', async ({ skip }) => {
    if (strace === null) return skip(howToGet('strace'));
    const folder = await workspace(0);
    await quickBaton(['sync'], { cwd: folder });
    const output = join(folder, 'durable.trace');
    const program = [...straceArguments(output), process.execPath, BATON, ...WORKER];
    expect((await start(strace, program, { cwd: folder }).ended).code).toBe(0);
    expectDurable(readCalls(output), folder, 'n0');
  });
});

function expectDurable(calls: readonly Call[], folder: string, id: string): void {
  const place = (name: string): string => join(folder, 'handoffs', name);
  const artifact = join(folder, 'artifacts/phase-13-react');
  const ends = calls.findIndex((call) => call.kind === 'rename' && call.to === place(`completed/${id}.json`));
  const file = join(artifact, `artifact-${id}.json`);
  const written = calls.findLastIndex((call) => call.kind === 'write' && call.path === file);
  expect([id, ends > written, written > 0]).toEqual([id, true, true]);
  const path = place(`in-progress/${id}.json`);
  const last = calls.findLastIndex((call) => (call.kind === 'write' || call.kind === 'truncate') && call.path === path);
  // In this order: the artifact's content and its name, the last word in the file, its end, and the name of that.
  expect(isSynced(calls, file, written, ends)).toBe(true);
  expect(isSynced(calls, artifact, written, ends)).toBe(true);
  expect(isSynced(calls, path, last, ends)).toBe(true);
  expect(isSynced(calls, place('completed'), ends, calls.length)).toBe(true);
  expect(last).toBeLessThan(ends);
}

/** Begun and ended between two calls. */
function isSynced(calls: readonly Call[], path: string, after: number, before: number): boolean {
  const begins = calls.findIndex((call, at) => at > after && call.kind === 'sync-begins' && call.path === path);
  const ends = calls.findIndex((call, at) => at > begins && call.kind === 'sync-ends' && call.path === path);
  return after >= 0 && begins > after && ends > begins && ends < before;
}
