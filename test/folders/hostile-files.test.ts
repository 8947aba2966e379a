import { execFileSync } from 'node:child_process';
import {
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { retry } from '../../src/engine/handoffs/retry.ts';
import { NO_RULES, type WorkspaceRules } from '../../src/engine/context.ts';
import { notificationRules } from '../../src/adapters/notifications/notification-rules.ts';
import { OPERATOR } from '../../src/domain/principal.ts';
import type { AgentId, HandoffId } from '../../src/domain/names.ts';
import { aRequest, footprint, ME, queueWorld, type QueueWorld } from './queue-world.ts';

const INBOXES: WorkspaceRules = {
  ...NO_RULES,
  notificationsFor: notificationRules({ desktop: false, webhooks: [], allowHosts: [] }),
};

/** The one thing in quarantine, and the reason beside it. */
function onlyReason(world: QueueWorld): string {
  const [file = '', reason = '', ...more] = world.quarantined();
  expect(more).toEqual([]);
  expect(reason).toBe(`${file}.reason.txt`);
  return readFileSync(join(world.folder, 'handoffs/quarantine', reason), 'utf8');
}

describe('files that are no requests', () => {
  it('F1, Q16: half a file is given time while it is fresh, and put aside when it stays so', async () => {
    const world = await queueWorld();
    const half = JSON.stringify(aRequest('half')).slice(0, 60);
    world.write('pending', 'half', half, 1_000);
    await world.sync();
    expect([world.places('half'), world.quarantined()]).toEqual([['pending'], []]);
    world.write('pending', 'half', half, 59_000);
    await world.sync();
    expect(world.places('half')).toEqual(['pending']);
    world.write('pending', 'half', half, 61_000);
    await world.sync();
    expect(world.places('half')).toEqual(['failed']);
    expect(onlyReason(world)).toContain('INVALID_JSON');
    expect(world.read('failed', 'half')).toMatchObject({ status: 'failed', error: { code: 'INVALID_JSON' } });
    expect(await world.state('half')).toBeNull();
    const before = footprint(world.folder);
    await world.sync();
    expect(footprint(world.folder)).toEqual(before);
  });

  it('F1: what is completed meanwhile is taken in', async () => {
    const world = await queueWorld();
    world.write('pending', 'slow', JSON.stringify(aRequest('slow')).slice(0, 60), 0);
    await world.sync();
    world.write('pending', 'slow', aRequest('slow'), 0);
    await world.sync();
    expect(await world.state('slow')).toBe('offered');
    expect(world.quarantined()).toEqual([]);
  });

  it.each([
    ['nothing', '', 'INVALID_JSON'],
    ['noise', '\u0007 not json }', 'INVALID_JSON'],
    ['NaN', JSON.stringify(aRequest('x')).replace('300', 'NaN'), 'NaN'],
    ['a list', '[1,2]', 'a message is a JSON object'],
    ['another id', JSON.stringify(aRequest('y')), 'handoff_id'],
    ['a way out', JSON.stringify(aRequest('../../x')), 'handoff_id'],
    ['no target', JSON.stringify(aRequest('x', { target: undefined })), 'target'],
    ['a poisoned key', '{"__proto__":{"admin":1}}', '__proto__'],
    ['bytes of no language', '', 'UTF-8'],
  ])('F8, F9, I16, Q3: %s goes to quarantine, byte for byte, with the reason', async (what, text, reason) => {
    const world = await queueWorld();
    const bytes = what === 'bytes of no language' ? Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) : Buffer.from(text);
    world.write('pending', 'x', '');
    writeFileSync(world.path('pending', 'x'), bytes);
    world.write('pending', 'x', readFileSync(world.path('pending', 'x'), 'latin1'));
    writeFileSync(world.path('pending', 'x'), bytes);
    execFileSync('touch', ['-d', '2 minutes ago', world.path('pending', 'x')]);
    await world.sync();
    expect(onlyReason(world)).toContain(reason);
    expect(readFileSync(join(world.folder, 'handoffs/quarantine', world.quarantined()[0] ?? ''))).toEqual(bytes);
    expect(await world.state('x')).toBeNull();
  });

  it('F8, I20: links, pipes, folders, giants and second names are never read', async () => {
    const world = await queueWorld();
    const secret = join(world.folder, 'secret.json');
    writeFileSync(secret, JSON.stringify(aRequest('link')));
    symlinkSync(secret, world.path('pending', 'link'));
    execFileSync('mkfifo', [world.path('pending', 'pipe')]);
    mkdirSync(world.path('pending', 'folder'));
    writeFileSync(join(world.path('pending', 'folder'), 'inside'), 'kept');
    writeFileSync(world.path('pending', 'giant'), JSON.stringify(aRequest('giant')));
    truncateSync(world.path('pending', 'giant'), 50 * 1024 * 1024);
    linkSync(secret, world.path('pending', 'second'));
    await world.sync();
    for (const id of ['link', 'pipe', 'folder', 'giant', 'second']) {
      // Somebody may wait for a plain file, and looks into failed/.
      const answered = id === 'giant' ? ['failed'] : [];
      expect([id, world.places(id), await world.state(id)]).toEqual([id, answered, null]);
    }
    expect(world.quarantined().filter((name) => name.endsWith('.reason.txt'))).toHaveLength(5);
    expect(readFileSync(secret, 'utf8')).toBe(JSON.stringify(aRequest('link')));
  });

  it.skipIf(process.getuid?.() !== 0)('F8: what belongs to a stranger is not read', async () => {
    const world = await queueWorld();
    world.write('pending', 'theirs', aRequest('theirs'));
    chownSync(world.path('pending', 'theirs'), 4711, 4711);
    await world.sync();
    expect(await world.state('theirs')).toBeNull();
    expect(onlyReason(world)).toContain('4711');
  });

  it('Q3: names that could lead elsewhere are put aside, and hidden or unfinished ones are left alone', async () => {
    const world = await queueWorld();
    const pending = join(world.folder, 'handoffs/pending');
    for (const name of ['-rf.json', 'a..b.json', 'nul.json', '.hidden.json', 'x.json.tmp']) {
      writeFileSync(join(pending, name), '{}');
    }
    await world.sync();
    expect(world.quarantined().filter((name) => name.endsWith('.txt'))).toHaveLength(3);
    expect(readFileSync(join(pending, '.hidden.json'), 'utf8')).toBe('{}');
    expect(readFileSync(join(pending, 'x.json.tmp'), 'utf8')).toBe('{}');
  });

  it('I20: a folder of the queue that became a link stops the queue, and nothing is written through it', async () => {
    const world = await queueWorld();
    const elsewhere = join(world.folder, 'elsewhere');
    mkdirSync(elsewhere);
    rmSync(join(world.folder, 'handoffs/pending'), { recursive: true });
    symlinkSync(elsewhere, join(world.folder, 'handoffs/pending'));
    await expect(world.sync()).rejects.toThrow('stands still');
    const id = await world.send();
    expect(await world.state(id)).toBe('offered');
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(world.events.some((event) => event.kind === 'fault')).toBe(true);
  });

  it('Q8, I20: an answer never leaves artifacts/, wherever it is wanted and whatever stands in the way', async () => {
    const world = await queueWorld();
    const { answer } = await import('./native.ts');
    const wishes = ['artifacts/in/x.json'];
    const refused = ['../../x.json', '/etc/x.json', 'artifacts/../x.json', 'file:///x', 'elsewhere/x.json'];
    mkdirSync(join(world.folder, 'artifacts'));
    mkdirSync(join(world.folder, 'outside'));
    symlinkSync(join(world.folder, 'outside'), join(world.folder, 'artifacts/in'));
    for (const [at, destination] of wishes.entries()) {
      world.write('pending', `w${at}`, aRequest(`w${at}`, { expected_output: { destination } }));
    }
    for (const [at, destination] of refused.entries()) {
      world.write('pending', `r${at}`, aRequest(`r${at}`, { expected_output: { destination } }));
    }
    await world.sync();
    for (const at of refused.keys()) {
      expect(world.read('failed', `r${at}`)).toMatchObject({
        source: { agent_id: '@me' },
        target: { agent_id: '@react' },
        error: { code: 'INVALID_REQUEST', message: expect.stringContaining('expected_output.destination') as string },
        validation: {
          errors: [{ field: 'expected_output.destination', schema_path: '$.expected_output.destination' }],
        },
      });
    }
    for (const at of wishes.keys()) {
      await answer(world, `w${at}`, { ok: at });
      expect(world.read('completed', `w${at}`)).toMatchObject({
        output: { artifact_path: `artifacts/phase-13-react/artifact-w${at}.json` },
        warnings: [expect.stringContaining('leads through a link') as string],
      });
    }
    expect(execFileSync('find', [join(world.folder, 'outside'), '-type', 'f'], { encoding: 'utf8' })).toBe('');
  });
});

describe('something in the way of an answer', () => {
  it('I7, I16, F8: is put aside, and the answer takes its place', async () => {
    const world = await queueWorld();
    const id = await world.send();
    const { take, WORKER } = await import('./native.ts');
    const { fence } = await take(world);
    mkdirSync(world.path('completed', id));
    await deliver(world.ctx, WORKER, { target: id, fence, result: 1 });
    await world.sync();
    expect(world.read('completed', id)).toMatchObject({ status: 'completed' });
    expect(world.places(id)).toEqual(['completed']);
    expect(onlyReason(world)).toContain('not a plain file');
  });

  it.each([
    ['of another database', () => 'another 999999'],
    ['with a damaged cursor', (hash: string) => `${hash} damaged boot`],
  ])('a bookmark %s is not believed', async (_, textOf) => {
    const world = await queueWorld();
    const id = await world.send();
    const { answer } = await import('./native.ts');
    await answer(world, id, 1);
    rmSync(world.path('completed', id));
    const [first] = await world.ctx.store.facts({ max: 1 });
    writeFileSync(join(world.folder, '.baton/queue.bookmark'), textOf(first?.fact.hash ?? ''));
    const again = await queueWorld(undefined, world.folder);
    await again.sync();
    expect(world.places(id)).toEqual(['completed']);
  });
});

describe('two files with one id', () => {
  it('Q3, F7: the second request is put aside and the first one stands', async () => {
    const world = await queueWorld();
    world.write('pending', 'twice', aRequest('twice'));
    await world.sync();
    const second = aRequest('twice', { input: { data: 'other' } });
    world.write('pending', 'twice', second);
    await world.sync();
    expect(onlyReason(world)).toContain('belongs to another request');
    expect(world.places('twice')).toEqual(['pending']);
    expect(world.read('pending', 'twice')).toEqual(aRequest('twice'));
    const aside = readFileSync(join(world.folder, 'handoffs/quarantine', world.quarantined()[0] ?? ''), 'utf8');
    expect(JSON.parse(aside)).toEqual(second);
  });

  it('F7: both senders are told, and the second request can be sent again as it is', async () => {
    const world = await queueWorld(undefined, undefined, INBOXES);
    world.write('pending', 'twice', aRequest('twice'));
    await world.sync();
    const second = aRequest('twice', { source: { agent_id: '@other' }, input: { data: 'other' } });
    world.write('pending', 'twice', second);
    await world.sync();
    const { store } = world.ctx;
    for (const agent of [ME, 'other' as AgentId]) {
      const told = (await store.outbox.inbox(agent, 10)).map(({ payload }) => JSON.parse(payload) as object);
      expect([agent, told]).toMatchObject([
        agent,
        [{ event: 'failed', from: '@other', detail: { code: 'ID_COLLISION' } }],
      ]);
    }
    const { items } = await store.find({ by: 'filter', states: ['failed'], max: 10 });
    const [kept] = items;
    expect(items).toHaveLength(1);
    expect(onlyReason(world)).toContain(`baton retry ${kept?.id}`);
    expect(world.read('failed', kept?.id ?? '')).toMatchObject({
      handoff_id: kept?.id,
      error: { code: 'ID_COLLISION', message: expect.stringContaining('twice') as string },
    });
    const again = await retry(world.ctx, OPERATOR, { id: kept?.id ?? ('' as HandoffId) });
    expect(again.ok && (await world.whole(again.value.id)).body).toContain('other');
    expect(await world.state('twice')).toBe('offered');
  });

  it('F7: whoever collides with himself is told once, however often it is looked at', async () => {
    const world = await queueWorld(undefined, undefined, INBOXES);
    world.write('pending', 'twice', aRequest('twice'));
    await world.sync();
    for (let look = 0; look < 2; look += 1) {
      world.write('pending', 'twice', aRequest('twice', { input: { data: 'other' } }));
      await world.sync();
    }
    expect(await world.ctx.store.outbox.inbox(ME, 10)).toHaveLength(1);
    expect(world.quarantined().filter((name) => name.endsWith('.txt'))).toHaveLength(2);
  });

  it('Q3: an id that is settled is not taken up again', async () => {
    const world = await queueWorld();
    const id = await world.send();
    const { answer } = await import('./native.ts');
    await answer(world, id, 'done');
    world.write('pending', id, aRequest(id));
    await world.sync();
    expect(world.places(id)).toEqual(['completed']);
    expect(onlyReason(world)).toContain('needs a new id');
  });

  it('F4: in several folders, the furthest one tells', async () => {
    const world = await queueWorld();
    world.write('pending', 'both', aRequest('both'));
    world.write('in-progress', 'both', aRequest('both'));
    await world.sync();
    expect(await world.state('both')).toBe('accepted');
    renameSync(world.path('in-progress', 'both'), world.path('completed', 'both'));
    world.write('completed', 'both', aRequest('both', { status: 'completed', output: {} }));
    world.write('failed', 'both', aRequest('both', { status: 'failed', error: { message: 'no' } }));
    await world.sync();
    expect(await world.state('both')).toBe('completed');
    expect(world.places('both')).toEqual(['completed']);
    // The copy in pending/ said nothing that the database does not have.
    expect(world.quarantined().filter((name) => name.endsWith('.txt'))).toHaveLength(1);
  });
});
