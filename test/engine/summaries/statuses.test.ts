/** What each status does to its leg, and which leg that is. */
import { describe, expect, it } from 'vitest';
import { SESSION_LEASE_MS } from '../../../src/domain/deadlines.ts';
import { agentPrincipal, SYSTEM } from '../../../src/domain/principal.ts';
import type { HandoffId, SessionId } from '../../../src/domain/names.ts';
import { claimByHand, claimForSession } from '../../../src/engine/handoffs/claim.ts';
import { release } from '../../../src/engine/handoffs/release.ts';
import { send } from '../../../src/engine/handoffs/send.ts';
import { limitsOf, processOf } from '../../contract/builders.ts';
import { agentOf, blockOf, summaryWorld, type SummaryWorld } from './summary-world.ts';

const deeds = async (world: SummaryWorld, id: string): Promise<readonly string[]> =>
  (await world.trail(id)).map(({ deed }) => deed);

/** Sent in the ordinary way, by somebody who writes no summaries. */
async function sent(world: SummaryWorld, to: string): Promise<HandoffId> {
  const lead = agentOf('lead');
  const answer = await send(world.ctx, agentPrincipal(lead), { from: lead, to: agentOf(to), input: {} });
  if (!answer.ok) throw new Error(answer.refusal.code);
  return answer.value.id;
}

describe('complete', () => {
  it('S4: without a leg it is a new root, made, taken and settled in one go, and opens the next', async () => {
    const world = summaryWorld();
    const { ingested } = await world.say({ to: '@planning', context: { depth: 'full', task: 'task-1' } });
    expect(ingested).toMatchObject({ did: 'completed', escalatedTo: null });
    const [root, next, ...others] = await world.handoffs();
    expect(others).toEqual([]);
    expect(root).toMatchObject({ id: ingested?.leg, from: 'research', to: 'research', state: 'completed' });
    expect(await deeds(world, root!.id)).toEqual(['create', 'accept', 'deliver', 'complete']);
    expect(next).toMatchObject({
      id: ingested?.opened,
      from: 'research',
      to: 'planning',
      state: 'offered',
      task: 'task-1',
      lineage: { root: root!.id, parent: root!.id, hops: 1 },
    });
    expect(await world.body(next!.id)).toMatchObject({ context: { depth: 'full' }, leg: { project: 'shop' } });
  });

  it('S4: settles the only open leg of its agent, carries the context on, and ends with None', async () => {
    const world = summaryWorld();
    await world.say({ to: '@planning', context: { cache: 'docs/' } });
    await world.say({ from: 'planning', to: '@build', context: { plan: 2 } });
    const [leg] = await world.openLegs();
    expect(await world.body(leg!.id)).toMatchObject({ context: { cache: 'docs/', plan: 2 } });
    const { ingested } = await world.say({ from: '@build' });
    expect(ingested).toEqual({ did: 'completed', leg: leg!.id, opened: null, escalatedTo: null, says: [] });
    expect(await world.openLegs()).toEqual([]);
    expect((await world.record(leg!.id)).lineage.hops).toBe(2);
  });

  it('S4: blocks of one text follow each other where one leads to the other, and answers keep their order', async () => {
    const world = summaryWorld();
    const line = ['research', 'planning', 'build', 'testing', 'review'];
    // Two lines of work in one text, one block of each in turn; only the second has anything to do with others.
    const blocks = line.flatMap((from, index) => [
      blockOf({ from, to: `@${line[index + 1] ?? 'None'}` }),
      blockOf({ from: `lone-${index}`, to: 'None' }),
    ]);
    const answers = await world.tell(blocks.join('\n'));
    expect(answers.map(({ from }) => from)).toEqual(line.flatMap((from, index) => [from, `lone-${index}`]));
    expect(answers.map(({ ingested }) => ingested?.did)).toEqual(blocks.map(() => 'completed'));
    const legs = answers.filter((_, index) => index % 2 === 0);
    // Each block settles the leg that the block before it has opened.
    expect(legs.slice(1).map(({ ingested }) => ingested?.leg)).toEqual(
      legs.slice(0, -1).map(({ ingested }) => ingested?.opened),
    );
    expect(await world.openLegs()).toEqual([]);
  });

  it('S4: settles what was sent in the ordinary way', async () => {
    const world = summaryWorld();
    const id = await sent(world, 'build');
    expect((await world.say({ from: '@build' })).ingested).toMatchObject({ did: 'completed', leg: id });
    expect((await world.record(id)).state).toBe('completed');
  });

  it('the next leg waits for a place where there is no room under a limit', async () => {
    const world = summaryWorld({}, limitsOf({ planning: [null, 1] }));
    await world.say({ to: '@planning' });
    await world.say({ to: '@planning', phase: 'QA' });
    expect(await world.openLegs()).toMatchObject([{ state: 'offered' }, { blockedOn: { reason: 'place' } }]);
  });
});

describe('which leg it is', () => {
  it('S4: several open legs are refused with the list, and nothing changes', async () => {
    const world = summaryWorld();
    const legs = [await sent(world, 'build'), await sent(world, 'build')];
    const before = await world.facts();
    const answer = await world.say({ from: '@build' });
    expect(answer).toMatchObject({ fate: 'refused', refusal: { code: 'several-legs', from: 'build' } });
    expect(answer.refusal).toMatchObject({ legs: expect.arrayContaining(legs) as unknown });
    expect(await world.facts()).toEqual(before);
  });

  it('S4: the one that it names by id, if that is its own', async () => {
    const world = summaryWorld();
    const [, second] = [await sent(world, 'build'), await sent(world, 'build')];
    const named = await world.say({ from: '@build', handoff_id: second });
    expect(named.ingested).toMatchObject({ did: 'completed', leg: second });
    const again = await world.say({ from: '@build', handoff_id: second });
    expect(again.refusal).toMatchObject({ code: 'move-not-allowed', state: 'completed' });
    const unknown = await world.say({ from: '@build', handoff_id: 'hoff-none' });
    expect(unknown.refusal).toEqual({ code: 'no-such-handoff', id: 'hoff-none' });
    const foreign = await sent(world, 'other');
    const refused = await world.say({ from: '@build', handoff_id: foreign });
    expect(refused.refusal).toEqual({ code: 'no-such-handoff', id: foreign });
  });

  it('S4: the one that its session has accepted, with the fence of that acceptance; a stranger cannot settle it', async () => {
    const world = summaryWorld();
    const { store } = world.ctx;
    const [build, session] = [agentOf('build'), 'session-7' as SessionId];
    await store.sessions.open({ id: session, agent: build, process: processOf(), leaseMs: SESSION_LEASE_MS });
    await sent(world, 'build');
    await claimForSession(world.ctx, agentPrincipal(build), build, session, 1);
    const [held] = await world.openLegs();
    await sent(world, 'build');
    const named = await world.say({ from: '@build', handoff_id: held!.id });
    expect(named.refusal).toMatchObject({ code: 'fence-needed' });
    const own = await world.say({ from: '@build' }, { source: { session, turn: '1' } });
    expect(own.ingested).toMatchObject({ did: 'completed', leg: held!.id });
  });

  it('S4, I6: the one that was claimed by hand, with the fence that the claim gave; not the last word of an earlier holder', async () => {
    const world = summaryWorld();
    const build = agentOf('build');
    const principal = agentPrincipal(build);
    const id = await sent(world, 'build');
    await claimByHand(world.ctx, principal, build);
    await release(world.ctx, principal, id, 1);
    await claimByHand(world.ctx, principal, build);
    expect((await world.say({ from: '@build' })).refusal).toEqual({ code: 'fence-needed', id });
    const late = await world.say({ from: '@build', status: 'failed' }, { fence: 1 });
    expect(late.refusal).toMatchObject({ code: 'lease-lost', fence: 1, newest: 2 });
    const going = await world.say({ from: '@build', status: 'in_progress' }, { fence: 2 });
    expect(going.ingested).toMatchObject({ leg: id });
    const own = await world.say({ from: '@build', fence: 2 });
    expect(own.ingested).toMatchObject({ did: 'completed', leg: id });
  });

  it('S4: the one that it spoke of before in the same session', async () => {
    const world = summaryWorld();
    const first = await sent(world, 'build');
    const source = { session: 's-1', turn: '1' };
    await world.say({ from: '@build', status: 'in_progress' }, { source });
    await sent(world, 'build');
    const done = await world.say({ from: '@build' }, { source: { ...source, turn: '2' } });
    expect(done.ingested).toMatchObject({ did: 'completed', leg: first });
  });

  it('legs of other projects are not its own', async () => {
    const world = summaryWorld();
    await world.say({ to: '@planning' }, { project: 'one' });
    await world.say({ to: '@planning' }, { project: 'two' });
    expect((await world.say({ from: '@planning', to: 'None' }, { project: 'two' })).fate).toBe('done');
    const [left] = await world.openLegs();
    expect(await world.body(left!.id)).toMatchObject({ leg: { project: 'one' } });
  });
});

describe('in_progress, pending, blocked, retry', () => {
  it('S4: in_progress takes the leg and notes it; with another agent it opens a child', async () => {
    const world = summaryWorld();
    const id = await sent(world, 'build');
    expect((await world.say({ from: '@build', status: 'in_progress' })).ingested).toMatchObject({
      did: 'noted',
      leg: id,
    });
    expect(await deeds(world, id)).toEqual(['create', 'accept', 'progress']);
    const { ingested } = await world.say({ from: '@build', to: '@review', status: 'in_progress' });
    expect(await world.record(id)).toMatchObject({ state: 'accepted', custody: { by: 'hand', untilAt: null } });
    const child = await world.record(ingested!.opened!);
    expect(child).toMatchObject({ to: 'review', state: 'offered', lineage: { parent: id } });
  });

  it('S4: pending drafts a leg, which its recipient begins', async () => {
    const world = summaryWorld();
    const { ingested } = await world.say({ to: '@qa', status: 'pending' });
    expect(await world.record(ingested!.leg)).toMatchObject({ state: 'draft', from: 'research', to: 'qa' });
    expect((await world.summaries()).map(({ status }) => status)).toEqual(['pending']);
    await world.say({ from: '@qa', status: 'in_progress' });
    expect(await deeds(world, ingested!.leg)).toEqual(['create', 'offer', 'accept', 'progress']);
    expect(await world.handoffs()).toHaveLength(1);
  });

  it('S4: blocked must name what it waits for', async () => {
    const world = summaryWorld();
    const id = await sent(world, 'build');
    const before = await world.facts();
    const nothing = await world.say({ from: '@build', status: 'blocked', context: { mood: 'low' } });
    expect(nothing).toMatchObject({ fate: 'refused', refusal: { code: 'waits-for-nothing' } });
    expect(await world.facts()).toEqual(before);
    await world.say({ from: '@build', status: 'blocked', context: { waits_for: 'the key of the server' } });
    expect(await world.record(id)).toMatchObject({
      state: 'blocked',
      blockedOn: { reason: 'question', text: 'the key of the server' },
    });
    expect(await world.inbox('lead')).toMatchObject([{ event: 'question', handoff: id }]);
    await world.say({ from: '@build' });
    expect((await world.record(id)).state).toBe('completed');
  });

  it('S4: retry offers it again and counts; to say so twice is one retry', async () => {
    const world = summaryWorld();
    const id = await sent(world, 'build');
    expect((await world.say({ from: '@build', status: 'retry' })).ingested).toMatchObject({
      did: 're-offered',
      leg: id,
    });
    expect(await world.record(id)).toMatchObject({ state: 'offered', attempt: 1, notBefore: 0 });
    await world.say({ from: '@build', status: 'retry', retry_count: 1 });
    expect(await world.record(id)).toMatchObject({ state: 'offered', attempt: 2 });
    for (let time = 0; time < 2; time += 1) {
      await world.say({ from: '@build', status: 'in_progress' });
      await world.say({ from: '@build', status: 'retry' });
    }
    expect((await world.record(id)).state).toBe('offered');
    await world.say({ from: '@build', status: 'in_progress' });
    expect((await world.say({ from: '@build', status: 'retry' })).ingested?.did).toBe('failed');
  });
});

describe('who may say it', () => {
  it('S4: a block of somebody else is refused to an agent, and the operator speaks for all', async () => {
    const world = summaryWorld();
    const before = await world.facts();
    const other = await world.say({}, {}, agentPrincipal(agentOf('build')));
    expect(other.refusal).toEqual({ code: 'not-speaker', from: 'research', principal: '@build' });
    expect((await world.say({}, {}, SYSTEM)).refusal).toMatchObject({ code: 'not-speaker' });
    expect(await world.facts()).toEqual(before);
    const own = await world.say({}, {}, agentPrincipal(agentOf('research')));
    expect(own.fate).toBe('done');
    await world.say({ phase: 'QA' });
    const told = (await world.facts()).filter(({ deed }) => deed === 'deliver');
    expect(told.map(({ by }) => by)).toEqual(['@research', '@research']);
    expect(told.map(({ detail }) => (JSON.parse(detail) as { ingestedBy?: string }).ingestedBy)).toEqual([
      undefined,
      'operator',
    ]);
  });

  it('S3: the plain form is that of whoever speaks, and of nobody where nobody does', async () => {
    const world = summaryWorld();
    const text = '## TESTING COMPLETE\n\n✅ Tests passed: 25/25\n\n**Next Agent:** @qa\n';
    expect(await world.tell(text)).toMatchObject([{ fate: 'unclear' }]);
    const [answer] = await world.tell(text, {}, agentPrincipal(agentOf('tester')));
    expect(answer).toMatchObject({ fate: 'done', from: 'tester', to: 'qa' });
    expect(await world.summaries()).toMatchObject([{ form: 'weak', phase: 'Testing' }]);
  });
});

describe('the same block twice', () => {
  it('S4: changes nothing, whoever reads it and whatever has happened since', async () => {
    const world = summaryWorld();
    const source = { file: 'done.md' };
    const first = await world.say({ to: '@planning' }, { source });
    await world.say({ from: '@planning', status: 'in_progress' });
    const before = await world.facts();
    const again = await world.say({ to: '@planning' }, { source }, agentPrincipal(agentOf('research')));
    expect(again).toMatchObject({
      fate: 'known',
      ingested: { leg: first.ingested?.leg, opened: first.ingested?.opened },
    });
    expect(await world.facts()).toEqual(before);
  });

  it('S4: the same words elsewhere are said again', async () => {
    const world = summaryWorld();
    const text = `${blockOf({})}\n${blockOf({})}`;
    expect((await world.tell(text)).map(({ fate }) => fate)).toEqual(['done', 'done']);
    for (const turn of ['1', '2']) {
      expect((await world.say({}, { source: { session: 's', turn } })).fate).toBe('done');
    }
    expect(await world.summaries()).toHaveLength(4);
  });

  it('S1: quoted blocks and those of tools are reported, never obeyed', async () => {
    const world = summaryWorld();
    const quoted = blockOf({})
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n');
    const [answer] = await world.tell(quoted);
    expect(answer).toMatchObject({ fate: 'quoted', from: 'research' });
    const tool = { type: 'user', message: { content: [{ type: 'tool_result', content: blockOf({}) }] } };
    const own = { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: blockOf({}) }] } };
    const transcript = [tool, own].map((line) => JSON.stringify({ sessionId: 's', uuid: 'u', ...line })).join('\n');
    expect((await world.tell(transcript)).map(({ fate }) => fate)).toEqual(['quoted', 'done']);
    expect(await world.summaries()).toMatchObject([{ source: { session: 's' } }]);
  });

  it('S2: strict takes no block that is not as it should be; lenient takes it with a word', async () => {
    const world = summaryWorld();
    const odd = { phase: 'Development' };
    expect(await world.say(odd, { strict: true })).toMatchObject({ fate: 'invalid', problems: [{ field: 'phase' }] });
    expect(await world.handoffs()).toEqual([]);
    expect(await world.say(odd)).toMatchObject({ fate: 'done', warnings: [{ field: 'phase' }] });
    expect(await world.say({ status: 'fertig' })).toMatchObject({ fate: 'unclear' });
  });
});
