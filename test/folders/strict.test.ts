/** Where identity is strict, neither a file nor a commit acts in somebody's name. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { NO_RULES, type WorkspaceRules } from '../../src/engine/context.ts';
import { as, documentsWorld, ON, says, type DocumentsWorld } from './documents-world.ts';
import { take, WORKER } from './native.ts';
import { aRequest, ME, queueWorld, REACT, type QueueWorld } from './queue-world.ts';

const STRICT = `${ON}identity: strict\n`;

async function repository(configuration: string): Promise<DocumentsWorld> {
  const world = await documentsWorld(undefined, configuration);
  world.git('init', '-q');
  await world.sync();
  return world;
}

function commit(world: DocumentsWorld): void {
  world.git('add', '-A');
  world.git('commit', '-qm', 'somebody says so');
}

const MARKED = ['code', 'tests'].map((deliverable) => ({ deliverable, status: 'done', evidence: 'file:done.txt' }));

const MOVES = [
  ['accepts', 'offered', { status: 'Acknowledged', acknowledged_by: 'claude' }],
  ['rejects', 'offered', { status: 'Rejected', rejection_reason: { type: 'workload', message: 'no' } }],
  ['cancels', 'offered', { status: 'Rejected', rejection_reason: { type: 'cancelled', message: 'no longer needed' } }],
  ['delivers', 'accepted', { deliverable_status: MARKED }],
  [
    'verifies',
    'delivered',
    {
      status: 'Complete',
      completion_verified_by: 'perplexity',
      criteria_checks: [{ criterion: 'works', status: 'met' }],
    },
  ],
  [
    'verifies as the operator',
    'delivered',
    {
      status: 'Complete',
      completion_verified_by: 'operator',
      criteria_checks: [{ criterion: 'works', status: 'met' }],
    },
  ],
] as const;

describe('a commit, where identity is strict', () => {
  it.each(MOVES)('never %s', async (_name, state, changes) => {
    const world = await repository(STRICT);
    const id = await world.at(state);
    commit(world);
    const before = world.text(id);
    world.edit(id, { ...changes, updated_at: new Date(Date.now() + 2_000).toISOString() });
    commit(world);
    await world.sync();
    expect(await world.state(id)).toBe(state);
    expect(world.fields(id)['status']).toEqual(/^status: (.*)$/m.exec(before)?.[1]);
    const [refused = ''] = says(world, 'document-refused');
    expect(refused).toContain('identity is strict here');
    expect(refused).toContain('use the command with a token in BATON_TOKEN');
    const told = world.events.length;
    await world.sync();
    expect(world.events).toHaveLength(told);
  });

  it('never sends: a new document waits for an operator', async () => {
    const first = await repository(ON);
    const id = await first.at('accepted');
    const world = await repository(STRICT);
    world.write(`${id}.md`, first.text(id));
    commit(world);
    await world.sync();
    expect(await world.state(id)).toBeNull();
    expect(says(world, 'document-left')[0]).toContain('baton sync --adopt');
    expect(world.text(id)).toBe(first.text(id));
    await world.documents.sync('thorough', { vouched: true });
    expect(await world.state(id)).toBe('accepted');
  });

  it('what a command has done is committed like anything else', async () => {
    const world = await repository(STRICT);
    const id = await world.at('offered');
    commit(world);
    expect(await accept(world.ctx, as('claude'), id)).toMatchObject({ ok: true });
    commit(world);
    await world.sync();
    expect(await world.state(id)).toBe('accepted');
    expect(says(world, 'document-refused')).toEqual([]);
  });

  it('where identity is local it is believed as before', async () => {
    const world = await repository(ON);
    const id = await world.at('offered');
    commit(world);
    world.edit(id, { status: 'Acknowledged', acknowledged_by: 'claude', updated_at: new Date().toISOString() });
    commit(world);
    await world.sync();
    expect(await world.state(id)).toBe('accepted');
  });
});

function actingFor(agent: AgentId | null): WorkspaceRules {
  return { ...NO_RULES, fileRights: () => ({ anybody: false, agent }) };
}

function reasons(world: QueueWorld): string {
  const folder = join(world.folder, 'handoffs/quarantine');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.endsWith('/'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

describe('a file in the queue folder, where identity is strict', () => {
  it.each([
    ['no agent is named for the folder', null],
    ['the folder acts for another agent', 'ci' as AgentId],
  ])('never sends: %s', async (_name, agent) => {
    const world = await queueWorld(undefined, undefined, actingFor(agent));
    for (const place of ['pending', 'in-progress', 'completed'] as const) {
      world.write(place, `by-${place}`, aRequest(`by-${place}`));
    }
    await world.sync();
    for (const place of ['pending', 'in-progress', 'completed']) expect(await world.state(`by-${place}`)).toBeNull();
    expect(world.places('by-pending')).not.toContain('pending');
    expect(reasons(world)).toContain('identity is strict here');
    expect(reasons(world)).toContain(agent === null ? 'queue_as' : 'act for @ci only');
  });

  it('never takes, completes or fails the work of others', async () => {
    const world = await queueWorld(undefined, undefined, actingFor(ME));
    const [taken, completed, failed] = [await world.send(), await world.send(), await world.send()];
    world.move(taken, 'pending', 'in-progress');
    world.write('completed', completed, { ...world.read('pending', completed), status: 'completed', output: {} });
    world.write('failed', failed, { ...world.read('pending', failed), status: 'failed', error: { code: 'X' } });
    await world.sync();
    for (const id of [taken, completed, failed]) {
      expect(await world.state(id)).toBe('offered');
      expect(world.places(id)).toEqual(['pending']);
    }
    expect(reasons(world)).toContain('act for @me only');
  });

  it('does not take from a worker of ours what it has accepted', async () => {
    const world = await queueWorld(undefined, undefined, actingFor(null));
    const id = await world.send();
    world.move(id, 'pending', 'in-progress');
    const { fence } = await take(world);
    expect(await world.state(id)).toBe('accepted');
    expect(world.read('in-progress', id)).toMatchObject({ baton_fence: fence });
    expect(await deliver(world.ctx, WORKER, { target: id, fence, result: 1 })).toMatchObject({ ok: true });
    expect(world.places(id)).toEqual(['completed']);
  });

  it('does not put a second request of another under an id that is known', async () => {
    const world = await queueWorld(undefined, undefined, actingFor(null));
    const id = await world.send();
    world.write('pending', id, aRequest(id, { input: { data: 'another' } }));
    await world.sync();
    expect((await world.ctx.store.find({ by: 'filter', max: 10 })).items.map((each) => each.id)).toEqual([id]);
    expect(reasons(world)).toContain('identity is strict here');
  });

  it('acts for the agent of the folder: sends from it, and does its work', async () => {
    const world = await queueWorld(undefined, undefined, actingFor(ME));
    world.write('pending', 'mine', aRequest('mine'));
    await world.sync();
    expect(await world.state('mine')).toBe('offered');
    expect(await accept(world.ctx, agentPrincipal(REACT), 'mine' as never)).toMatchObject({ ok: true });
    const doing = await queueWorld(undefined, undefined, actingFor(REACT));
    const id = await doing.send();
    doing.move(id, 'pending', 'in-progress');
    await doing.sync();
    expect(await doing.state(id)).toBe('accepted');
    doing.move(id, 'in-progress', 'completed');
    doing.write('completed', id, { ...doing.read('completed', id), status: 'completed', output: { data: 1 } });
    await doing.sync();
    expect(await doing.state(id)).toBe('completed');
  });
});
