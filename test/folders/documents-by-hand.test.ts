import { revise } from '../../src/engine/handoffs/revise.ts';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { editDocument } from '../../src/formats/document/edit.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { tempFolder } from '../support/processes.ts';
import { SPEC_DOCUMENT } from '../formats/document/spec-document.ts';
import { as, documentsWorld, ON, says } from './documents-world.ts';

const SPEC_ID = 'handoff-grok-claude-BPRD-2026-0042-20260221';
const NOW = (): string => new Date().toISOString();
const IN_AN_HOUR = (): string => new Date(Date.now() + 3_600_000).toISOString();
/** The example of the specification, as it would be written today. */
const today = (): string =>
  editDocument(SPEC_DOCUMENT, { created_at: NOW(), updated_at: NOW(), expires_at: IN_AN_HOUR() });

const MARKED = [
  { deliverable: 'code', status: 'done', evidence: 'file:done.txt' },
  { deliverable: 'tests', status: 'done', evidence: ['CI run #456, all green'] },
];

describe('D16, F10: an agent that only edits files', () => {
  it('takes part from the beginning to the end', async () => {
    const world = await documentsWorld();
    world.write(`${SPEC_ID}.md`, today());
    await world.sync();
    expect(await world.state(SPEC_ID)).toBe('offered');
    expect(world.index()).toContain(`- id: ${SPEC_ID}\n    from: grok\n    to: claude\n`);

    world.edit(SPEC_ID, { status: 'Acknowledged', acknowledged_by: 'claude', acknowledgment_notes: 'Mine.' });
    await world.sync();
    expect(await world.state(SPEC_ID)).toBe('accepted');
    expect(world.fields(SPEC_ID)).toMatchObject({ acknowledgment_notes: 'Mine.', acknowledged_by: 'claude' });
    expect(world.fields(SPEC_ID)['acknowledged_at']).toMatch(/^20/);

    const names = ['Implemented rate limiting middleware', 'Unit tests passing', 'Documentation updated'];
    const one = names.slice(0, 1).map((deliverable) => ({ deliverable, status: 'done', evidence: 'file:done.txt' }));
    world.edit(SPEC_ID, { deliverable_status: one });
    await world.sync();
    expect(await world.state(SPEC_ID)).toBe('accepted');
    expect(world.fields(SPEC_ID)['deliverable_status']).toEqual(one);

    const all = names.map((deliverable) => ({ deliverable, status: 'done', evidence: 'file:done.txt' }));
    world.edit(SPEC_ID, { deliverable_status: all });
    await world.sync();
    expect(await world.state(SPEC_ID)).toBe('delivered');
    expect(JSON.stringify(world.fields(SPEC_ID)['deliverable_status'])).toMatch(
      /claimed.*file:done.txt#sha256=[0-9a-f]{64}/,
    );

    const criteria = ['All tests pass in CI', 'Rate limiting works as specified', 'No performance regression'];
    world.edit(SPEC_ID, {
      status: 'Complete',
      completion_verified_by: 'perplexity',
      criteria_checks: criteria.map((criterion) => ({ criterion, status: 'met' })),
    });
    await world.sync();
    expect(await world.state(SPEC_ID)).toBe('completed');
    expect(world.place(SPEC_ID)).toMatch(/^\d{4}\/\d{2}$/);
    expect(world.fields(SPEC_ID)).toMatchObject({ status: 'Complete', completion_verified_by: 'perplexity' });
    expect(await world.by(SPEC_ID)).toEqual([
      'create by file as @grok',
      'accept by file as @claude',
      'deliver by file as @claude',
      'verify by file as @perplexity',
    ]);
    expect(says(world, 'document-refused')).toEqual([]);
    expect(world.index()).toContain(`recently_completed:\n  - id: ${SPEC_ID}\n`);
  });

  it.each([
    ['sender', 'grok', 'sender'],
    ['doer', 'claude', 'doer'],
    ['nobody', null, 'does not name a verifier'],
    ['a stranger', 'gemini', 'may not verify'],
  ])('D8: never completes by the word of the %s', async (_who, name, reason) => {
    const world = await documentsWorld();
    const id = await world.at('delivered');
    const before = world.text(id);
    const checks = [{ criterion: 'works', status: 'met' }];
    world.edit(id, { status: 'Complete', completion_verified_by: name, criteria_checks: checks });
    await world.sync();
    expect(await world.state(id)).toBe('delivered');
    expect(world.place(id)).toBe('active');
    expect(world.fields(id)).toMatchObject({ status: 'Acknowledged', completion_verified_by: null });
    expect(says(world, 'document-refused')[0]).toContain(reason);
    expect(world.text(id).replace(/criteria_checks:\n(?: .*\n)+/, '')).toBe(before);
    expect(readdirSync(join(world.folder, '.baton', 'documents', 'refused'))).toHaveLength(1);
  });

  it('D6, D10: is refused what is another one’s, and may refuse what is its own', async () => {
    const world = await documentsWorld();
    const id = await world.at('offered');
    world.edit(id, { status: 'Acknowledged', acknowledged_by: 'gemini' });
    await world.sync();
    expect(await world.state(id)).toBe('offered');
    expect(world.fields(id)).toMatchObject({ status: 'Active', acknowledged_by: null });
    world.edit(id, { status: 'Rejected', rejection_reason: { type: 'skill_gap', message: 'I know no Rust' } });
    await world.sync();
    expect(await world.state(id)).toBe('rejected');
    expect(world.place(id)).toMatch(/^\d{4}\/\d{2}$/);
    expect(world.fields(id)['rejection_reason']).toEqual({ type: 'skill_gap', message: 'I know no Rust' });
  });

  it.each([
    ['Expired', { status: 'Expired' }, 'cannot become Expired'],
    ['Created', { status: 'Created' }, 'cannot become Created'],
    [
      'Complete at once',
      { status: 'Complete', completion_verified_by: 'perplexity' },
      'nothing is shown for code, tests',
    ],
    [
      'delivered with a file that is not there',
      { deliverable_status: MARKED.map((mark) => ({ ...mark, evidence: 'file:nowhere.txt' })) },
      'nowhere.txt',
    ],
  ])('D3, D7: puts back what cannot be: %s', async (_what, changes, reason) => {
    const world = await documentsWorld();
    const id = await world.at('accepted');
    world.edit(id, changes);
    await world.sync();
    expect(await world.state(id)).toBe('accepted');
    expect(world.fields(id)).toMatchObject({ status: 'Acknowledged' });
    expect(says(world, 'document-refused').join()).toContain(reason);
    const told = world.events.length;
    await world.sync();
    expect(world.events).toHaveLength(told);
  });

  it('is believed nothing where identity is strict', async () => {
    const world = await documentsWorld(undefined, `${ON}identity: strict\n`);
    const id = await world.at('offered');
    const before = world.text(id);
    world.edit(id, { status: 'Acknowledged' });
    world.write('handoff-a-b-T-20260221.md', today().replaceAll(SPEC_ID, 'handoff-a-b-T-20260221'));
    await world.sync();
    expect(await world.state(id)).toBe('offered');
    expect(world.text(id)).toBe(before);
    expect(says(world, 'document-refused')[0]).toContain('identity is strict');
    expect(await world.state('handoff-a-b-T-20260221')).toBeNull();
    expect(says(world, 'document-left')[0]).toContain('identity is strict');
  });
});

describe('D2: what a person writes around the fields', () => {
  it('stays, whatever happens to the handoff', async () => {
    const world = await documentsWorld();
    const id = await world.at('offered');
    const own = world
      .text(id)
      .replace('title:', '# ask @lead about this\nours:   [1, 2]   # keep\ntitle:')
      .replace('### Purpose', '### My notes\r\n- mind the gap\t\n\n### Purpose');
    world.write(`${id}.md`, own);
    expect((await accept(world.ctx, as('claude'), id, { notes: 'yes' })).ok).toBe(true);
    const expected = editDocument(own, {
      status: 'Acknowledged',
      updated_at: world.fields(id)['updated_at'],
      acknowledged_at: world.fields(id)['acknowledged_at'],
      acknowledged_by: 'claude',
      acknowledgment_notes: 'yes',
    });
    expect(world.text(id)).toBe(expected);
    expect(world.events).toEqual([]);
  });

  it('does not reach what was agreed, nor the clock', async () => {
    const world = await documentsWorld();
    const id = await world.at('offered');
    const before = world.text(id);
    world.edit(id, { title: 'Something else', deliverables: ['less'], expires_at: '2030-01-01T00:00:00Z', mine: 'x' });
    await world.sync();
    expect(world.text(id)).toBe(before.replace('completion_notes: null\n', 'completion_notes: null\nmine: x\n'));
    expect(says(world, 'document-refused')).toEqual([
      expect.stringMatching(/^title, deliverables, expires_at: not changed by hand .*kept in .*refused/),
    ]);
  });
});

describe('files that are not in order', () => {
  it('F1: are not touched while somebody may still be writing', async () => {
    const world = await documentsWorld();
    const id = await world.at('offered');
    world.write(`${id}.md`, world.text(id).replace('status: Active', 'status: Acknowledged'), 0);
    await world.documents.sync('full');
    expect(await world.state(id)).toBe('offered');
    await world.sync();
    expect(await world.state(id)).toBe('accepted');
  });

  it('are left as they are, with line and column', async () => {
    const world = await documentsWorld();
    const id = await world.at('offered');
    const broken = world.text(id).replace('status: Active', 'status: [Active');
    world.write(`${id}.md`, broken);
    world.write('notes.md', '# notes\n');
    world.write('handoff-a-b-T-20260221.md', '---\nhandoff_id: handoff-a-b-T-20260221\n---\n');
    await world.sync();
    await world.sync();
    expect(world.text(id)).toBe(broken);
    const left = world.events.flatMap((event) =>
      event.kind === 'document-left' ? [`${event.name} ${event.says}`] : [],
    );
    expect(left.toSorted()).toEqual([
      expect.stringMatching(/^handoff-a-b-T-20260221.md 1:1: from_agent: is missing/),
      expect.stringMatching(new RegExp(`^${id}.md 10:\\d+: `)),
      expect.stringMatching(/^notes.md a document is called/),
    ]);
    expect((await accept(world.ctx, as('claude'), id)).ok).toBe(true);
    expect(world.text(id)).toBe(broken);
    world.write(`${id}.md`, broken.replace('[Active', 'Active'));
    await world.sync();
    expect(world.fields(id)).toMatchObject({ status: 'Acknowledged', acknowledged_by: 'claude' });
  });

  it('come back when somebody has deleted them', async () => {
    const world = await documentsWorld();
    const id = await world.at('accepted');
    const text = world.text(id);
    rmSync(join(world.folder, '_handoffs', 'active', `${id}.md`));
    await world.sync();
    expect(world.text(id)).toBe(text);
    expect(says(world, 'document-refused')[0]).toContain('not deleted by hand');
  });

  it('F8: are never read through a link', async () => {
    const world = await documentsWorld();
    const secret = join(tempFolder(), 'secret.md');
    writeFileSync(secret, today());
    mkdirSync(join(world.folder, '_handoffs', 'active'), { recursive: true });
    symlinkSync(secret, join(world.folder, '_handoffs', 'active', `${SPEC_ID}.md`));
    await world.sync();
    expect(await world.state(SPEC_ID)).toBeNull();
    expect(says(world, 'document-left')[0]).toContain('link');
  });

  it('do not lead out of the workspace when a folder has become a link', async () => {
    const world = await documentsWorld();
    const elsewhere = tempFolder();
    symlinkSync(elsewhere, join(world.folder, '_handoffs'));
    const id = await world.create();
    expect(await world.state(id)).toBe('draft');
    expect(existsSync(join(elsewhere, 'active', `${id}.md`))).toBe(false);
    expect(world.events.map(({ kind }) => kind)).toContain('fault');
  });
});

describe('D1: names', () => {
  it('count the documents of a day', async () => {
    const world = await documentsWorld();
    const first = await world.create();
    expect(first).toMatch(/^handoff-grok-claude-BPRD-2026-0042-\d{8}$/);
    expect(await world.create()).toBe(`${first}-2`);
    expect(await world.create()).toBe(`${first}-3`);
  });

  it('are not taken twice by those who come at the same time', async () => {
    const world = await documentsWorld();
    const ids = await Promise.all(Array.from({ length: 12 }, () => world.create()));
    expect(new Set(ids).size).toBe(12);
    expect(ids.every((id) => world.place(id) === 'active')).toBe(true);
  });
});

describe('D16: an edit of one’s own draft', () => {
  it('is a revision of it, as often as somebody likes, until it is activated', async () => {
    const world = await documentsWorld();
    const id = await world.create();
    world.write(`${id}.md`, `${world.text(id)}\n## My notes\n\nMind the gap.\n`);
    world.edit(id, { purpose: 'another one', mine: 'yes' });
    await world.sync();
    world.edit(id, { title: 'Another thing', deliverables: ['code', 'manual'] });
    await world.sync();
    expect(world.text(id)).toContain('Mind the gap.');
    expect(world.fields(id)).toMatchObject({ purpose: 'another one', mine: 'yes', status: 'Created' });
    const whole = await world.ctx.store.load(id);
    expect(whole).toMatchObject({ handoff: { title: 'Another thing', terms: { deliverables: ['code', 'manual'] } } });
    expect(JSON.parse(whole?.body ?? '')).toMatchObject({ input: { purpose: 'another one', context: 'where' } });
    expect(await world.by(id)).toEqual(['create by @grok', 'revise by file as @grok', 'revise by file as @grok']);
    const after = world.text(id);
    await world.sync();
    expect([world.text(id), says(world, 'document-refused')]).toEqual([after, []]);
    // On offer, it is what was agreed.
    world.edit(id, { purpose: 'a third one', status: 'Active' });
    await world.sync();
    expect(await world.state(id)).toBe('offered');
    world.edit(id, { purpose: 'a fourth one' });
    await world.sync();
    expect(world.fields(id)).toMatchObject({ purpose: 'a third one', status: 'Active' });
    const [refused = ''] = says(world, 'document-refused');
    expect(readFileSync(/kept in (.+)\)$/.exec(refused)?.[1] ?? '', 'utf8')).toContain('a fourth one');
  });

  it('does not change what its name says, and tells what to do instead', async () => {
    const world = await documentsWorld();
    const id = await world.create();
    world.edit(id, { to_agent: 'gemini', title: 'Another thing' });
    await world.sync();
    expect(world.fields(id)).toMatchObject({ to_agent: 'claude', title: 'Another thing' });
    expect(says(world, 'document-refused')).toEqual([
      expect.stringContaining(
        `to_agent: not changed by hand; give it to somebody else with: baton reassign ${id} --to @gemini`,
      ),
    ]);
  });

  it('follows a revision by command in the lines that nobody has rewritten', async () => {
    const world = await documentsWorld();
    const id = await world.create();
    const rewritten = world.text(id).replace('### Context\nwhere', '### Context\nSee the wiki.');
    world.write(`${id}.md`, rewritten);
    await world.sync();
    const revision = {
      title: 'Another thing',
      inputFields: { purpose: 'another one', context: 'elsewhere' },
      terms: { criteria: ['is fast'] },
    };
    expect((await revise(world.ctx, as('grok'), id, revision)).ok).toBe(true);
    const text = world.text(id);
    expect(world.fields(id)).toMatchObject({ title: 'Another thing', context: 'elsewhere', status: 'Created' });
    expect(text).toContain('# Handoff: Another thing\n');
    expect(text).toContain('### Purpose\nanother one\n\n### Context\nSee the wiki.\n\n### Deliverables\n- code');
    expect(text).toContain('### Verification Criteria\n- is fast\n\n### Timeline');
    expect(await world.by(id)).toEqual(['create by @grok', 'revise by @grok']);
  });
});

describe('D5: a new file over a limit', () => {
  it('comes in and counts, and that there is one too many is said', async () => {
    const world = await documentsWorld(undefined, `${ON}agents: { claude: { limits: { incoming: 1 } } }\n`);
    await world.at('offered');
    world.write(`${SPEC_ID}.md`, today());
    await world.documents.sync('full');
    await world.documents.sync('full');
    expect(await world.state(SPEC_ID)).toBe('offered');
    expect(says(world, 'document-over-limit')).toEqual([
      '@claude should have at most 1 incoming handoffs open, and has more with it',
    ]);
    await expect(world.create()).rejects.toThrow('"count":2,"max":1');
  });
});
