import { appendFileSync, chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { editDocument } from '../../src/formats/document/edit.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { reject } from '../../src/engine/handoffs/reject-and-cancel.ts';
import { verify } from '../../src/engine/handoffs/verify.ts';
import { BATON, tempFolder } from '../support/processes.ts';
import { commit, pull, push, twoClones } from './two-clones.ts';
import { as, documentsWorld, ON, says, type DocumentsWorld } from './documents-world.ts';

const dirt = (world: DocumentsWorld): string => world.git('status', '--porcelain');
const good = (answer: { readonly ok: boolean }): void => expect(answer).toMatchObject({ ok: true });

async function finish({ ctx }: DocumentsWorld, id: Awaited<ReturnType<DocumentsWorld['create']>>): Promise<void> {
  const evidence = ['code', 'tests'].map((deliverable) => ({ deliverable, kind: 'file', value: 'done.txt' }) as const);
  good(await deliver(ctx, as('claude'), { target: id, fence: null, result: null, evidence }));
  good(await verify(ctx, as('perplexity'), { id, criteria: [{ criterion: 'works', says: 'seen' }], notes: 'fine' }));
}

describe('D16: two clones of one repository', () => {
  it('D1, D8: one agent works in each, from the draft to the archive, and no file is ever changed twice', async () => {
    const { a, b } = await twoClones();
    const id = await a.at('offered');
    push(a, 'a new handoff');
    await pull(b);
    expect(await b.state(id)).toBe('offered');
    expect(dirt(b)).toBe('');

    good(await accept(b.ctx, as('claude'), id, { notes: 'mine' }));
    push(b, 'accepted');
    await pull(a);
    expect(await a.state(id)).toBe('accepted');
    expect(dirt(a)).toBe('');

    await finish(b, id);
    push(b, 'done');
    expect(b.git('show', '-M', '--name-status', '--format=', 'HEAD')).toMatch(
      /^R\d+\t_handoffs\/active\/\S+\t_handoffs\/archived\//m,
    );
    await pull(a);
    expect(await a.state(id)).toBe('completed');
    expect(a.place(id)).toMatch(/^\d{4}\/\d{2}$/);
    expect(dirt(a)).toBe('');
    expect(a.text(id)).toBe(b.text(id));
    expect(a.index()).toBe(b.index());
    expect(await a.by(id)).toEqual([
      'create by @grok',
      'offer by @grok',
      'accept by git:claude@example.org as @claude',
      'deliver by git:claude@example.org as @claude',
      'verify by git:claude@example.org as @perplexity',
    ]);
    expect((await b.by(id))[0]).toBe('create by git:grok@example.org as @grok');
    expect([...says(a, 'document-adopted'), ...says(b, 'document-adopted')]).toEqual([
      'offered → accepted',
      'accepted → completed',
      'new → offered',
    ]);
    expect([...says(a, 'document-refused'), ...says(a, 'document-left')]).toEqual([]);
  });

  it('a branch that is behind changes nothing, and a branch without the file has not deleted it', async () => {
    const { a } = await twoClones();
    a.git('branch', 'before');
    const id = await a.at('offered');
    commit(a, 'offered');
    a.git('branch', 'behind');
    good(await accept(a.ctx, as('claude'), id));
    const accepted = a.text(id);
    commit(a, 'accepted');

    for (const branch of ['behind', 'before', 'main', 'before', 'behind', 'main']) {
      a.git('checkout', '-q', branch);
      await a.sync();
      expect({ branch, state: await a.state(id), dirt: dirt(a) }).toEqual({ branch, state: 'accepted', dirt: '' });
      expect(a.place(id)).toBe(branch === 'before' ? null : 'active');
    }
    expect(a.text(id)).toBe(accepted);
    expect(says(a, 'document-refused')).toEqual([]);

    await finish(a, id);
    commit(a, 'done');
    a.git('checkout', '-q', 'behind');
    await a.sync();
    expect({ state: await a.state(id), dirt: dirt(a), place: a.place(id) }).toEqual({
      state: 'completed',
      dirt: '',
      place: 'active',
    });
    expect(says(a, 'document-left')[0]).toContain('the handoff is completed, and what is checked out tells Active');
  });

  it('what happens while a file is not checked out is told when it is', async () => {
    const { a } = await twoClones();
    const id = await a.at('offered');
    commit(a, 'offered');
    a.git('checkout', '-q', '-b', 'elsewhere');
    good(await accept(a.ctx, as('claude'), id));
    expect(a.fields(id)).toMatchObject({ status: 'Acknowledged' });
    commit(a, 'accepted on a branch');
    a.git('checkout', '-q', 'main');
    await a.sync();
    expect(a.fields(id)).toMatchObject({ status: 'Active' });
    await finish(a, id);
    expect(a.fields(id)).toMatchObject({ status: 'Complete', completion_verified_by: 'perplexity' });
  });

  it('a rebase loses nothing, and nothing is written while it is open', async () => {
    const { a, b } = await twoClones();
    const id = await a.at('offered');
    push(a, 'a new handoff');
    await pull(b);
    good(await accept(b.ctx, as('claude'), id, { notes: 'mine' }));
    commit(b, 'accepted');
    const other = await a.at('offered');
    push(a, 'another one');
    b.git('pull', '-q', '--rebase');
    await b.sync();
    expect([await b.state(id), await b.state(other)]).toEqual(['accepted', 'offered']);
    expect(b.fields(id)).toMatchObject({ status: 'Acknowledged', acknowledgment_notes: 'mine' });
    // Both have changed the index, and it is made from the documents again.
    expect(b.index()).toContain(`- id: ${other}\n`);
    push(b, 'index');
    await pull(a);
    expect(await a.state(id)).toBe('accepted');
    expect(dirt(a)).toBe('');
  });

  it('two that decided differently meet in a real conflict: nothing is overwritten, and it is said', async () => {
    const { a, b } = await twoClones();
    const id = await a.at('offered');
    push(a, 'a new handoff');
    await pull(b);
    good(await accept(b.ctx, as('claude'), id, { notes: 'mine' }));
    push(b, 'accepted');
    good(await reject(a.ctx, as('claude'), id, { type: 'workload', reason: 'too much' }));
    commit(a, 'rejected');
    const rejected = a.text(id);
    expect(() => a.git('pull', '-q', '--no-rebase')).toThrow(/./);
    const conflicted = a.git('diff', '--name-only', '--diff-filter=U').trim().split('\n');
    expect(conflicted.join()).toContain(`${id}.md`);

    const inTheMiddle = await a.create();
    await a.sync();
    expect(says(a, 'documents-paused')).toEqual(['a merge is not finished; documents wait until it is']);
    expect(a.place(inTheMiddle)).toBeNull();
    expect(a.git('diff', '--name-only', '--diff-filter=U').trim().split('\n')).toEqual(conflicted);
    expect(await a.state(id)).toBe('rejected');

    // Somebody decides: the rejection stands.
    for (const name of a
      .git('ls-files', '-u', '-z')
      .split('\0')
      .flatMap((line) => line.split('\t')[1] ?? [])) {
      if (existsSync(join(a.folder, name)) && name.includes('/active/')) a.git('rm', '-qf', '--cached', name);
    }
    const path = a
      .git('log', '-1', '--format=', '--name-only', '--diff-filter=AR', 'HEAD', '--', '_handoffs/archived')
      .trim();
    writeFileSync(join(a.folder, path), rejected);
    a.git('add', '-A');
    a.git('commit', '-qm', 'merged: rejected');
    a.git('push', '-q', 'origin', 'HEAD:main');
    await a.sync();
    expect(a.place(inTheMiddle)).toBe('active');
    expect(await a.state(id)).toBe('rejected');
    expect(a.text(id)).toBe(rejected);

    await pull(b);
    expect(await b.state(id)).toBe('rejected');
    expect(b.text(id)).toBe(rejected);
    expect(says(b, 'document-adopted').at(-1)).toBe('accepted → rejected');
  });

  it('D17: what others have already wins over what was decided here and never committed', async () => {
    const { a, b } = await twoClones();
    const id = await a.at('offered');
    push(a, 'a new handoff');
    await pull(b);
    good(await reject(b.ctx, as('claude'), id, { type: 'workload', reason: 'too much' }));
    good(await accept(a.ctx, as('claude'), id));
    push(a, 'accepted');
    const theirs = a.text(id);
    b.git('checkout', '-q', '--', '.');
    b.git('clean', '-qfd', '_handoffs');
    await pull(b);
    expect(await b.state(id)).toBe('accepted');
    expect(b.text(id)).toBe(theirs);
    expect(dirt(b)).toBe('');
    expect(await b.by(id)).toEqual([
      'create by git:grok@example.org as @grok',
      'reject by @claude',
      'supersede by git:grok@example.org as system',
      'accept by git:grok@example.org as @claude',
    ]);
    expect(says(b, 'document-adopted').at(-1)).toContain('rejected → accepted; the shared history overrules');
  });
});

describe('a commit that goes too far', () => {
  it('D8: cannot verify its own work either', async () => {
    const { a } = await twoClones();
    const id = await a.at('delivered');
    commit(a, 'delivered');
    const checks = [{ criterion: 'works', status: 'met' }];
    const now = new Date(Date.now() + 5_000).toISOString();
    a.edit(id, { status: 'Complete', completion_verified_by: 'claude', criteria_checks: checks, updated_at: now });
    commit(a, 'done by myself');
    await a.sync();
    expect(await a.state(id)).toBe('delivered');
    expect(a.fields(id)).toMatchObject({ status: 'Acknowledged', completion_verified_by: null });
    expect(says(a, 'document-refused')[0]).toContain('nobody verifies their own work');
  });

  it('takes no step of a way that is not legal to its end', async () => {
    const { a } = await twoClones();
    const id = await a.at('offered');
    commit(a, 'offered');
    const now = new Date(Date.now() + 5_000).toISOString();
    a.edit(id, {
      status: 'Complete',
      acknowledged_by: 'claude',
      completion_verified_by: 'perplexity',
      updated_at: now,
    });
    commit(a, 'complete without anything to show');
    const committed = a.text(id);
    await a.sync();
    expect(await a.state(id)).toBe('offered');
    expect(a.text(id)).toBe(committed);
    expect(says(a, 'document-left')[0]).toContain('nothing is shown for code, tests');
  });

  it('runs nothing: neither a setting of the repository nor evidence', async () => {
    const a = await documentsWorld(undefined, `${ON}evidence: { commands: allow }\n`);
    a.git('init', '-q');
    const trap = join(a.folder, 'trap.sh');
    const mark = join(a.folder, '.baton', 'trapped');
    writeFileSync(trap, `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(trap, 0o755);
    for (const key of ['core.fsmonitor', 'core.pager', 'diff.external', 'gpg.program']) a.git('config', key, trap);
    appendFileSync(join(a.folder, '.git', 'config'), `[core]\n\thooksPath = ${a.folder}\n`);
    const id = await a.at('accepted', { deliverables: ['code'], criteria: [] });
    const shown = [{ deliverable: 'code', status: 'done', evidence: `command:sh ${trap}` }];
    const now = new Date(Date.now() + 5_000).toISOString();
    const text = editDocument(a.text(id), { deliverable_status: shown, updated_at: now });
    a.write(`${id}.md`, text);
    a.git('-c', 'core.fsmonitor=', '-c', 'core.hooksPath=/dev/null', 'add', '_handoffs');
    a.git('-c', 'core.fsmonitor=', '-c', 'core.hooksPath=/dev/null', 'commit', '-qm', 'x');
    await a.sync();
    expect(await a.state(id)).toBe('delivered');
    expect(existsSync(mark)).toBe(false);
    expect((await a.ctx.store.load(id))?.handoff.claims).toEqual([
      { deliverable: 'code', evidence: [{ kind: 'note', text: `command:sh ${trap}` }] },
    ]);
  });
});

describe('where git is in the middle of something', () => {
  it.each(['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'rebase-merge', 'index.lock'])('%s: files wait', async (name) => {
    const { a } = await twoClones();
    const id = await a.at('offered');
    const text = a.text(id);
    writeFileSync(join(a.folder, '.git', name), '');
    good(await accept(a.ctx, as('claude'), id));
    await a.sync();
    expect(a.text(id)).toBe(text);
    rmSync(join(a.folder, '.git', name));
    await a.sync();
    expect(a.fields(id)).toMatchObject({ status: 'Acknowledged' });
  });

  it.each([
    ['post-merge', '--no-rebase'],
    ['post-rewrite', '--rebase'],
  ])('D17: the hook %s takes in what a pull %s has brought, though git still keeps its notes', async (hook, way) => {
    const { a, b } = await twoClones();
    const id = await a.at('offered');
    push(a, 'a new handoff');
    await pull(b);
    good(await accept(b.ctx, as('claude'), id));
    push(b, 'accepted');
    writeFileSync(join(a.folder, 'mine.txt'), 'mine');
    commit(a, 'something else meanwhile');
    const path = join(a.folder, '.git', 'hooks', hook);
    writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${BATON}' sync --quiet\n`);
    chmodSync(path, 0o755);
    a.git('pull', '-q', way);
    expect([await a.state(id), dirt(a)]).toEqual(['accepted', '']);
  });

  it('sees it from a worktree too, where .git is a file', async () => {
    const { a } = await twoClones();
    const tree = join(tempFolder(), 'tree');
    a.git('worktree', 'add', '-q', tree, '-b', 'side');
    const world = await documentsWorld(tree);
    const id = await world.at('offered');
    const text = world.text(id);
    const gitFolder = /gitdir: (.*)/.exec(readFileSync(join(tree, '.git'), 'utf8'))?.[1] ?? '';
    writeFileSync(join(gitFolder, 'MERGE_HEAD'), '');
    good(await accept(world.ctx, as('claude'), id));
    expect(world.text(id)).toBe(text);
  });
});
