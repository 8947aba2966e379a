/**
 * Somebody pulls and acts at once, without a sync in between: their database knows less than the file that they see. Every
 * move is decided over what git has brought, so nothing that was legal is overruled a moment later.
 */
import { expect, it } from 'vitest';
import type { Result } from '../../src/foundation/result.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import type { Context } from '../../src/engine/context.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { activate } from '../../src/engine/handoffs/activate.ts';
import { block, unblock } from '../../src/engine/handoffs/block.ts';
import { claimByHand } from '../../src/engine/handoffs/claim.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { cancel, reject } from '../../src/engine/handoffs/reject-and-cancel.ts';
import { release } from '../../src/engine/handoffs/release.ts';
import { revise } from '../../src/engine/handoffs/revise.ts';
import { verify } from '../../src/engine/handoffs/verify.ts';
import { WITHOUT_POSTGRES } from '../support/private-postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { agentOf, as, type DocumentsWorld } from './documents-world.ts';
import { pull, push, twoClones, type Clones } from './two-clones.ts';

type Move = (ctx: Context, id: HandoffId) => Promise<Result<Handoff, unknown>>;

const MOVES = {
  activate: (ctx, id) => activate(ctx, as('grok'), id),
  retitle: (ctx, id) => revise(ctx, as('grok'), id, { title: 'Another title' }),
  revise: (ctx, id) => revise(ctx, as('grok'), id, { inputFields: { purpose: 'another purpose' } }),
  accept: (ctx, id) => accept(ctx, as('claude'), id),
  release: (ctx, id) => release(ctx, as('claude'), id, null),
  deliver: (ctx, id) => {
    const evidence = [{ deliverable: 'code', kind: 'file', value: 'done.txt' } as const];
    return deliver(ctx, as('claude'), { target: id, fence: null, result: null, evidence });
  },
  verify: (ctx, id) =>
    verify(ctx, agentPrincipal(agentOf('perplexity'), ['verifier']), {
      id,
      criteria: [{ criterion: 'works', says: 'it does' }],
    }),
  reject: (ctx, id) => reject(ctx, as('claude'), id, { type: 'workload', reason: 'too much' }),
  cancel: (ctx, id) => cancel(ctx, as('grok'), id, 'not wanted'),
  block: (ctx, id) => block(ctx, as('claude'), id, null, 'Which one?'),
  answer: (ctx, id) => unblock(ctx, as('grok'), id, 'That one.'),
} as const satisfies Record<string, Move>;

type Name = keyof typeof MOVES;

/** What both know; what the other one does, commits and pushes; what is done after the pull; and where that leads. */
// oxfmt-ignore
const CASES = [
  { known: [],                                         there: ['activate'],           here: 'accept',   ends: 'accepted' },
  { known: [],                                         there: ['retitle'],            here: 'activate', ends: 'offered' },
  { known: [],                                         there: ['retitle'],            here: 'revise',   ends: 'draft' },
  { known: ['activate'],                               there: ['accept'],             here: 'deliver',  ends: 'delivered' },
  { known: ['activate'],                               there: ['accept'],             here: 'cancel',   ends: 'cancelled' },
  { known: ['activate'],                               there: ['accept'],             here: 'reject',   ends: 'rejected' },
  { known: ['activate'],                               there: ['accept'],             here: 'block',    ends: 'blocked' },
  { known: ['activate'],                               there: ['cancel'],             here: 'accept',   ends: 'cancelled', refused: true },
  { known: ['activate', 'accept'],                     there: ['release'],            here: 'accept',   ends: 'accepted' },
  { known: ['activate'],                               there: ['accept', 'release'],  here: 'accept',   ends: 'accepted' },
  { known: ['activate', 'accept'],                     there: ['block'],              here: 'answer',   ends: 'offered' },
  { known: ['activate', 'accept'],                     there: ['deliver'],            here: 'verify',   ends: 'completed' },
] as const satisfies readonly {
  readonly known: readonly Name[];
  readonly there: readonly Name[];
  readonly here: Name;
  readonly ends: string;
  readonly refused?: true;
}[];

const TERMS = { deliverables: ['code'], criteria: ['works'] };

async function makeAll({ ctx }: DocumentsWorld, id: HandoffId, moves: readonly Name[]): Promise<void> {
  for (const move of moves) expect({ move, ...(await MOVES[move](ctx, id)) }).toMatchObject({ move, ok: true });
}

it('D17: every move after a pull without a sync is decided over what git has brought, and stays', async () => {
  const { a, b } = await twoClones();
  const ids: HandoffId[] = [];
  for (const { known } of CASES) {
    const id = await a.create(TERMS);
    await makeAll(a, id, known);
    ids.push(id);
  }
  push(a, 'known to both');
  await pull(b);
  for (const [index, { there }] of CASES.entries()) await makeAll(b, ids[index] as HandoffId, there);
  push(b, 'what the other one did');
  a.git('pull', '-q', '--no-rebase');

  for (const [index, { here, ends, known, there, ...rest }] of CASES.entries()) {
    const id = ids[index] as HandoffId;
    const { ok } = await MOVES[here](a.ctx, id);
    const isOverruled = (await a.by(id)).some((fact) => fact.startsWith('supersede'));
    const said = `${known.join(', ')} | ${there.join(', ')} | ${here}`;
    expect({ said, ok, ends: await a.state(id), isOverruled }).toEqual({
      said,
      ok: !('refused' in rest),
      ends,
      isOverruled: false,
    });
  }

  push(a, 'after the pull');
  await pull(b);
  await a.sync(true);
  for (const [index, { ends }] of CASES.entries()) {
    const id = ids[index] as HandoffId;
    expect([id, await a.state(id), await b.state(id)]).toEqual([id, ends, ends]);
    expect(a.text(id)).toBe(b.text(id));
  }
  expect(a.git('status', '--porcelain') + b.git('status', '--porcelain')).toBe('');
  const both = ids[2] as HandoffId;
  expect(b.fields(both)).toMatchObject({ title: 'Another title', purpose: 'another purpose' });
});

const server = await sharedPostgres();

it('D17: a document that only a pull has brought is taken in by whoever accepts or claims it', async () => {
  expect(await acceptedAndClaimed(await twoClones())).toEqual(['claude', 'claude']);
});

it.skipIf(server === null)(
  `D17: the same on PostgreSQL${server === null ? ` (${WITHOUT_POSTGRES})` : ''}`,
  async () => {
    const clones = await twoClones(await server?.createDatabase('pulled_without_sync'));
    expect(await acceptedAndClaimed(clones)).toEqual(['claude', 'claude']);
  },
);

/** By whom both are acknowledged, as their files tell it. */
async function acceptedAndClaimed({ a, b }: Clones): Promise<readonly unknown[]> {
  await pull(b);
  const ids = [await a.create(TERMS), await a.create(TERMS)] as const;
  for (const id of ids) await makeAll(a, id, ['activate']);
  push(a, 'two new ones');
  b.git('pull', '-q', '--no-rebase');
  expect(await MOVES.accept(b.ctx, ids[1])).toMatchObject({ ok: true, value: { state: 'accepted' } });
  const claimed = await claimByHand(b.ctx, as('claude'), agentOf('claude'));
  expect(claimed?.handoff).toMatchObject({ id: ids[0], state: 'accepted' });
  return ids.map((id) => b.fields(id)['acknowledged_by']);
}
