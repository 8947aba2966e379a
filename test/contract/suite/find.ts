/** Finding records. */
import { describe, expect, it } from 'vitest';
import { MANUAL_LEASE_MS } from '../../../src/domain/deadlines.ts';
import { NO_LIMITS } from '../../../src/domain/limits.ts';
import type { State } from '../../../src/domain/lifecycle.ts';
import { BadCursor, type Query, type Store } from '../../../src/stores/store.ts';
import {
  acceptBy,
  acceptByHand,
  agentOf,
  cancelled,
  deliverAndVerify,
  FAR_AHEAD,
  idOf,
  LONG_AGO,
  openingOf,
  openingsOf,
  releaseBy,
  sessionOf,
} from '../builders.ts';
import { ALL, put, recordOf, valueOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

/** Longer than any clock of these records. */
const YEARS_MS = 5 * 365 * 24 * 60 * 60_000;

type Filter = Omit<Extract<Query, { readonly by: 'filter' }>, 'by' | 'max'>;

async function found(store: Store, query: Query): Promise<readonly string[]> {
  return (await store.find(query)).items.map((item) => item.id);
}

async function filtered(store: Store, filter: Filter): Promise<readonly string[]> {
  return found(store, { by: 'filter', max: ALL, ...filter });
}

export function describeFind(open: OpenStore): void {
  describe('find', () => {
    it('by short id answers the ids that Baton made and whose random part begins so, and no others', async () => {
      const { store } = await open();
      const made = 'hoff-01a1ea4e-7564-74e2-811f-bfb87f7f60b5';
      const like = 'hoff-01a1ea4e-7564-74e2-811f-bfb87f000000';
      await put(
        store,
        ...[made, like, 'hoff-01a1ea4e-7564-74e2-811f-0bfb87f7f60b', 'bfb87f', 'hoff-bfb87f'].map((id) =>
          openingOf({ id }),
        ),
      );
      expect(await found(store, { by: 'short-id', short: 'bfb87f', max: 5 })).toEqual([made, like]);
      expect(await found(store, { by: 'short-id', short: 'bfb87f', max: 1 })).toEqual([made]);
      expect(await found(store, { by: 'short-id', short: 'BFB87F7', max: 5 })).toEqual([made]);
      expect(await found(store, { by: 'short-id', short: '01a1ea4e', max: 5 })).toEqual([]);
    });

    it('by ids answers in the given order and leaves out what is not there', async () => {
      const { store } = await open();
      await put(store, ...openingsOf(3, 'a'));
      const { items, next } = await store.find({ by: 'ids', ids: ['a-2', 'unknown', 'a-0'].map(idOf) });
      expect(items).toEqual([await recordOf(store, idOf('a-2')), await recordOf(store, idOf('a-0'))]);
      expect(next).toBeNull();
      expect(await found(store, { by: 'ids', ids: [] })).toEqual([]);
    });

    it('a place to continue from that cannot be one is refused, and not taken for another', async () => {
      const { store } = await open();
      await put(store, ...openingsOf(3, 'a'));
      for (const after of ['', 'x', '-1', '1e1', ' 1', '1.x', '1:1:1', '9'.repeat(40), '1;drop table handoff']) {
        await expect(store.find({ by: 'filter', max: 1, after })).rejects.toBeInstanceOf(BadCursor);
        await expect(store.facts({ max: 1, after })).rejects.toBeInstanceOf(BadCursor);
      }
      const { next } = await store.find({ by: 'filter', max: 1 });
      expect(await found(store, { by: 'filter', max: ALL, after: next! })).toEqual(['a-1', 'a-0']);
    });

    it('load answers null for what is not there', async () => {
      const { store } = await open();
      expect(await store.load(idOf('unknown'))).toBeNull();
    });

    it('load of what is settled answers null until it is', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }));
      expect(await store.load(idOf('a'), 'settled')).toBeNull();
      expect(await store.load(idOf('unknown'), 'settled')).toBeNull();
      await store.change([idOf('a')], acceptBy());
      expect(await store.load(idOf('a'), 'settled')).toBeNull();
      await store.change([idOf('a')], deliverAndVerify(1));
      expect(await store.load(idOf('a'), 'settled')).toEqual(await store.load(idOf('a')));
      expect((await store.load(idOf('a'), 'settled'))?.handoff.state).toBe('completed');
    });

    it('by overdue finds those whose clock has run out, the longest overdue first', async () => {
      const { store } = await open();
      const minute = 60_000;
      await put(
        store,
        openingOf({ id: 'second', terms: { offeredMs: 2 * minute }, but: { since: LONG_AGO } }),
        openingOf({ id: 'first', terms: { offeredMs: minute }, but: { since: LONG_AGO } }),
        openingOf({ id: 'third', as: 'draft', terms: { draftMs: 3 * minute }, but: { since: LONG_AGO } }),
        openingOf({ id: 'fourth', dependsOn: ['unknown'], terms: { blockedMs: 4 * minute }, but: { since: LONG_AGO } }),
        openingOf({ id: 'for-ever', terms: { offeredMs: null }, but: { since: LONG_AGO } }),
        openingOf({ id: 'not-yet', terms: { offeredMs: minute }, but: { since: FAR_AHEAD } }),
        // Its clock begins when it may be taken.
        openingOf({ id: 'later', notBefore: FAR_AHEAD, terms: { offeredMs: minute }, but: { since: LONG_AGO } }),
        openingOf({ id: 'settled', terms: { offeredMs: minute }, but: { since: LONG_AGO } }),
      );
      await store.change([idOf('settled')], cancelled);
      expect(await found(store, { by: 'overdue', max: ALL })).toEqual(['first', 'second', 'third', 'fourth']);
      expect(await found(store, { by: 'overdue', max: 2 })).toEqual(['first', 'second']);
    });

    it('by overdue finds leases by hand and attempts that have run out', async () => {
      const { store } = await open();
      await put(
        store,
        ...['by-hand', 'renewed', 'for-ever'].map((id) => openingOf({ id, terms: { attemptTimeoutMs: null } })),
      );
      await put(store, openingOf({ id: 'slow', terms: { attemptTimeoutMs: 60_000 } }), openingOf({ id: 'quick' }));
      await store.change([idOf('by-hand')], acceptByHand(LONG_AGO + MANUAL_LEASE_MS));
      await store.change([idOf('renewed')], acceptByHand(FAR_AHEAD));
      await store.change([idOf('for-ever')], acceptByHand());
      await store.change([idOf('quick')], acceptBy());
      await store.change([idOf('slow')], (handoff, nowMs) => acceptBy()(handoff, nowMs - YEARS_MS));
      expect(await found(store, { by: 'overdue', max: ALL })).toEqual(['by-hand', 'slow']);
    });

    it('by overdue finds a record at the moment its clock has run out', async ({ skip }) => {
      const { store, clock, controlsTime } = await open();
      // The moment itself can only be shown with a clock in our hands.
      skip(!controlsTime, 'the store has its own clock');
      await put(store, openingOf({ id: 'a', terms: { offeredMs: 1000 } }));
      clock.advance(999);
      expect(await found(store, { by: 'overdue', max: ALL })).toEqual([]);
      clock.advance(1);
      expect(await found(store, { by: 'overdue', max: ALL })).toEqual(['a']);
    });

    it('by session finds what it holds now', async () => {
      const [mine, other] = [sessionOf('mine'), sessionOf('other')];
      const { store } = await open(NO_LIMITS, [mine, other]);
      await put(store, ...openingsOf(5, 'a'));
      await store.change(
        [0, 1, 2].map((index) => idOf(`a-${index}`)),
        acceptBy(mine),
      );
      await store.change([idOf('a-3')], acceptBy(other));
      await store.change([idOf('a-4')], acceptByHand());
      await store.change([idOf('a-1')], deliverAndVerify(1));
      await store.change([idOf('a-2')], releaseBy(1));
      expect(await found(store, { by: 'session', session: mine, max: ALL })).toEqual(['a-0']);
      expect(await found(store, { by: 'session', session: other, max: ALL })).toEqual(['a-3']);
      expect(await found(store, { by: 'session', session: sessionOf('unknown'), max: ALL })).toEqual([]);
      await store.change([idOf('a-2')], acceptBy(mine));
      expect(await found(store, { by: 'session', session: mine, max: 1 })).toHaveLength(1);
    });

    it('by filter takes every condition together', async () => {
      const { store } = await open();
      const [ann, bob, cat] = ['ann', 'bob', 'cat'].map(agentOf) as [never, never, never];
      await put(store, openingOf({ id: 'one', from: ann, to: bob, task: 'T-1' }));
      await put(store, openingOf({ id: 'two', from: bob, to: ann, task: 'T-1' }));
      await put(store, openingOf({ id: 'three', from: ann, to: cat, task: 'T-2', as: 'draft' }));
      await put(store, openingOf({ id: 'four', from: ann, to: bob }));
      await store.change([idOf('four')], cancelled);
      const sorted = async (filter: Filter): Promise<readonly string[]> => (await filtered(store, filter)).toSorted();
      expect(await sorted({})).toEqual(['four', 'one', 'three', 'two']);
      expect(await sorted({ from: ann })).toEqual(['four', 'one', 'three']);
      expect(await sorted({ from: ann, to: bob })).toEqual(['four', 'one']);
      expect(await sorted({ task: 'T-1' })).toEqual(['one', 'two']);
      expect(await sorted({ task: 'T-1', to: ann })).toEqual(['two']);
      expect(await sorted({ states: ['draft', 'cancelled'] satisfies State[] })).toEqual(['four', 'three']);
      expect(await sorted({ states: [] })).toEqual([]);
      expect(await sorted({ states: ['offered'], from: bob, to: ann, task: 'T-2' })).toEqual([]);
    });

    it('by filter finds all that is open for an agent, in whatever hands, and nothing that is over', async () => {
      const { store } = await open();
      const [ann, bob] = ['ann', 'bob'].map(agentOf) as [never, never];
      const to = bob;
      await put(store, openingOf({ id: 'old', from: ann, to }));
      for (const index of [0, 1, 2]) await put(store, openingOf({ id: `over-${index}`, from: ann, to }));
      await store.change(
        [0, 1, 2].map((index) => idOf(`over-${index}`)),
        cancelled,
      );
      await put(store, openingOf({ id: 'draft', from: ann, to, as: 'draft' }));
      await put(store, openingOf({ id: 'later', from: ann, to, notBefore: FAR_AHEAD }));
      await put(store, openingOf({ id: 'waits', from: ann, to, dependsOn: ['unknown'] }));
      await put(store, openingOf({ id: 'queued', from: ann, to, queued: true }));
      await put(store, openingOf({ id: 'by-hand', from: ann, to }), openingOf({ id: 'by-process', from: ann, to }));
      await put(store, openingOf({ id: 'elsewhere', from: bob, to: ann }));
      await store.change([idOf('by-hand')], acceptByHand());
      await store.change([idOf('by-process')], acceptBy());
      const all: readonly State[] = ['draft', 'offered', 'blocked', 'accepted', 'delivered'];
      const every = ['by-process', 'by-hand', 'queued', 'waits', 'later', 'draft', 'old'];
      const few = await store.find({ by: 'filter', to, states: all, max: 3 });
      expect(few.items).toHaveLength(3);
      expect(new Set(await filtered(store, { to, states: all }))).toEqual(new Set(every));
      const rest = await store.find({ by: 'filter', to, states: all, max: ALL, after: few.next ?? '' });
      expect([...few.items, ...rest.items].map(({ id }) => id).toSorted()).toEqual(every.toSorted());
      expect(new Set(await filtered(store, { to, states: ['accepted'] }))).toEqual(new Set(['by-process', 'by-hand']));
      expect(new Set(await filtered(store, { to, states: ['offered'] }))).toEqual(new Set(['old', 'later']));
      expect(new Set(await filtered(store, { to, states: ['blocked', 'draft'] }))).toEqual(
        new Set(['waits', 'queued', 'draft']),
      );
      expect(await filtered(store, { to: agentOf('nobody'), states: all })).toEqual([]);
    });

    it('by filter answers the newest first', async () => {
      const { store } = await open();
      await put(store, ...openingsOf(3, 'a'));
      await put(store, ...openingsOf(2, 'b'));
      await store.change([idOf('a-1')], cancelled);
      expect(await filtered(store, {})).toEqual(['b-1', 'b-0', 'a-2', 'a-1', 'a-0']);
      expect(await filtered(store, { states: ['offered'] })).toEqual(['b-1', 'b-0', 'a-2', 'a-0']);
    });

    it('by filter pages on without repeating or leaving out, while new ones are made', async () => {
      const { store } = await open();
      for (let round = 0; round < 4; round += 1) {
        await put(store, ...openingsOf(5, `a${round}`));
      }
      const whole = await filtered(store, {});
      const seen: string[] = [];
      let after: string | undefined;
      for (let pages = 0; pages < 20; pages += 1) {
        const page = await store.find({ by: 'filter', max: 3, ...(after === undefined ? {} : { after }) });
        expect(page.items.length).toBeLessThanOrEqual(3);
        seen.push(...page.items.map((item) => item.id));
        if (page.next === null) break;
        after = page.next;
        await put(store, openingOf({ id: `new-${pages}` }));
        valueOf(
          (
            await store.change([idOf('a0-0')], (handoff, nowMs) =>
              (handoff.state === 'accepted' ? releaseBy(handoff.fence) : acceptBy())(handoff, nowMs),
            )
          )[0],
        );
      }
      expect(seen).toEqual(whole);
    });

    it('by filter says when there is nothing more', async () => {
      const { store } = await open();
      expect(await store.find({ by: 'filter', max: 3 })).toEqual({ items: [], next: null });
      await put(store, ...openingsOf(2, 'a'));
      expect((await store.find({ by: 'filter', max: 3 })).next).toBeNull();
      const first = await store.find({ by: 'filter', max: 1 });
      expect(first.next).not.toBeNull();
    });
  });
}
