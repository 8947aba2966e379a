import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { OPERATOR } from '../../src/domain/principal.ts';
import { fail } from '../../src/engine/handoffs/fail.ts';
import { openApp } from '../../src/app/open-app.ts';
import { take } from './native.ts';
import { aRequest, footprint, queueWorld, type QueueWorld } from './queue-world.ts';

/** As if the machine had been started anew: the bookmark is from before. */
function restart({ folder }: QueueWorld): void {
  const path = join(folder, '.baton/queue.bookmark');
  const [database, cursor] = readFileSync(path, 'utf8').split(' ');
  writeFileSync(path, `${database} ${cursor} another-boot`);
}

/** What the first process after that does: a quick pass, as it thinks. */
async function firstLook({ folder }: QueueWorld): Promise<void> {
  const privateFolder = join(folder, '.baton');
  const app = await openApp({
    database: { kind: 'sqlite', path: join(privateFolder, 'baton.db') },
    limits: NO_LIMITS,
    queueFolder: { folder, privateFolder, unchangedMsOf: ({ mtimeMs }) => Date.now() - mtimeMs },
  });
  await app.ctx.rules.queue?.sync('quick');
  await app.close();
}

describe('a machine that lost its power', () => {
  it('I10, I11: the first look writes anew what was not yet on the disk, whatever the facts say', async () => {
    const world = await queueWorld();
    const ids = [await world.send({ at: 1 }), await world.send({ at: 2 })];
    world.write('pending', 'theirs', aRequest('theirs'));
    await world.sync();
    const before = ids.map((id) => world.read('pending', id));
    // A name without its content is what a cut leaves of a file that was never synced.
    for (const id of [...ids, 'theirs']) {
      truncateSync(world.path('pending', id), 0);
      world.write('pending', id, '');
    }
    restart(world);
    await firstLook(world);
    expect(ids.map((id) => world.read('pending', id))).toEqual(before);
    expect(world.read('pending', 'theirs')).toMatchObject(aRequest('theirs'));
    const settled = footprint(world.folder);
    await world.sync();
    expect(footprint(world.folder)).toEqual(settled);
  });

  it('I14, Q16: what one of ours had in hand comes back, though its mark never reached the disk', async () => {
    const world = await queueWorld();
    const id = await world.send({}, { attemptTimeoutMs: 300_000 });
    const offered = readFileSync(world.path('pending', id), 'utf8');
    await world.sync();
    const { fence } = await take(world);
    expect(fence).toBe(1);
    // The file is where the rename has put it, with what it said before.
    writeFileSync(world.path('in-progress', id), offered);
    const failure = { code: 'WORKER_LOST', message: 'the machine went off' };
    const queueless = { ...world.ctx, rules: { ...world.ctx.rules, queue: null } };
    expect((await fail(queueless, OPERATOR, { target: id, fence: null, failure })).ok).toBe(true);
    restart(world);
    await firstLook(world);
    expect(['waiting', 'pending']).toContain(world.places(id).join());
    expect((await world.whole(id)).handoff).toMatchObject({ state: 'offered', custody: null });
  });

  it('I11: a bookmark that is gone is no loss', async () => {
    const world = await queueWorld();
    const id = await world.send();
    rmSync(join(world.folder, '.baton/queue.bookmark'), { force: true });
    const other = await world.send();
    await world.sync();
    expect([world.places(id), world.places(other)]).toEqual([['pending'], ['pending']]);
  });
});
