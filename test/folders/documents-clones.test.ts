/** Clones that have decided differently, with real git between them: the shared history wins, and all of them follow. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HandoffId } from '../../src/domain/names.ts';
import { expire } from '../../src/domain/moves/reject-cancel-expire.ts';
import { SYSTEM } from '../../src/domain/principal.ts';
import { change, decideBy } from '../../src/engine/change.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { block, unblock } from '../../src/engine/handoffs/block.ts';
import { cancel } from '../../src/engine/handoffs/reject-and-cancel.ts';
import { startBaton, until } from '../support/processes.ts';
import { as, says, type DocumentsWorld } from './documents-world.ts';
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

describe('D17: nothing that Baton writes is in the way of git', () => {
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
