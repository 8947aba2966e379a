import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { editDocument, type DocumentChanges } from '../../src/formats/document/edit.ts';
import { SPEC_DOCUMENT } from '../formats/document/spec-document.ts';
import { tempFolder } from '../support/processes.ts';
import { documentsWorld, gitIn, ON, says, agentOf, type DocumentsWorld } from './documents-world.ts';
import { campaignSize } from '../support/campaign-sizes.ts';

/** At size by hand: BATON_DOCUMENTS_ADOPTED=10000. */
const MANY = campaignSize('BATON_DOCUMENTS_ADOPTED');

const named = (nth: number | string): string => `handoff-grok-claude-T-${nth}-20260221`;

function textOf(id: string, changes: DocumentChanges = {}): string {
  return editDocument(SPEC_DOCUMENT, { handoff_id: id, expires_at: null, ...changes });
}

const LIMITED = `${ON}agents: { claude: { limits: { incoming: 1 } } }\n`;

interface Repository {
  readonly folder: string;
  readonly put: (id: string, changes?: DocumentChanges, place?: string) => void;
  readonly commit: (mail: string) => void;
}

/** Written by others, before anybody here has looked. */
function repository(configuration: string = ON): Repository {
  const folder = tempFolder();
  writeFileSync(join(folder, 'baton.yaml'), configuration);
  gitIn(folder, 'init');
  return {
    folder,
    put: (id, changes = {}, place = 'active') => {
      mkdirSync(join(folder, '_handoffs', place), { recursive: true });
      writeFileSync(join(folder, '_handoffs', place, `${id}.md`), textOf(id, changes));
    },
    commit: (mail) => {
      writeFileSync(join(folder, '.git', 'mail'), mail);
      gitIn(folder, 'add', '_handoffs');
      gitIn(folder, 'commit', '-m', 'work');
    },
  };
}

async function told(world: DocumentsWorld, agent: string): Promise<readonly unknown[]> {
  return world.ctx.store.outbox.inbox(agentOf(agent), 100);
}

const MONTH = 'archived/2026/02';
const REJECTED = { status: 'Rejected', updated_at: '2026-02-22T10:00:00Z' };

describe('D14, D16: many committed documents that the database does not know', () => {
  it('come in with one pass, each as far as it is, by who wrote it last', async () => {
    const { folder, put, commit } = repository();
    for (let nth = 0; nth < MANY; nth += 1) put(named(nth));
    commit('first@example.org');
    const taken = { status: 'Acknowledged', acknowledged_by: 'claude', updated_at: '2026-02-21T15:00:00Z' };
    for (let nth = 0; nth < MANY; nth += 3) put(named(nth), taken);
    commit('second@example.org');
    const world = await documentsWorld(folder);
    await world.sync();
    const ids = Array.from({ length: MANY }, (_, nth) => named(nth));
    const expected = ids.map((_, nth) => {
      const isTaken = nth % 3 === 0;
      const author = isTaken ? 'second' : 'first';
      const created = `create by git:${author}@example.org as @grok`;
      return isTaken ? [created, `accept by git:${author}@example.org as @claude`] : [created];
    });
    expect(await Promise.all(ids.map((id) => world.by(id)))).toEqual(expected);
    expect(gitIn(folder, 'status', '--porcelain', '_handoffs/active')).toBe('');
    expect(says(world, 'document-left')).toEqual([]);
    const before = world.events.length;
    await world.sync();
    expect(world.events).toHaveLength(before);
  }, 600_000);

  it('are the work of the branch whose text was kept, however young the other one is', async () => {
    const { folder, put, commit } = repository();
    for (let nth = 0; nth < 9; nth += 1) put(named(nth));
    commit('base@example.org');
    gitIn(folder, 'checkout', '-b', 'side');
    for (let nth = 0; nth < 9; nth += 1) put(named(nth), { acknowledgment_notes: 'side' });
    commit('side@example.org');
    gitIn(folder, 'checkout', 'main');
    for (let nth = 0; nth < 9; nth += 1) put(named(nth), { acknowledgment_notes: 'main' });
    commit('main@example.org');
    gitIn(folder, 'merge', '--strategy=ours', 'side');
    // Neither of both: whoever merged has written it.
    gitIn(folder, 'checkout', '-b', 'other', 'HEAD~1');
    for (let nth = 0; nth < 8; nth += 1) put(named(nth), { acknowledgment_notes: 'other' });
    commit('other@example.org');
    gitIn(folder, 'checkout', 'main');
    gitIn(folder, 'merge', '--no-commit', '--strategy=ours', 'other');
    put(named(0), { acknowledgment_notes: 'both' });
    commit('merger@example.org');
    const world = await documentsWorld(folder);
    await world.sync();
    expect(await world.by(named(0))).toEqual(['create by git:merger@example.org as @grok']);
    for (let nth = 1; nth < 9; nth += 1) {
      expect(await world.by(named(nth))).toEqual(['create by git:main@example.org as @grok']);
    }
  });

  it('D5: come in over a limit, and each one too many is said', async () => {
    const { folder, put, commit } = repository(LIMITED);
    for (let nth = 0; nth < 8; nth += 1) put(named(nth));
    commit('a@example.org');
    const world = await documentsWorld(folder);
    await world.sync();
    for (let nth = 0; nth < 8; nth += 1) expect(await world.state(named(nth))).toBe('offered');
    expect(says(world, 'document-over-limit')).toEqual(
      Array.from({ length: 7 }, () => '@claude should have at most 1 incoming handoffs open, and has more with it'),
    );
    await expect(world.create()).rejects.toThrow('"count":8,"max":1');
  });

  it('come in as far as their way is legal, and the rest is said', async () => {
    const { folder, put, commit } = repository();
    put(named(1), { status: 'Acknowledged', acknowledged_by: 'gemini' });
    commit('a@example.org');
    const world = await documentsWorld(folder);
    await world.sync();
    expect(await world.state(named(1))).toBe('offered');
    expect(says(world, 'document-adopted')).toEqual(['new → offered; git:a@example.org as @gemini may not accept']);
    expect(gitIn(folder, 'status', '--porcelain', '_handoffs/active')).toBe('');
  });
});

describe('D14: what was settled before the database saw it', () => {
  const ENDS: readonly (readonly [name: string, changes: DocumentChanges, state: string])[] = [
    ['a', { status: 'Complete', completion_verified_by: 'claude', completed_at: '2026-02-22T10:00:00Z' }, 'completed'],
    ['b', { ...REJECTED, rejection_reason: { type: 'skill_gap', message: 'no Rust' } }, 'rejected'],
    ['c', { ...REJECTED, rejection_reason: { type: 'cancelled', message: 'not wanted' } }, 'cancelled'],
    ['d', { ...REJECTED, rejection_reason: { type: 'failed', message: 'it broke' } }, 'failed'],
    ['e', { status: 'Expired' }, 'expired'],
    ['f', REJECTED, 'rejected'],
  ];

  it('is taken in from the archive when asked, as told, by who committed it; no one is notified', async () => {
    const { folder, put, commit } = repository(
      `${ON}agents: { claude: { limits: { incoming: 1 } }, ann: { roles: [chief] } }\n`,
    );
    for (const [name, changes] of ENDS) put(named(name), changes, MONTH);
    commit('a@example.org');
    const world = await documentsWorld(folder);
    await world.sync();
    for (const [name] of ENDS) expect(await world.state(named(name))).toBeNull();
    expect(await world.documents.adoptSettled()).toEqual({ adopted: ENDS.length });
    for (const [name, , state] of ENDS) expect(await world.state(named(name))).toBe(state);
    expect(await world.by(named('a'))).toEqual([
      'create by git:a@example.org as @grok',
      'accept by git:a@example.org as system',
      'deliver by git:a@example.org as system',
      'verify by git:a@example.org as system',
    ]);
    const facts = await world.ctx.store.facts({ handoff: named('b') as never, max: 10 });
    expect(facts.map(({ fact }) => [new Date(fact.at).toISOString(), JSON.parse(fact.detail) as unknown])).toEqual([
      ['2026-02-21T14:30:00.000Z', { imported: true, seal: expect.any(String) as unknown }],
      ['2026-02-22T10:00:00.000Z', { imported: true, type: 'skill_gap', reason: 'no Rust' }],
    ]);
    for (const agent of ['grok', 'claude', 'ann', 'perplexity']) expect(await told(world, agent)).toEqual([]);
    expect(await world.ctx.store.outbox.due(10)).toEqual([]);
    expect(gitIn(folder, 'status', '--porcelain', '_handoffs/archived')).toBe('');
    expect(await world.documents.adoptSettled()).toEqual({ adopted: 0 });
    await world.sync();
    expect(gitIn(folder, 'status', '--porcelain', '_handoffs/archived')).toBe('');
    // It takes no place: there is room for one.
    expect(await world.create()).toMatch(/^handoff-grok-claude-/);
    expect(await world.ctx.store.upkeep.audit()).toEqual([]);
  });

  it('claims nothing that nobody showed, and is dated no later than now', async () => {
    const { folder, put } = repository();
    put(
      named('z'),
      { status: 'Complete', created_at: '2999-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
      MONTH,
    );
    const world = await documentsWorld(folder);
    await world.documents.adoptSettled();
    const whole = await world.ctx.store.load(named('z') as never);
    expect(whole?.handoff.claims.map(({ evidence }) => evidence)).toEqual(
      [1, 2, 3].map(() => [{ kind: 'note', text: 'nothing was shown for it' }]),
    );
    expect(whole?.handoff.createdAt).toBeLessThanOrEqual(world.ctx.store.nowMs());
    expect(whole?.handoff.since).toBeGreaterThanOrEqual(whole?.handoff.createdAt ?? Infinity);
    expect((await world.by(named('z')))[0]).toBe('create by file as @grok');
  });

  it('goes from active/ into the archive where it is committed, and stays where it is only said', async () => {
    const { folder, put, commit } = repository();
    put(named('done'), { status: 'Rejected', updated_at: '2026-03-01T10:00:00Z' });
    commit('a@example.org');
    const world = await documentsWorld(folder);
    world.write(`${named('said')}.md`, textOf(named('said'), { status: 'Complete' }));
    await world.sync(true);
    expect(await world.state(named('done'))).toBe('rejected');
    expect(world.place(named('done'))).toBe('2026/03');
    expect(await world.state(named('said'))).toBeNull();
    expect(world.place(named('said'))).toBe('active');
    expect(says(world, 'document-left')[0]).toContain('it is Complete and nobody here knows it');
  });

  it('is left alone where it is not what it should be', async () => {
    const { folder, put } = repository();
    const outside = tempFolder();
    writeFileSync(join(outside, `${named('x')}.md`), textOf(named('x'), { status: 'Expired' }));
    put(named('open'), {}, MONTH);
    put(named('good'), { status: 'Expired' }, MONTH);
    const archive = join(folder, '_handoffs', 'archived');
    symlinkSync(outside, join(archive, '2026', '03'));
    symlinkSync(join(outside, `${named('x')}.md`), join(archive, '2026', '02', `${named('x')}.md`));
    for (const name of ['2026/99', 'drafts', '2026/04/deeper']) mkdirSync(join(archive, name), { recursive: true });
    writeFileSync(join(archive, '2026', '99', `${named('y')}.md`), textOf(named('y'), { status: 'Expired' }));
    writeFileSync(join(archive, '2026', '02', `${named('torn')}.md`), '---\nhandoff_id: x\n');
    writeFileSync(join(archive, '2026', '02', `${named('other')}.md`), textOf(named('q'), { status: 'Expired' }));
    writeFileSync(join(archive, '2026', '02', 'notes about handoffs.md'), textOf('notes', { status: 'Expired' }));
    mkdirSync(join(archive, '2026', '02', `${named('folder')}.md`));
    const before = readdirSync(archive, { recursive: true });
    const world = await documentsWorld(folder);
    expect(await world.documents.adoptSettled()).toEqual({ adopted: 1 });
    for (const name of ['x', 'y', 'open', 'torn', 'other', 'q', 'folder'])
      expect(await world.state(named(name))).toBeNull();
    expect(says(world, 'document-left').some((each) => each.includes('what is open lies in active/'))).toBe(true);
    expect(readdirSync(archive, { recursive: true })).toEqual(before);
    expect(readFileSync(join(archive, '2026', '02', `${named('torn')}.md`), 'utf8')).toBe('---\nhandoff_id: x\n');
  });

  it('a database that is lost gets it all back: what is open, and what is over', async () => {
    const first = await documentsWorld();
    const open = await first.at('accepted');
    const over = await first.at('offered');
    first.edit(over, { status: 'Rejected', rejection_reason: { type: 'workload', message: 'no' } });
    await first.sync();
    const folder = tempFolder();
    renameSync(join(first.folder, '_handoffs'), join(folder, '_handoffs'));
    const second = await documentsWorld(folder, `${ON}identity: strict\n`);
    second.write(`${open}.md`, second.text(open));
    await second.sync();
    expect(await second.state(open)).toBeNull();
    await second.documents.sync('thorough', { vouched: true });
    expect(await second.state(open)).toBe('accepted');
    expect(await second.documents.adoptSettled()).toEqual({ adopted: 1 });
    expect(await second.state(over)).toBe('rejected');
  });
});
