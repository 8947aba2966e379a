/** Tasks that hold back open legs, and let them go. */
import { describe, expect, it } from 'vitest';
import { agentPrincipal } from '../../../src/domain/principal.ts';
import { checkOnce } from '../../../src/engine/stall-detection.ts';
import { sweep } from '../../../src/engine/sweep.ts';
import { deliver } from '../../../src/engine/handoffs/deliver.ts';
import { accept } from '../../../src/engine/handoffs/accept.ts';
import { agentOf, summaryWorld, type SummaryWorld } from './summary-world.ts';

const legOf = async (world: SummaryWorld, to: string) => (await world.openLegs()).find((leg) => leg.to === to);

describe('dependencies', () => {
  it('S6: hold back the leg that is opened until what was handed over for that task is completed', async () => {
    const world = summaryWorld();
    await world.say({ to: '@docs', context: { task: 'task-15.3' } });
    const { ingested } = await world.say({
      from: '@lead',
      to: '@build',
      dependencies: ['task-15.3'],
      context: { task: 'task-16' },
    });
    expect(await world.record(ingested!.opened!)).toMatchObject({ blockedOn: { reason: 'dependency' } });
    await world.say({ from: '@docs', to: '@review', context: { task: 'task-15.3' } });
    expect(await legOf(world, 'build')).toMatchObject({ state: 'blocked' });
    await world.say({ from: '@review', context: { task: 'task-15.3' } });
    expect(await legOf(world, 'build')).toMatchObject({ state: 'offered' });
  });

  it('S6: never a settled one, never itself, and nothing for a task that nobody knows', async () => {
    const world = summaryWorld();
    await world.say({ to: '@docs', context: { task: 'task-1' } });
    const { ingested } = await world.say({
      from: '@docs',
      to: '@build',
      dependencies: ['task-1', 'task-99', 'not a task; at all'],
      context: { task: 'task-1' },
    });
    expect(ingested).toMatchObject({ did: 'completed' });
    expect(ingested?.says).toHaveLength(2);
    expect(await world.record(ingested!.opened!)).toMatchObject({ state: 'offered' });
  });

  it('S6: a failure and its route are still the same task', async () => {
    const world = summaryWorld();
    await world.say({ to: '@docs', context: { task: 'task-1' }, on_failure: { route_to: '@rescue' } });
    await world.say({ from: '@lead', to: '@build', dependencies: ['task-1'], context: { task: 'task-2' } });
    await world.say({ from: '@docs', status: 'failed', context: { task: 'task-1' } });
    expect(await legOf(world, 'build')).toMatchObject({ state: 'blocked' });
    await world.say({ from: '@rescue', context: { task: 'task-1' } });
    expect(await legOf(world, 'build')).toMatchObject({ state: 'offered' });
  });

  it('S6: two that would wait for each other do not', async () => {
    const world = summaryWorld();
    await world.say({ to: '@docs', context: { task: 'task-1' } });
    await world.say({ from: '@lead', to: '@build', dependencies: ['task-1'], context: { task: 'task-2' } });
    const { ingested } = await world.say({
      from: '@docs',
      to: '@review',
      dependencies: ['task-2'],
      context: { task: 'task-1' },
    });
    expect(await world.record(ingested!.opened!)).toMatchObject({ state: 'offered' });
    expect(ingested?.says).toHaveLength(1);
  });

  it('S6: whoever is blocked by a task goes on when it is done; tasks of other projects do not count', async () => {
    const world = summaryWorld();
    await world.say({ to: '@docs', context: { task: 'task-1' } });
    await world.say({ from: '@lead', to: '@build' });
    await world.say({ from: '@build', status: 'blocked', dependencies: ['task-1'] });
    expect(await legOf(world, 'build')).toMatchObject({ blockedOn: { reason: 'question', text: 'task-1' } });
    await world.say({ from: '@other', context: { task: 'task-1' } }, { project: 'another' });
    expect(await legOf(world, 'build')).toMatchObject({ state: 'blocked' });
    await world.say({ from: '@docs', context: { task: 'task-1' } });
    expect(await legOf(world, 'build')).toMatchObject({ state: 'offered' });
  });

  it('S6: a sweep lets go what was completed without a summary', async () => {
    const world = summaryWorld();
    await world.say({ to: '@docs', context: { task: 'task-1' } });
    await world.say({ from: '@lead', to: '@build', dependencies: ['task-1'], context: { task: 'task-2' } });
    const docs = await legOf(world, 'docs');
    const principal = agentPrincipal(agentOf('docs'));
    await accept(world.ctx, principal, docs!.id);
    await deliver(world.ctx, principal, { target: docs!.id, fence: 1, result: {} });
    expect(await legOf(world, 'build')).toMatchObject({ state: 'blocked' });
    await sweep(world.ctx, await checkOnce(world.ctx));
    expect(await legOf(world, 'build')).toMatchObject({ state: 'offered' });
  });
});
