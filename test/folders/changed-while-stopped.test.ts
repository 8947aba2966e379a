import { execFileSync } from 'node:child_process';
import { readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HealthCheck } from '../../src/engine/health-checks.ts';
import { until } from '../support/processes.ts';
import { aRequest, queueWorld, type QueueWorld } from './queue-world.ts';

interface QuietWorld extends QueueWorld {
  /** A foreign program: nothing of Baton looks while it runs. */
  readonly sh: (program: string) => void;
  readonly drop: (id: string, parts?: object) => void;
  readonly ends: (id: string, place: 'completed' | 'failed', parts: object) => void;
  readonly problems: () => Promise<readonly HealthCheck[]>;
}

async function quietWorld(): Promise<QuietWorld> {
  const world = await queueWorld();
  const sh = (program: string): void =>
    void execFileSync('sh', ['-ec', program], { cwd: join(world.folder, 'handoffs') });
  return {
    ...world,
    sh,
    drop: (id, parts = {}) => world.write('pending', id, aRequest(id, parts)),
    ends: (id, place, parts) => {
      world.write('in-progress', id, { ...aRequest(id), status: place, ...parts });
      sh(`mv in-progress/${id}.json ${place}/`);
    },
    problems: async () =>
      (await world.queue.examine(new AbortController().signal)).filter(({ verdict }) => verdict !== 'ok'),
  };
}

const DONE = { output: { artifact_id: null, answer: 42 } };
const BROKEN = { error: { code: 'PROCESSING_ERROR', message: 'no luck' } };

describe('files that come and go while no Baton runs', () => {
  it.each([
    ['completed', DONE],
    ['failed', BROKEN],
  ] as const)(
    'what the database knows and foreign programs have %s is taken by the next pass',
    async (place, parts) => {
      const { sh, drop, ends, sync, state, places, problems } = await quietWorld();
      drop('known', { retry_policy: { max_retries: 0 } });
      await sync();
      sh('mv pending/known.json in-progress/');
      ends('known', place, parts);
      expect((await problems()).map(({ says }) => says).join()).toContain('known is offered');
      await sync();
      expect(await state('known')).toBe(place);
      expect(places('known')).toEqual([place]);
      expect(await problems()).toEqual([]);
    },
  );

  it('what the database knows and its waiter has taken away with the answer is offered again', async () => {
    const { sh, drop, ends, sync, places, problems } = await quietWorld();
    drop('gone');
    await sync();
    sh('mv pending/gone.json in-progress/');
    ends('gone', 'completed', DONE);
    sh('rm completed/gone.json');
    expect((await problems()).map(({ says }) => says).join()).toContain('gone is offered and has no file');
    await sync();
    expect(places('gone')).toEqual(['pending']);
    expect(await problems()).toEqual([]);
  });

  it('what the database has never seen stays theirs; doctor names it, and sync --adopt takes it in', async () => {
    const { sh, drop, ends, sync, places, problems, queue, whole } = await quietWorld();
    drop('theirs');
    sh('mv pending/theirs.json in-progress/');
    ends('theirs', 'completed', DONE);
    drop('passing');
    sh('rm pending/passing.json');
    await sync();
    expect(places('theirs')).toEqual(['completed']);
    const [found, ...others] = await problems();
    expect(found).toMatchObject({ name: 'queue files', todo: 'take them in as what they say: baton sync --adopt' });
    expect(found?.says).toContain('completed/theirs.json');
    expect(others).toEqual([]);
    await queue.adoptFinished();
    expect((await whole('theirs')).outcome).toContain('"answer":42');
    expect(await problems()).toEqual([]);
  });

  it('what a program has emptied at the end before anybody read it is named by doctor, and only when it is quiet', async () => {
    const { sh, drop, write, sync, state, places, problems } = await quietWorld();
    drop('emptied');
    sh('mv pending/emptied.json in-progress/; mv in-progress/emptied.json completed/; : > completed/emptied.json');
    await sync();
    expect(await problems()).toEqual([]);
    write('completed', 'emptied', '');
    await sync();
    expect([await state('emptied'), places('emptied')]).toEqual([null, ['completed']]);
    const [found, ...others] = await problems();
    expect(found?.says).toMatch(/^unreadable .*: completed\/emptied\.json$/);
    expect(others).toEqual([]);
  });

  it('a refusal of ours in failed/ is known, though its request never was', async () => {
    const { drop, sync, places, quarantined, problems } = await quietWorld();
    drop('wrong', { target: 7 });
    await sync();
    expect(places('wrong')).toEqual(['failed']);
    expect(quarantined()).toContain('wrong.json');
    expect((await problems()).map(({ name }) => name)).toEqual(['quarantine']);
  });
});

describe('files of handoffs that were pruned', () => {
  async function prunedWorld(): Promise<QuietWorld> {
    const world = await quietWorld();
    const { ctx, drop, sh, ends, sync, state } = world;
    drop('old');
    await sync();
    sh('mv pending/old.json in-progress/');
    ends('old', 'completed', DONE);
    await sync();
    // The newest handoff of all is never pruned.
    await world.send();
    const { items } = await ctx.store.retention.removable(ctx.store.nowMs() + 1, null, 10);
    const heads = items.map(({ handoff: { id, revision, trail } }) => ({ id, revision, trail }));
    expect(await ctx.store.retention.remove(heads, 'archive.jsonl')).toEqual(['removed']);
    expect(await state('old')).toBeNull();
    return world;
  }

  it('stay in completed/: no pass, no sync --adopt and no doctor asks after them', async () => {
    const { path, queue, sync, state, places, quarantined, problems } = await prunedWorld();
    const before = readFileSync(path('completed', 'old'), 'utf8');
    await sync();
    expect(await queue.adoptFinished()).toEqual({ adopted: 0 });
    expect((await queue.sync('quick')).reconciled).toBe(0);
    expect([await state('old'), places('old'), quarantined()]).toEqual([null, ['completed'], []]);
    expect(readFileSync(path('completed', 'old'), 'utf8')).toBe(before);
    expect(await problems()).toEqual([]);
  });

  it('are left alone also by a process that hears of them', async () => {
    const { path, queue, sync, state, places, quarantined } = await prunedWorld();
    queue.watch(() => undefined);
    const at = new Date();
    utimesSync(path('completed', 'old'), at, at);
    const heard = async (): Promise<boolean> => (await queue.sync('changes')).reconciled > 0;
    await until('the touched file is looked at', heard);
    expect((await queue.sync('quick')).reconciled).toBe(0);
    await sync();
    expect([await state('old'), places('old'), quarantined()]).toEqual([null, ['completed'], []]);
  });

  it.each([
    ['beside the old answer', '', ['completed']],
    ['after the old answer was taken away', 'rm completed/old.json', ['failed']],
  ] as const)('their id is not used again: a request %s is put aside with the reason', async (_, program, left) => {
    const { sh, drop, sync, state, places, quarantined, problems } = await prunedWorld();
    sh(program);
    drop('old');
    await sync();
    expect([await state('old'), places('old'), quarantined().includes('old.json')]).toEqual([null, left, true]);
    expect((await problems()).map(({ says }) => says).join()).toContain('it needs a new id');
  });
});
