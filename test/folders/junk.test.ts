/** Files that nobody meant for the queue: what becomes of them, and that stopping does not wait for them. */
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeWorkspace, sqlite } from '../cli/workspaces.ts';
import { until } from '../support/processes.ts';
import { aRequest, queueWorld } from './queue-world.ts';
import { campaignSize } from '../support/campaign-sizes.ts';

/** The whole heap with `BATON_JUNK_COUNT=100000`. */
const COUNT = campaignSize('BATON_JUNK_COUNT');
/** Enough to know that a pass is in the middle of it. */
const SOME = 20;

describe('junk in the queue folder', () => {
  it.each([
    ['noise', 'not json }'],
    ['a list', '[1,2]'],
    ['an object that names nobody', '{"a":1}'],
    ['a request with another id', JSON.stringify(aRequest('other'))],
  ])('Q1: %s becomes one file in quarantine and its reason, and nothing else', async (_, text) => {
    const world = await queueWorld();
    world.write('pending', 'x', text);
    await world.sync();
    expect(world.quarantined()).toEqual(['x.json', 'x.json.reason.txt']);
    expect(world.places('x')).toEqual([]);
  });

  it('Q6: a request that names its own id has a sender, who finds the reason in failed/', async () => {
    const world = await queueWorld();
    world.write('pending', 'x', aRequest('x', { target: undefined }));
    await world.sync();
    expect(world.quarantined()).toEqual(['x.json', 'x.json.reason.txt']);
    expect(world.read('failed', 'x')).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('%s ends a worker while junk files come', async (signal) => {
    const workspace = await makeWorkspace(sqlite, 'folders: { queue: on }\n');
    const pending = join(workspace.folder, 'handoffs/pending');
    mkdirSync(pending, { recursive: true });
    const longAgo = Date.now() / 1000 - 120;
    for (let at = 0; at < COUNT; at += 1) {
      const path = join(pending, `junk-${at}.json`);
      writeFileSync(path, 'not json }');
      utimesSync(path, longAgo, longAgo);
    }
    const worker = workspace.start(['work', '@react', '--', 'cat']);
    await until('a pass has begun', () => readdirSync(pending).length <= COUNT - SOME, 60_000 + COUNT * 5);
    worker.signal(signal);
    expect((await worker.ended).code).toBe(signal === 'SIGTERM' ? 143 : 130);
  });

  it('a pass that is told to stop takes nothing in, and the next one takes all', async () => {
    const world = await queueWorld();
    for (let at = 0; at < SOME; at += 1) world.write('pending', `x${at}`, aRequest(`x${at}`));
    await world.queue.sync('thorough', { signal: AbortSignal.abort() });
    expect(await world.state('x0')).toBeNull();
    await world.sync();
    for (let at = 0; at < SOME; at += 1) expect(await world.state(`x${at}`)).toBe('offered');
  });
});
