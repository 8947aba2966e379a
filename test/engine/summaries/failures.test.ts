/** What follows when a summary says that its work has failed, and where a chain ends that does not end by itself. */
import { describe, expect, it } from 'vitest';
import { afterFailedSummary } from '../../../src/domain/failed-summary.ts';
import { agentOf, summaryWorld, type SummaryWorld } from './summary-world.ts';

const POLICY = {
  retry: 1,
  route_to: '@fixer',
  notify: '@manager',
  escalate_after: 3,
  context: 'tests need fixes',
} as const;

/** The lead asks the tester, and says what happens if it fails. */
async function asked(world: SummaryWorld, policy: object = POLICY): Promise<void> {
  await world.say({ from: '@lead', to: '@tester', phase: 'Planning', on_failure: policy });
}

const failed = { from: '@tester', phase: 'Testing', status: 'failed' } as const;

describe('on_failure, as a table', () => {
  it.each([
    [{}, 0, 1, 'give-up', false],
    [{ retry: 2 }, 1, 2, 'retry', false],
    [{ retry: 2 }, 2, 3, 'give-up', false],
    [{ retry: 1, routeTo: 'b' }, 0, 1, 'retry', false],
    [{ retry: 1, routeTo: 'b' }, 1, 2, 'route', false],
    [{ routeTo: 'b' }, 0, 1, 'route', false],
    [{ retry: 5, routeTo: 'b', escalateAfter: 2 }, 1, 2, 'route', true],
    [{ retry: 5, escalateAfter: 2 }, 1, 2, 'retry', true],
    [{ escalateAfter: 1 }, 0, 1, 'give-up', true],
    [{ escalateAfter: 3 }, 0, 2, 'give-up', false],
  ])('S5: %j after %i retries and %i failures: %s, escalated %s', (policy, retries, failures, doing, escalate) => {
    expect(afterFailedSummary(policy, { retries, failures })).toEqual({ do: doing, escalate });
  });
});

describe('failed', () => {
  it('S5: the same agent again, then the route with its context; notified at once, each time', async () => {
    const world = summaryWorld();
    await asked(world);
    const first = await world.say(failed);
    expect(first.ingested).toMatchObject({ did: 're-offered', opened: null, escalatedTo: null });
    expect(await world.record(first.ingested!.leg)).toMatchObject({ state: 'offered', attempt: 1 });
    expect(await world.inbox('manager')).toMatchObject([
      { event: 'failure-reported', detail: { reason: '@tester reports a failure in Testing: tests need fixes' } },
    ]);
    const second = await world.say(failed);
    expect(second.ingested).toMatchObject({ did: 'failed', leg: first.ingested!.leg });
    expect(await world.record(second.ingested!.leg)).toMatchObject({ state: 'failed' });
    const routed = await world.record(second.ingested!.opened!);
    expect(routed).toMatchObject({ from: 'tester', to: 'fixer', state: 'offered', lineage: { hops: 2 } });
    expect(await world.body(routed.id)).toMatchObject({
      input: { failure: { of: '@tester', failures: 2, context: 'tests need fixes' } },
    });
    expect(await world.inbox('manager')).toHaveLength(2);
  });

  it('S5: its own word counts, else that of the block that delegated', async () => {
    const world = summaryWorld();
    await asked(world, { retry: 5 });
    const own = await world.say({ ...failed, on_failure: { route_to: '@doctor' } });
    expect(await world.record(own.ingested!.opened!)).toMatchObject({ to: 'doctor' });
    const none = await world.say({ from: '@doctor', status: 'failed' });
    // The route that led here leads nowhere else.
    expect(none.ingested).toMatchObject({ did: 'failed', opened: null });
    expect(await world.record(own.ingested!.opened!)).toMatchObject({ state: 'failed' });
  });

  it('S5: without any word it has failed, and its sender hears of it', async () => {
    const world = summaryWorld();
    await world.say({ from: '@lead', to: '@tester' });
    expect((await world.say(failed)).ingested).toMatchObject({ did: 'failed', opened: null });
    const [entry] = await world.inbox('lead');
    expect(entry).toMatchObject({ event: 'failed' });
    expect(JSON.stringify(entry)).not.toContain('```');
  });

  it('S5: the next agent of a failed block is where it goes when no route is given', async () => {
    const world = summaryWorld();
    const { ingested } = await world.say({ ...failed, to: '@fixer' });
    expect(await world.record(ingested!.opened!)).toMatchObject({ to: 'fixer' });
    expect(await world.record(ingested!.leg)).toMatchObject({ state: 'failed', from: 'tester', to: 'tester' });
  });

  it('S5: after N failures of the chain the route is taken and the delegator is told', async () => {
    const world = summaryWorld();
    await asked(world);
    await world.say(failed);
    await world.say(failed);
    await world.say({ from: '@fixer', to: '@tester', phase: 'Implementation', on_failure: { ...POLICY, retry: 9 } });
    const third = await world.say(failed);
    expect(third.ingested).toMatchObject({ did: 'failed', escalatedTo: 'lead' });
    expect(await world.record(third.ingested!.opened!)).toMatchObject({ to: 'fixer' });
    expect((await world.inbox('lead')).filter(({ event }) => event === 'escalated')).toMatchObject([
      { detail: { why: 'failures', reason: '3 failures in this chain, the last by @tester' } },
    ]);
    const told = (await world.trail(third.ingested!.leg)).at(-1)!;
    expect(JSON.parse(told.detail)).toMatchObject({ escalated: { why: 'failures', to: '@lead' }, failures: 3 });
  });

  it('S5: where the chain was begun by the one who fails, the chief is told', async () => {
    const world = summaryWorld({ chiefs: [agentOf('chief')] });
    const { ingested } = await world.say({ ...failed, on_failure: { escalate_after: 1 } });
    expect(ingested).toMatchObject({ did: 'failed', escalatedTo: 'chief' });
    expect(await world.inbox('chief')).toMatchObject([{ event: 'escalated' }]);
    const nobody = summaryWorld();
    const alone = await nobody.say({ ...failed, on_failure: { escalate_after: 1 } });
    expect(alone.ingested).toMatchObject({ did: 'failed', escalatedTo: null });
  });
});

describe('a loop between two agents', () => {
  it('S5: ends at the hop limit with an escalation', async () => {
    const world = summaryWorld();
    let said = 0;
    let last = await world.say({ from: '@lead', to: '@ping', phase: 'Planning' });
    while ((await world.openLegs()).length > 0 && said < 100) {
      const [from, to] = said % 2 === 0 ? ['@ping', '@pong'] : ['@pong', '@ping'];
      last = await world.say({ from, to, phase: 'QA' });
      said += 1;
    }
    expect(said).toBe(16);
    expect(last.ingested).toMatchObject({ did: 'completed', opened: null, escalatedTo: 'lead' });
    expect(await world.inbox('lead')).toMatchObject([
      { event: 'escalated', detail: { why: 'hops', loop: ['@pong', '@ping'] } },
    ]);
    const facts = await world.trail(last.ingested!.leg);
    const [deliver] = facts.filter(({ deed }) => deed === 'deliver');
    expect(JSON.parse(deliver!.detail)).toMatchObject({ escalated: { why: 'hops', to: '@lead', notAsked: '@ping' } });
  });

  it('S5: ends where the budget of its chain is used up; the root that the first block makes counts', async () => {
    const world = summaryWorld({ chainBudget: { handoffs: 4 } });
    let said = 0;
    let last = await world.say({ from: '@lead', to: '@ping', phase: 'Planning' });
    while ((await world.openLegs()).length > 0 && said < 100) {
      const [from, to] = said % 2 === 0 ? ['@ping', '@pong'] : ['@pong', '@ping'];
      last = await world.say({ from, to, phase: 'QA' });
      said += 1;
    }
    expect(await world.handoffs()).toHaveLength(4);
    expect(last.ingested).toMatchObject({ did: 'completed', opened: null, escalatedTo: 'lead' });
    const reason = 'the chain has used 4 of 4 handoffs (chains in baton.yaml): @pong was not asked';
    expect(await world.inbox('lead')).toMatchObject([{ event: 'escalated', detail: { why: 'budget', reason } }]);
    const alone = summaryWorld({ chainBudget: { handoffs: 1 } });
    expect((await alone.say({ from: '@lead', to: '@ping', phase: 'Planning' })).ingested).toMatchObject({
      opened: null,
    });
    const drafted = await alone.say({ from: '@lead', to: '@ping', phase: 'Planning', status: 'pending' });
    expect(drafted.ingested).toMatchObject({ did: 'drafted' });
  });

  it('S5: a loop of failures that are routed in a circle ends as well', async () => {
    const world = summaryWorld({ chiefs: [agentOf('chief')] });
    await world.say({ from: '@a', to: '@b', status: 'failed' });
    let said = 0;
    for (; (await world.openLegs()).length > 0 && said < 100; said += 1) {
      const [from, to] = said % 2 === 0 ? ['@b', '@a'] : ['@a', '@b'];
      await world.say({ from, to, status: 'failed' });
    }
    expect(said).toBe(16);
    expect((await world.inbox('chief')).concat(await world.inbox('a'))).toContainEqual(
      expect.objectContaining({ event: 'escalated' }),
    );
  });
});
