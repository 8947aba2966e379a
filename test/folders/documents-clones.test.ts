/** Clones that have decided differently, with real git between them: the shared history wins, and all of them follow. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { expire } from '../../src/domain/moves/reject-cancel-expire.ts';
import { SYSTEM } from '../../src/domain/principal.ts';
import { readDocument } from '../../src/formats/document/read.ts';
import { change, decideBy } from '../../src/engine/change.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { block, unblock } from '../../src/engine/handoffs/block.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { cancel } from '../../src/engine/handoffs/reject-and-cancel.ts';
import { revise } from '../../src/engine/handoffs/revise.ts';
import { verify } from '../../src/engine/handoffs/verify.ts';
import { checkRepository } from '../../src/adapters/guard/check-repository.ts';
import { startBaton, until } from '../support/processes.ts';
import { agentOf, as, says, type DocumentsWorld } from './documents-world.ts';
import { commit, pull, push, twoClones } from './two-clones.ts';

const dirt = (world: DocumentsWorld): string => world.git('status', '--porcelain');
const good = (answer: { readonly ok: boolean }): void => expect(answer).toMatchObject({ ok: true });

/** As if its four hours were over by the clock of this clone. */
async function timeIsUp({ ctx }: DocumentsWorld, id: HandoffId): Promise<void> {
  const over = decideBy(SYSTEM, 'expire', (handoff, nowMs) => ({ deed: 'expire', moved: expire(handoff, nowMs) }));
  good(await change(ctx, id, over));
}

describe('D17: two clones that decided differently', () => {
  it('an acknowledgement made in time elsewhere wins over our clock, and nothing has to be done for it', async () => {
    const { a, b } = await twoClones();
    const id = await a.at('offered');
    push(a, 'a new handoff');
    await pull(b);
    await timeIsUp(a, id);
    await a.sync(true);
    expect(a.place(id)).toMatch(/^\d{4}/);
    good(await accept(b.ctx, as('claude'), id, { notes: 'in time' }));
    push(b, 'accepted');
    await pull(a);
    expect([await a.state(id), a.place(id), dirt(a)]).toEqual(['accepted', 'active', '']);
    expect(a.text(id)).toBe(b.text(id));
    expect(await a.by(id)).toEqual([
      'create by @grok',
      'offer by @grok',
      'expire by system',
      'supersede by git:claude@example.org as system',
      'accept by git:claude@example.org as @claude',
    ]);
    await a.sync(true);
    expect([await a.state(id), dirt(a)]).toEqual(['accepted', '']);
    expect(says(a, 'document-left')).toEqual([]);
  });

  it('cancelled here and accepted there: whoever was first in the shared history wins in both', async () => {
    const { a, b } = await twoClones();
    const id = await a.at('offered');
    push(a, 'a new handoff');
    await pull(b);
    good(await accept(b.ctx, as('claude'), id));
    push(b, 'accepted');
    good(await cancel(a.ctx, as('grok'), id, 'not wanted'));
    commit(a, 'cancelled');
    // Git calls it a conflict; the other side was first.
    expect(() => a.git('pull', '-q', '--no-rebase')).toThrow(/./);
    a.git('checkout', '-q', 'origin/main', '--', '_handoffs');
    a.git('rm', '-rq', '--cached', '--ignore-unmatch', '_handoffs/archived');
    a.git('clean', '-qfd', '_handoffs/archived');
    a.git('add', '-A');
    a.git('commit', '-qm', 'merged: accepted');
    await a.sync(true);
    a.git('push', '-q', 'origin', 'HEAD:main');
    await pull(b);
    expect([await a.state(id), await b.state(id)]).toEqual(['accepted', 'accepted']);
    expect(a.text(id)).toBe(b.text(id));
    expect([dirt(a), dirt(b)]).toEqual(['', '']);
  });

  it('a question and its answer travel with the document', async () => {
    const { a, b } = await twoClones();
    const id = await a.at('accepted');
    good(await block(a.ctx, as('claude'), id, null, 'Which login page?'));
    expect(a.fields(id)).toMatchObject({ status: 'Active', open_question: 'Which login page?' });
    push(a, 'asked');
    await pull(b);
    expect((await b.ctx.store.load(id))?.handoff).toMatchObject({
      state: 'blocked',
      blockedOn: { reason: 'question', text: 'Which login page?' },
    });
    good(await unblock(b.ctx, as('grok'), id, 'The one for guests.'));
    const answered = { question: 'Which login page?', answer: 'The one for guests.', by: 'grok' };
    expect(b.fields(id)).toMatchObject({ open_question: null, question_answer: answered });
    push(b, 'answered');
    await pull(a);
    expect([await a.state(id), dirt(a)]).toEqual(['offered', '']);
    const facts = await a.ctx.store.facts({ handoff: id, max: 100 });
    expect(facts.at(-1)?.fact.detail).toBe('{"answer":"The one for guests."}');
  });

  it('a clock alone never makes a tree dirty; whoever asks for it gets it written down', async () => {
    const { a } = await twoClones();
    const id = await a.at('offered');
    commit(a, 'offered');
    await a.sync();
    const over = decideBy(SYSTEM, 'expire', (handoff, nowMs) => ({ deed: 'expire', moved: expire(handoff, nowMs) }));
    // As a sweep does it: nobody looks at the file.
    await a.ctx.store.change([id], over);
    await a.sync();
    expect([await a.state(id), a.place(id), dirt(a)]).toEqual(['expired', 'active', '']);
    await a.sync(true);
    expect([a.place(id)?.slice(0, 4), a.fields(id)['status']]).toEqual([
      String(new Date().getUTCFullYear()),
      'Expired',
    ]);
  });
});

/** Every commit is one that the guard lets through. */
async function guarded(world: DocumentsWorld, message: string): Promise<void> {
  world.git('add', '-A');
  const asked = { folder: world.folder, staged: true, since: null, paths: [], keys: [] };
  expect((await checkRepository(asked)).complaints).toEqual([]);
  push(world, message);
}

/** Somebody writes into the document that he may verify it, and that he has. */
function forge(world: DocumentsWorld, id: HandoffId): void {
  const at = present(readDocument(world.text(id)).fields.updated_at, 'it tells when');
  const forged = {
    verifiers: ['perplexity', 'mallory'],
    status: 'Complete',
    completed_at: at,
    completion_verified_by: 'mallory',
    criteria_checks: [{ criterion: 'works', status: 'met' }],
  };
  world.edit(id, forged);
  const archive = `_handoffs/archived/${at.slice(0, 7).replace('-', '/')}`;
  mkdirSync(join(world.folder, archive), { recursive: true });
  world.git('add', '-A');
  world.git('mv', `_handoffs/active/${id}.md`, archive);
}

describe('D8, D17: the verifiers of one document', () => {
  const NAMED = { deliverables: ['code'], criteria: ['works'], verifiers: [agentOf('qa')] };
  const criteria = [{ criterion: 'works', says: 'it does' }];

  it('are known in every clone, with those of the workspace', async () => {
    const { a, b } = await twoClones();
    const id = await a.at('delivered', NAMED);
    const plain = await a.create();
    expect(a.fields(id)['verifiers']).toEqual(['perplexity', 'qa']);
    await guarded(a, 'delivered');
    await pull(b);
    expect(await verify(b.ctx, as('mallory'), { id, criteria })).toMatchObject({ ok: false });
    good(await verify(b.ctx, as('qa'), { id, criteria }));
    // A draft is revised, and its file with it; nobody but the workspace is left.
    good(await revise(b.ctx, as('grok'), plain, { terms: { verifiers: [agentOf('qa')] } }));
    await guarded(b, 'verified');
    await pull(a);
    expect([await a.state(id), a.place(id) === 'active', dirt(a)]).toEqual(['completed', false, '']);
    expect((await a.by(id)).at(-1)).toBe('verify by git:claude@example.org as @qa');
    const verifiersIn = async ({ ctx }: DocumentsWorld): Promise<unknown> =>
      (await ctx.store.load(plain))?.handoff.terms.verifiers;
    expect(await verifiersIn(a)).toEqual(['perplexity', 'qa']);
    a.edit(plain, { verifiers: null });
    await a.sync();
    await guarded(a, 'nobody else');
    await pull(b);
    expect([await verifiersIn(a), await verifiersIn(b)]).toEqual([['perplexity'], ['perplexity']]);
    expect([dirt(a), dirt(b)]).toEqual(['', '']);
  });

  it('are nobody’s to change once it is on offer: who adds himself and verifies is put back', async () => {
    const { a, b } = await twoClones();
    const id = await a.at('delivered', { deliverables: ['code'], criteria: ['works'] });
    await guarded(a, 'delivered');
    await pull(b);
    const before = a.text(id);
    forge(b, id);
    push(b, 'forged');
    // The hook of git looks first, and leaves it for whoever asks.
    await pull(a);
    await a.sync();
    expect([await a.state(id), dirt(a)]).toEqual(['delivered', '']);
    await a.sync(true);
    expect([await a.state(id), a.place(id), a.text(id)]).toEqual(['delivered', 'active', before]);
    expect(says(a, 'document-refused')).toEqual([expect.stringContaining('verifiers was agreed')]);
    await guarded(a, 'put back');
    await pull(b);
    expect([await b.state(id), b.text(id), dirt(b)]).toEqual(['delivered', before, '']);
  });

  it('are judged by the whole history where the document is new: a forged end is not taken in', async () => {
    const { a, b } = await twoClones();
    await b.sync();
    const id = await a.at('delivered', { deliverables: ['code'], criteria: ['works'] });
    await guarded(a, 'delivered');
    forge(a, id);
    push(a, 'forged');
    await pull(b);
    expect(await b.state(id)).toBe(null);
    expect(says(b, 'document-left')).toEqual([expect.stringContaining('verifiers was agreed')]);
  });
});

describe('D17: nothing that Baton writes is in the way of git', () => {
  it('what a stash takes out of a document and brings back is told as before', async () => {
    const { a } = await twoClones();
    const id = await a.at('offered');
    commit(a, 'offered');
    good(await accept(a.ctx, as('claude'), id));
    const text = a.text(id);
    a.git('stash', '-q');
    await a.sync();
    expect([await a.state(id), dirt(a)]).toEqual(['accepted', '']);
    a.git('stash', 'pop', '-q');
    await a.sync();
    expect([a.text(id), says(a, 'document-refused')]).toEqual([text, []]);
    // Dropped, it is told with what happens next.
    a.git('stash', '-q');
    await a.sync();
    const evidence = ['code', 'tests'].map(
      (deliverable) => ({ deliverable, kind: 'file', value: 'done.txt' }) as const,
    );
    good(await deliver(a.ctx, as('claude'), { target: id, fence: null, result: null, evidence }));
    expect(a.fields(id)).toMatchObject({ status: 'Acknowledged', acknowledged_by: 'claude' });
    await guarded(a, 'delivered');
  });

  it('a new document in a stash stays there until it is taken out, and comes back where the stash is dropped', async () => {
    const { a } = await twoClones();
    const id = await a.create();
    const text = a.text(id);
    a.git('stash', '-qu');
    for (const asked of [false, true]) await a.sync(asked);
    expect(a.place(id)).toBe(null);
    a.git('stash', 'pop', '-q');
    await a.sync();
    expect([a.text(id), says(a, 'document-refused')]).toEqual([text, []]);
    a.git('stash', '-qu');
    a.git('stash', 'drop', '-q');
    await a.sync();
    expect(a.text(id)).toBe(text);
  });

  it('switch, pull, rebase, stash and merge all pass while somebody works', async () => {
    const { a, b } = await twoClones();
    a.git('rm', '-rq', '--cached', '--ignore-unmatch', '_handoffs/_index.yaml');
    a.git('branch', '-f', 'before');
    await a.at('offered');
    push(a, 'a new handoff');
    const worker = startBaton(['work', 'idle', '--', 'cat'], { cwd: a.folder });
    const taken = join(a.folder, '.baton', 'documents', 'tips');
    /** Whoever works has looked at what is checked out, and so had every reason to write. */
    const looked = async (): Promise<void> => {
      await until('whoever works has taken in what is checked out', async () => {
        const tips = existsSync(taken) ? readFileSync(taken, 'utf8').trim().split('\n') : [];
        return tips.at(-1) === a.git('rev-parse', 'HEAD').trim() || null;
      });
      expect(dirt(a)).toBe('');
    };
    await looked();
    expect(existsSync(join(a.folder, '_handoffs', '_index.yaml'))).toBe(true);
    for (const branch of ['before', 'main', 'before', 'main']) {
      a.git('switch', '-q', branch);
      await looked();
    }
    await pull(b);
    await b.at('offered');
    push(b, 'another one');
    a.git('pull', '-q', '--no-rebase');
    await looked();
    writeFileSync(join(b.folder, 'other.txt'), 'b\n');
    push(b, 'something else');
    writeFileSync(join(a.folder, 'mine.txt'), 'a\n');
    commit(a, 'mine');
    a.git('pull', '-q', '--rebase');
    await looked();
    writeFileSync(join(a.folder, 'mine.txt'), 'not yet\n');
    a.git('stash', '-q');
    await looked();
    a.git('stash', 'pop', '-q');
    a.git('checkout', '-q', '--', 'mine.txt');
    a.git('switch', '-q', '-c', 'side', 'before');
    writeFileSync(join(a.folder, 'side.txt'), 's\n');
    commit(a, 'on the side');
    await looked();
    a.git('switch', '-q', 'main');
    a.git('merge', '-q', 'side', '-m', 'merged');
    await looked();
    worker.signal('SIGTERM');
    await worker.ended;
  });
});
