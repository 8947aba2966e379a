import { describe, expect, it } from 'vitest';
import { OPERATOR } from '../../src/domain/principal.ts';
import { checkOnce } from '../../src/engine/stall-detection.ts';
import { sweep } from '../../src/engine/sweep.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { databases, type TestDatabase } from '../cli/workspaces.ts';
import { answer } from './native.ts';
import { aRequest, footprint, ME, queueWorld, REACT, ROOT_USER, type QueueWorld } from './queue-world.ts';

async function worldOn(database: TestDatabase): Promise<QueueWorld> {
  return queueWorld(database.name === 'SQLite' ? undefined : await database.make(''));
}

describe.each(databases)('the queue folder over $name', (database) => {
  it('F4, Q16: takes in what theirs have begun, or ended, before we looked', async () => {
    const world = await worldOn(database);
    world.write('pending', 'new', aRequest('new'));
    world.write('in-progress', 'taken', aRequest('taken'));
    world.write('pending', 'ended', aRequest('ended'));
    world.write('completed', 'ended', aRequest('ended', { status: 'completed', output: { artifact_id: 'a' } }));
    await world.sync();
    const { handoff: taken } = await world.whole('taken');
    expect(taken).toMatchObject({ state: 'accepted', revision: 2, fence: 1, custody: { file: ROOT_USER } });
    expect([await world.state('new'), await world.state('ended')]).toEqual(['offered', 'completed']);
    expect(world.places('ended')).toEqual(['completed']);
    await answer(world, 'new', { done: 1 });
    await world.sync();
    const before = footprint(world.folder);
    await world.sync();
    expect(footprint(world.folder)).toEqual(before);
    expect(await world.ctx.store.upkeep.audit()).toEqual([]);
  });

  it('Q6, Q7: what failed from the beginning is in the database and in failed/', async () => {
    const world = await worldOn(database);
    const failure = {
      code: 'SCHEMA_VALIDATION_FAILED',
      message: 'input.x: missing',
      violations: [{ field: 'input.x', says: 'missing', schemaPath: '#/required' }],
    };
    const sent = await send(world.ctx, OPERATOR, { from: ME, to: REACT, input: {}, failure });
    const id = sent.ok ? sent.value.id : '';
    expect(await world.state(id)).toBe('failed');
    expect(world.read('failed', id)).toMatchObject({
      error: { code: 'SCHEMA_VALIDATION_FAILED' },
      validation: { errors: [{ field: '', error: "Missing required field 'x'", path: 'input.x' }] },
    });
    expect(await world.ctx.store.upkeep.audit()).toEqual([]);
  });

  it('F5, Q10: a foreign claim runs out and the file comes back', async () => {
    const world = await worldOn(database);
    const request = aRequest('slow', { timeout_seconds: 1, retry_policy: { retry_delay_seconds: 0 } });
    world.write('in-progress', 'slow', request);
    await world.sync();
    const { handoff } = await world.whole('slow');
    await expect
      .poll(async () => {
        await sweep(world.ctx, await checkOnce(world.ctx));
        return world.state('slow');
      })
      .toBe('offered');
    await world.sync();
    expect(world.places('slow')).toEqual(['pending']);
    expect(handoff.custody).toMatchObject({ untilAt: handoff.since + 1_000 });
    expect(world.read('pending', 'slow')).toMatchObject({ retry_count: 1 });
  });
});
