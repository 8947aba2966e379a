import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/foundation/json.ts';
import type { Terms } from '../../src/domain/handoff.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal, OPERATOR } from '../../src/domain/principal.ts';
import { checkOnce } from '../../src/engine/stall-detection.ts';
import { sweep } from '../../src/engine/sweep.ts';
import { activate } from '../../src/engine/handoffs/activate.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { commandDatabases } from '../cli/command-databases.ts';
import type { TestDatabase } from '../cli/workspaces.ts';
import { answer } from '../folders/native.ts';
import { aRequest, ME, REACT } from '../folders/queue-world.ts';
import { artifactWorld, type ArtifactWorld } from './artifact-world.ts';

async function worldOn(database: TestDatabase): Promise<ArtifactWorld> {
  return artifactWorld(database.name === 'SQLite' ? undefined : await database.make(''));
}

const CONTEXT = { tech_stack_artifact_id: 'stack', other: 1 };

async function ask(
  { ctx }: ArtifactWorld,
  context: JsonObject = CONTEXT,
  terms: Partial<Terms> = {},
  more: object = {},
): Promise<HandoffId | string> {
  const sent = await send(ctx, agentPrincipal(ME), { from: ME, to: REACT, input: {}, context, terms, ...more });
  return sent.ok ? sent.value.id : sent.refusal.code;
}

async function swept({ ctx }: ArtifactWorld): Promise<void> {
  await sweep(ctx, await checkOnce(ctx));
}

describe.each(commandDatabases)('Q9: a handoff that needs an artifact, over $name', (database) => {
  it('Q9: waits out of sight, and is offered when the registry has it', async () => {
    const world = await worldOn(database);
    const id = await ask(world);
    expect((await world.whole(id)).handoff).toMatchObject({
      state: 'blocked',
      blockedOn: { reason: 'artifact' },
      terms: { artifacts: ['stack'] },
    });
    expect(world.places(id)).toEqual(['waiting']);
    await swept(world);
    expect(await world.state(id)).toBe('blocked');
    await world.make('stack', { validation: { status: 'failed' } });
    await swept(world);
    expect(await world.state(id)).toBe('blocked');
    await world.make('stack');
    await swept(world);
    expect(await world.state(id)).toBe('offered');
    await world.sync();
    expect(world.places(id)).toEqual(['pending']);
    await answer(world, id, { done: true });
    expect(await world.card(`artifact-${id}`)).toMatchObject({ required: ['stack'], status: 'active' });
    expect(await world.ctx.store.upkeep.audit()).toEqual([]);
  });

  it('Q9: is offered at once where it is there', async () => {
    const world = await worldOn(database);
    await world.make('stack');
    expect(await world.state(await ask(world))).toBe('offered');
  });

  it('Q9: fails with DEPENDENCY_MISSING, and says which, when it never comes', async () => {
    const world = await worldOn(database);
    const id = await ask(world, CONTEXT, { blockedMs: 1 });
    await expect
      .poll(async () => {
        await swept(world);
        return world.state(id);
      })
      .toBe('failed');
    await world.sync();
    expect(world.read('failed', id)).toMatchObject({ error: { code: 'DEPENDENCY_MISSING' } });
    expect(JSON.stringify(world.read('failed', id)['error'])).toContain('stack');
  });

  it('Q9: first the handoffs that it depends on, then the artifact', async () => {
    const world = await worldOn(database);
    const first = await world.send();
    const id = await ask(world, CONTEXT, { dependsOn: [first] });
    expect((await world.whole(id)).handoff.blockedOn).toEqual({ reason: 'dependency' });
    await answer(world, first, {});
    await swept(world);
    expect((await world.whole(id)).handoff.blockedOn).toEqual({ reason: 'artifact' });
    await world.make('stack');
    await swept(world);
    expect(await world.state(id)).toBe('offered');
    expect(await world.ctx.store.upkeep.audit()).toEqual([]);
  });

  it('Q9: a draft begins to wait when it is activated', async () => {
    const world = await worldOn(database);
    const id = (await ask(world, CONTEXT, {}, { draft: true })) as HandoffId;
    expect(await world.state(id)).toBe('draft');
    await activate(world.ctx, OPERATOR, id);
    expect((await world.whole(id)).handoff.blockedOn).toEqual({ reason: 'artifact' });
  });

  it('Q9: a file of others waits too', async () => {
    const world = await worldOn(database);
    world.write('pending', 'theirs', aRequest('theirs', { context: CONTEXT }));
    await world.sync();
    expect(world.places('theirs')).toEqual(['waiting']);
    await world.make('stack');
    await swept(world);
    await world.sync();
    expect(world.places('theirs')).toEqual(['pending']);
  });

  it('Q9: is carried from one database to another as it is', async () => {
    const world = await worldOn(database);
    const id = await ask(world);
    const { items } = await world.ctx.store.transfer.copies(null, 10);
    const other = await artifactWorld();
    expect(await other.ctx.store.transfer.restore(items)).toEqual(['added']);
    expect((await other.whole(id)).handoff).toEqual((await world.whole(id)).handoff);
  });
});

describe('a reference', () => {
  it.each(['../../etc/passwd', 'a/b', 'x'.repeat(200), 'CON', ' '])(
    'Q9: %j can never appear, and is refused',
    async (value) => {
      const world = await artifactWorld();
      expect(await ask(world, { base_artifact_id: value })).toBe('artifact-reference');
      world.write('pending', 'theirs', aRequest('theirs', { context: { base_artifact_id: value } }));
      await world.sync();
      expect(world.read('failed', 'theirs')).toMatchObject({ error: { code: 'DEPENDENCY_MISSING' } });
    },
  );

  it.each([{ base_artifact_id: null }, { base_artifact_id: 7 }, { base_artifact_id: '' }, { artifact_id: 'x' }])(
    'Q9: %j is none',
    async (context) => {
      const world = await artifactWorld();
      expect(await world.state(await ask(world, context))).toBe('offered');
    },
  );

  it('Q9: there are not more than can be looked up', async () => {
    const world = await artifactWorld();
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`n${n}_artifact_id`, `a-${n}`]));
    expect(await ask(world, many)).toBe('artifact-reference');
  });
});
