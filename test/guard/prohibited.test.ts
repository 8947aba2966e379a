import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SPEC_DOCUMENT } from '../formats/document/spec-document.ts';
import {
  ACTIVE,
  ACKNOWLEDGED,
  EXPIRED,
  another,
  ARCHIVED,
  COMPLETE,
  documentWith,
  makeRepository,
  NAME,
  type Repository,
} from './repository.ts';

/** What the index complains about; the working tree says something else, because it is not asked. */
async function staged(repository: Repository, files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  for (const [path, text] of Object.entries(files)) repository.write(path, text);
  repository.git('add', '-A');
  for (const path of Object.keys(files)) repository.write(path, 'nothing of the kind\n');
  const { code, complaints, stderr } = await repository.check('--staged');
  expect({ code, stderr }).toMatchObject({ code: complaints.length === 0 ? 0 : 5 });
  return complaints.map(({ file, line, column, rule, says }) => `${file}:${line}:${column} ${rule}: ${says}`);
}

const V1_BOLD = '# Handoff\n\n**From:** Grok\n**To:** Claude\n**Status:** Active\n\nPlease do it.\n';
const V1_HEADER = 'From: Grok\nTo: Claude\nTask: BPRD-2026-0001\nDate: 2026-01-01\n\nPlease.\n';
const V1_FRONT = '---\nfrom: grok\nassigned_to: claude\ntask: BPRD-2026-0001\nstatus: Active\n---\n\nPlease.\n';

/** All that the end needs, and nothing to show for it. */
const DONE = {
  status: 'Complete',
  acknowledged_at: '2026-02-21T15:00:00Z',
  acknowledged_by: 'claude',
  completed_at: '2026-02-21T20:00:00Z',
  completion_verified_by: 'perplexity',
};

describe('baton check --staged', () => {
  it.each([
    ['in the folder of an agent', `_agents/claude/_handoffs/${NAME}.md`, SPEC_DOCUMENT],
    ['among processed research', `research/x/processed/${NAME}.md`, SPEC_DOCUMENT],
    ['under an innocent name', 'notes/today.md', SPEC_DOCUMENT],
    ['without an ending', 'notes/today', SPEC_DOCUMENT],
    ['as plain text', 'inbox/today.txt', documentWith({ handoff_id: null })],
    ['by its id alone', 'notes/id.md', documentWith({ from_agent: null, to_agent: null })],
    ['by an id of its own and one party', 'notes/one.md', documentWith({ handoff_id: 'H-1', to_agent: null })],
    ['in a folder of the same name elsewhere', `docs/${ACTIVE}`, SPEC_DOCUMENT],
    ['that cannot be read', 'notes/broken.md', SPEC_DOCUMENT.replace('title: "', 'title: "unclosed \\q" "')],
    ['whose front matter does not end', 'notes/open.md', SPEC_DOCUMENT.replace('\n---\n\n', '\n\n')],
    ['without the lines of dashes', 'notes/bare.md', SPEC_DOCUMENT.replaceAll('---\n', '')],
    ['with the mark of an editor before it', 'notes/mark.md', `\uFEFF${SPEC_DOCUMENT}`],
    ['with line ends of another system', 'notes/lines.md', SPEC_DOCUMENT.replaceAll('\n', '\r\n')],
    ['of the old form, bold', '_agents/claude/_handoffs/handoff-x.md', V1_BOLD],
    ['of the old form, header lines', 'handoff-from-grok.md', V1_HEADER],
    ['of the old form, front matter', 'research/y/processed/HANDOFF_2.md', V1_FRONT],
    ['with a line end in its name', 'notes/a\n_handoffs/active/x.md', SPEC_DOCUMENT],
    ['with a command in its name', 'notes/$(touch hacked) `id` "x" \'y\'.md', SPEC_DOCUMENT],
    ['with a name that looks like an option', '--staged.md', SPEC_DOCUMENT],
    ['with a name that looks like a pattern', ':(glob)**.md', SPEC_DOCUMENT],
    ['with a carriage return and spaces in its name', 'notes/ a b\r .md', SPEC_DOCUMENT],
  ])('D13: rejects a handoff outside of _handoffs/ %s', async (_what, path, text) => {
    const found = await staged(makeRepository(), { [path]: text });
    expect(found).toEqual([expect.stringMatching(/ outside: a handoff/)]);
    expect(found[0]).toContain(`${path}:1:1 `);
  });

  it.each([
    `${NAME}_063331.md`,
    `${NAME}-copy.md`,
    `${NAME} (2).md`,
    `${NAME}(1).md`,
    `${NAME} copy.md`,
    `Copy of ${NAME}.md`,
    `${NAME}-copy-2.md`,
    `${NAME}.md.orig`,
    `${NAME}.md~`,
  ])('D13: rejects the copy %s', async (name) => {
    const found = await staged(makeRepository(), { [`_handoffs/active/${name}`]: SPEC_DOCUMENT });
    expect(found).toEqual([`_handoffs/active/${name}:1:1 copy: the name of a copy`]);
  });

  it.each([
    ['a name of another form', '_handoffs/active/api-rate-limiting.md', 'name', 'not the name of a handoff'],
    ['a name without its day', '_handoffs/active/handoff-grok-claude-BPRD-2026-0042.md', 'name', 'not the name'],
    ['a name that its fields do not make', `_handoffs/active/handoff-x-y-Z-20260221.md`, 'name', 'is called handoff-x'],
    ['a place that is none', `_handoffs/${NAME}.md`, 'place', 'lies in active/'],
    ['a place of its own', `_handoffs/claude/${NAME}.md`, 'place', 'lies in active/'],
    ['a month that is none', `_handoffs/archived/2026/13/${NAME}.md`, 'place', 'lies in active/'],
    ['an open one in the archive', ARCHIVED, 'place', 'Active does not belong in archived/'],
  ])('D13: rejects %s', async (_what, path, rule, says) => {
    const found = await staged(makeRepository(), { [path]: SPEC_DOCUMENT });
    expect(found).toEqual([expect.stringContaining(` ${rule}: `)]);
    expect(found[0]).toContain(says);
  });

  it('D13: rejects a name that fits its id and not its fields, and knows the second of a day', async () => {
    const id = 'handoff-grok-claude-BPRD-2026-0042-20260222';
    const wrong = { [`_handoffs/active/${id}.md`]: documentWith({ handoff_id: id }) };
    expect(await staged(makeRepository(), wrong)).toEqual([
      `_handoffs/active/${id}.md:3:1 name: its fields make the name ${NAME}.md`,
    ]);
    const second = { [`_handoffs/active/${NAME}-2.md`]: documentWith({ handoff_id: `${NAME}-2` }) };
    expect(await staged(makeRepository(), second)).toEqual([]);
  });

  it('D13: names each missing or wrong field with its line and column', async () => {
    const text = documentWith({ to_agent: null, status: 'Started', created_at: 'yesterday', title: null });
    expect(await staged(makeRepository(), { [ACTIVE]: text })).toEqual([
      `${ACTIVE}:1:1 fields: to_agent: is missing`,
      `${ACTIVE}:1:1 fields: title: is missing`,
      expect.stringMatching(/:8:9 fields: status: a status is one of Created, Active/),
      expect.stringMatching(/:9:13 fields: created_at: /),
    ]);
  });

  it('D13: rejects what cannot be read at all where handoffs lie', async () => {
    const repository = makeRepository();
    repository.write('elsewhere.md', SPEC_DOCUMENT.replaceAll('grok', 'x'));
    repository.write(`_handoffs/active/.gitkeep`, '');
    symlinkSync('../../elsewhere.md', join(repository.folder, ACTIVE));
    repository.git('add', '_handoffs');
    const { complaints } = await repository.check('--staged');
    expect(complaints).toMatchObject([{ file: ACTIVE, rule: 'unreadable' }]);
  });

  it.each([
    ['Complete', 'Active', COMPLETE, SPEC_DOCUMENT],
    ['Complete', 'Rejected', COMPLETE, documentWith({ status: 'Rejected', rejection_reason: '{ type: unclear }' })],
    ['Expired', 'Acknowledged', documentWith({ status: 'Expired' }), documentWith({ status: 'Acknowledged' })],
    ['Active', 'Created', SPEC_DOCUMENT, documentWith({ status: 'Created' })],
    ['Acknowledged', 'Created', documentWith({ status: 'Acknowledged' }), documentWith({ status: 'Created' })],
  ])('D3, D13: rejects %s becoming %s', async (before, now, old, text) => {
    const repository = makeRepository();
    const place = (status: string): string =>
      ['Complete', 'Expired', 'Rejected'].includes(status) ? ARCHIVED : ACTIVE;
    repository.commit({ [place(before)]: old });
    repository.git('rm', '-q', place(before));
    const found = await staged(repository, { [place(now)]: text });
    expect(found).toEqual([`${place(now)}:9:1 transition: it was ${before} and cannot become ${now}`]);
  });

  it.each([
    ['Created', 'Active', documentWith({ status: 'Created' }), SPEC_DOCUMENT],
    ['Active', 'Acknowledged', SPEC_DOCUMENT, ACKNOWLEDGED],
    ['Active', 'Complete by several moves', SPEC_DOCUMENT, COMPLETE],
    ['Acknowledged', 'Active, given back', ACKNOWLEDGED, SPEC_DOCUMENT],
    ['Active', 'Expired', SPEC_DOCUMENT, EXPIRED],
  ])('D3, D13: lets %s become %s', async (_before, _now, old, text) => {
    const repository = makeRepository();
    const isOver = /^status: (?:Complete|Expired)/m.test(text);
    repository.commit({ [ACTIVE]: old });
    if (isOver) repository.git('rm', '-q', ACTIVE);
    expect(await staged(repository, { [isOver ? ARCHIVED : ACTIVE]: text })).toEqual([]);
  });

  it.each([
    ['Complete without evidence', documentWith({ ...DONE }), 'completion: nothing is shown for'],
    ['Complete by somebody who is no verifier', COMPLETE.replace('by: perplexity', 'by: mallory'), 'completion: '],
    ['an acknowledgement by somebody else', ACKNOWLEDGED.replace('by: claude', 'by: mallory'), 'completion: '],
    [
      'an acknowledgement by nobody',
      documentWith({ status: 'Acknowledged' }),
      'completion: acknowledged_by names nobody',
    ],
    ['one after the deadline', ACKNOWLEDGED.replace('T15:00:00Z', 'T19:00:00Z'), 'accepted after its deadline'],
    ['an expiry before the deadline', documentWith({ status: 'Expired' }), 'it expired before its deadline'],
    ['a deadline that was moved', documentWith({ expires_at: '2026-02-28T18:35:00Z' }), 'the deadline has changed'],
    [
      'an expiry with a deadline that was moved',
      documentWith({ status: 'Expired', expires_at: '2026-02-21T15:00:00Z', updated_at: '2026-02-21T15:00:00Z' }),
      'the deadline has changed',
    ],
    [
      'one after the deadline that was moved',
      ACKNOWLEDGED.replace('T15:00:00Z', 'T19:00:00Z').replace('T18:35:00Z', 'T19:30:00Z'),
      'accepted after its deadline',
    ],
  ])('D13, D17: refuses %s, as sync would elsewhere', async (_what, text, says) => {
    const repository = makeRepository();
    const isOver = /^status: (?:Complete|Expired)/m.test(text);
    repository.commit({ 'baton.yaml': 'verifiers: [perplexity]\n', [ACTIVE]: SPEC_DOCUMENT });
    if (isOver) repository.git('rm', '-q', ACTIVE);
    const found = await staged(repository, { [isOver ? ARCHIVED : ACTIVE]: text });
    expect(found).toEqual([expect.stringContaining(says)]);
  });

  it('D13, D17: refuses another name under an acknowledgement that was made, as sync would elsewhere', async () => {
    const repository = makeRepository();
    repository.commit({ [ACTIVE]: ACKNOWLEDGED });
    expect(await staged(repository, { [ACTIVE]: ACKNOWLEDGED.replace('by: claude', 'by: mallory') })).toEqual([
      expect.stringContaining('it says that @mallory accepted it, and only @claude can'),
    ]);
  });

  it('D13, D17: lets a correction through, and what the other side of a merge has', async () => {
    const repository = makeRepository();
    repository.commit({ [ACTIVE]: SPEC_DOCUMENT });
    repository.git('branch', 'other');
    repository.commit({ [ACTIVE]: documentWith({ status: 'Acknowledged' }) });
    // Sync puts back what nobody may do; that is the way from the last text that was right.
    expect(await staged(repository, { [ACTIVE]: SPEC_DOCUMENT })).toEqual([]);
    repository.commit({ [ACTIVE]: SPEC_DOCUMENT });
    repository.git('checkout', '-q', 'other');
    repository.git('rm', '-q', ACTIVE);
    repository.commit({ [ARCHIVED]: COMPLETE });
    repository.git('checkout', '-q', 'main');
    repository.git('merge', '-q', '--no-commit', '--no-ff', '-s', 'ours', 'other');
    repository.git('rm', '-q', ACTIVE);
    expect(await staged(repository, { [ARCHIVED]: COMPLETE })).toEqual([]);
  });

  it('D13: names the marks of a conflict, in a task too, and an index that a merge has made', async () => {
    const repository = makeRepository();
    repository.commit({ [ACTIVE]: SPEC_DOCUMENT });
    const marked = SPEC_DOCUMENT.replace(
      'status: Active',
      '<<<<<<< HEAD\nstatus: Active\n=======\nstatus: Expired\n>>>>>>> x',
    );
    const task = '---\nid: BPRD-2026-0042\n<<<<<<< HEAD\nstatus: Open\n=======\nstatus: Done\n>>>>>>> x\n---\n';
    const index = 'active_handoffs: []\n\ncounts_by_agent: {}\ncounts_by_agent: {}\n';
    const found = await staged(repository, {
      [ACTIVE]: marked,
      'tasks/BPRD-2026-0042.md': task,
      '_handoffs/_index.yaml': index,
    });
    expect(found).toEqual([
      expect.stringContaining('_index.yaml:1:1 index: the index is not the one of these documents'),
      expect.stringMatching(/active.*:9:1 conflict: the marks of a conflict of git/),
      'tasks/BPRD-2026-0042.md:3:1 conflict: the marks of a conflict of git that nobody has resolved',
    ]);
  });

  it('D13: rejects what changes what was agreed, except in a draft', async () => {
    const repository = makeRepository();
    repository.commit({ [ACTIVE]: SPEC_DOCUMENT });
    const less = documentWith({ title: '"Something else"' }).replace('  - "Documentation updated"\n', '');
    expect(await staged(repository, { [ACTIVE]: less })).toEqual([
      expect.stringContaining(':15:1 agreement: title was agreed'),
      expect.stringContaining(':24:1 agreement: deliverables was agreed'),
    ]);
    const draft = makeRepository();
    draft.commit({ [ACTIVE]: documentWith({ status: 'Created' }) });
    expect(await staged(draft, { [ACTIVE]: documentWith({ title: '"Something else"' }) })).toEqual([]);
  });

  it('D8, D13, D17: lets verify whom the document or a role names, and nobody who names himself', async () => {
    const named = { verifiers: '[qa]' };
    const done = (by: string, verifiers: string | null = '[qa]'): string =>
      COMPLETE.replace('by: perplexity', `by: ${by}`).replace(
        /\n---\n\n# Handoff/,
        verifiers === null ? '$&' : `\nverifiers: ${verifiers}$&`,
      );
    const found = async (before: string, text: string): Promise<readonly string[]> => {
      const repository = makeRepository();
      const configuration = 'verifiers: [perplexity]\nagents: { rita: { roles: [verifier] } }\n';
      repository.commit({ 'baton.yaml': configuration, [ACTIVE]: before });
      repository.git('rm', '-q', ACTIVE);
      return staged(repository, { [ARCHIVED]: text });
    };
    expect(await found(documentWith(named), done('qa'))).toEqual([]);
    expect(await found(documentWith(named), done('rita'))).toEqual([]);
    expect(await found(documentWith(named), done('mallory'))).toEqual([expect.stringContaining('may not verify')]);
    const says = [expect.stringContaining('agreement: verifiers was agreed when the handoff was made and has changed')];
    expect(await found(documentWith(named), done('mallory', '[qa, mallory]'))).toEqual(says);
    expect(await found(documentWith(), done('mallory', '[mallory]'))).toEqual(says);
    expect(await found(documentWith(named), done('perplexity', null))).toEqual(says);
    // A draft is its sender's to write.
    expect(await found(documentWith({ status: 'Created' }), done('qa'))).toEqual([]);
  });

  it('D8, D13: rejects the end of work for oneself that nobody else has verified', async () => {
    const repository = makeRepository();
    const own = { to_agent: 'grok', handoff_id: NAME.replace('claude', 'grok') };
    const path = (text: string): string => text.replace('claude', 'grok');
    repository.commit({ [path(ACTIVE)]: documentWith(own) });
    repository.git('rm', '-q', path(ACTIVE));
    const text = Object.entries(own).reduce(
      (all, [key, value]) => all.replace(new RegExp(`^${key}: .*`, 'm'), `${key}: ${value}`),
      COMPLETE,
    );
    const unverified = text
      .replace('acknowledged_by: claude', 'acknowledged_by: grok')
      .replace('by: perplexity', 'by: null');
    expect(await staged(repository, { [path(ARCHIVED)]: unverified })).toEqual([
      expect.stringContaining('completion:'),
    ]);
  });

  it.each([
    ['the sender', { completion_verified_by: 'grok' }, 'verified by @grok'],
    ['the doer', { completion_verified_by: 'Claude' }, 'verified by @claude'],
    ['nobody', { completion_verified_by: 'null' }, 'Complete without completion_verified_by'],
  ])('D8, D13: rejects a completion that was verified by %s', async (_who, change, says) => {
    const repository = makeRepository();
    repository.commit({ 'baton.yaml': 'verifiers: [perplexity]\n' });
    const text = Object.entries(change).reduce(
      (all, [key, value]) => all.replace(`${key}: perplexity`, `${key}: ${value}`),
      COMPLETE,
    );
    const found = await staged(repository, { [ARCHIVED]: text });
    expect(found).toEqual([expect.stringContaining(` completion: ${says}`)]);
  });

  it('D13: rejects that an open handoff is taken away, and not that it is settled', async () => {
    const repository = makeRepository();
    repository.commit({ [ACTIVE]: SPEC_DOCUMENT });
    repository.git('rm', '-q', ACTIVE);
    expect(await staged(repository, {})).toEqual([`${ACTIVE}:1:1 removed: an open handoff was taken away`]);
    expect(await staged(repository, { [ARCHIVED]: COMPLETE })).toEqual([]);
  });

  it('D5, D13: rejects one too many and blames only who adds it', async () => {
    const repository = makeRepository();
    const [one, two, three] = ['A-1', 'A-2', 'A-3'].map((task) => another('grok', 'claude', task));
    repository.commit({
      'baton.yaml': 'agents: { grok: { limits: { outgoing: 2 } } }\n',
      [one?.path ?? '']: one?.text ?? '',
      [two?.path ?? '']: two?.text ?? '',
    });
    const found = await staged(repository, { [three?.path ?? '']: three?.text ?? '' });
    expect(found).toEqual([`${three?.path}:1:1 limit: LIMIT_EXCEEDED: @grok has 3 active outgoing handoffs (max: 2)`]);
    // It came in past the hook: work on the others goes on, and the whole repository is told.
    repository.write(three?.path ?? '', three?.text ?? '');
    repository.commit({});
    const acknowledged = another('grok', 'claude', 'A-1', { status: 'Acknowledged', acknowledged_by: 'claude' });
    expect(await staged(repository, { [acknowledged.path]: acknowledged.text })).toEqual([]);
    repository.git('checkout', '-q', '-f', 'HEAD');
    const { complaints } = await repository.check();
    expect(complaints).toMatchObject([{ file: '_handoffs/active', rule: 'limit' }]);
  });

  it('D13: rejects the same content twice: to the byte, in both places, and as other words for the same', async () => {
    const repository = makeRepository();
    repository.commit({ [ARCHIVED]: COMPLETE, [`_handoffs/archived/2026/01/README.md`]: 'old\n' });
    const again = await staged(repository, { [`_handoffs/archived/2026/03/${NAME}.md`]: COMPLETE });
    expect(again).toEqual([
      expect.stringContaining(`duplicate: has the same content as "${ARCHIVED}"`),
      expect.stringContaining('place: it was settled in 2026/02'),
    ]);
    const open = makeRepository();
    open.commit({ [ACTIVE]: SPEC_DOCUMENT });
    const second = {
      [`_handoffs/active/${NAME}-2.md`]: documentWith({ handoff_id: `${NAME}-2`, created_at: '2026-02-21T14:31:00Z' }),
    };
    expect(await staged(open, second)).toEqual([
      `_handoffs/active/${NAME}-2.md:1:1 duplicate: asks for the same as "${ACTIVE}"`,
    ]);
  });
});
