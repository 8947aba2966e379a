/**
 * Values that no store can keep are refused or thrown for the call that brings them, and for no other; a record that
 * somebody damaged in the database is passed over, and everything else goes on.
 */
import { describe, expect, it } from 'vitest';
import { BrokenAssumption } from '../../../src/foundation/assert.ts';
import type { Terms } from '../../../src/domain/handoff.ts';
import { DEFAULT_RETRY } from '../../../src/domain/retry-policy.ts';
import type { Finding } from '../../../src/stores/store.ts';
import {
  acceptBy,
  acceptByHand,
  asking,
  idOf,
  LONG_AGO,
  openingOf,
  openingsOf,
  renewUntil,
  WORKER,
} from '../builders.ts';
import { put, putHeld, recordOf, refusalOf } from '../store-checks.ts';
import type { Damage, OpenStore } from '../store-under-test.ts';

const BAD_TERMS: readonly (readonly [string, Partial<Omit<Terms, 'dependsOn'>>])[] = [
  ['terms.attemptTimeoutMs', { attemptTimeoutMs: 1000.5 }],
  ['terms.attemptTimeoutMs', { attemptTimeoutMs: -1 }],
  ['terms.attemptTimeoutMs', { attemptTimeoutMs: Number.NaN }],
  ['terms.offeredMs', { offeredMs: 1e300 }],
  ['terms.draftMs', { draftMs: 0.25 }],
  ['terms.blockedMs', { blockedMs: Infinity }],
  ['terms.retry.delayMs', { retry: { ...DEFAULT_RETRY, delayMs: 0.1 } }],
  ['terms.retry.capMs', { retry: { ...DEFAULT_RETRY, capMs: 1.5 } }],
  ['terms.retry.retriesMax', { retry: { ...DEFAULT_RETRY, retriesMax: 1.5 } }],
  ['terms.retry.multiplier', { retry: { ...DEFAULT_RETRY, multiplier: Number.NaN } }],
  ['terms.deliverables', { deliverables: ['page\u0000'] }],
];

const BAD_TEXTS = [
  ['NUL', 'a\u0000b'],
  ['a lone surrogate', 'a\ud800b'],
] as const;

const TERMS = { retry: DEFAULT_RETRY, dependsOn: [], deliverables: [], criteria: [], verifiers: [] };
const CLOCKLESS = { draftMs: null, offeredMs: null, blockedMs: null };

/** What a wrong program, or an older version of this one, may have left in a row. */
const DAMAGES: readonly (readonly [string, Parameters<Damage>[1], string | bigint])[] = [
  ['terms that are not JSON', 'terms', '{"retry":'],
  ['terms of another shape', 'terms', '{"dependsOn":[]}'],
  ['terms that are a number', 'terms', '7'],
  [
    'a timeout beyond all numbers',
    'terms',
    JSON.stringify({ ...TERMS, ...CLOCKLESS }).replace('}', ',"attemptTimeoutMs":1e300}'),
  ],
  ['a negative timeout', 'terms', JSON.stringify({ ...TERMS, ...CLOCKLESS, attemptTimeoutMs: -5 })],
  ['a timeout in words', 'terms', JSON.stringify({ ...TERMS, ...CLOCKLESS, attemptTimeoutMs: 'soon' })],
  ['a lineage that is a list', 'lineage', '[1]'],
  ['an instant that no number holds', 'since', 9_007_199_254_740_999n],
  ['an instant before all times', 'offered_at', -9_007_199_254_740_999n],
];

export function describeValues(open: OpenStore): void {
  describe('values', () => {
    it('I4: a time or a count that is no whole number in its range is refused with its name', async () => {
      const { store } = await open();
      for (const [index, [field, terms]] of BAD_TERMS.entries()) {
        const [bad, good] = await Promise.all([
          store.insert([openingOf({ id: `bad-${index}`, terms })]),
          store.insert([openingOf({ id: `good-${index}` })]),
        ]);
        expect(refusalOf(bad)).toMatchObject({ code: 'bad-value', field });
        expect(good.ok).toBe(true);
      }
      const claimed = await store.claim(WORKER, BAD_TERMS.length * 2, acceptBy());
      expect(claimed.map(({ handoff }) => handoff.id)).toEqual(BAD_TERMS.map((_, index) => `good-${index}`));
    });

    it.each(BAD_TEXTS)('I4: %s in a title, a task or a question is refused, and only there', async (_, text) => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'asks' }), openingOf({ id: 'works' }));
      const [title, task, plain, question, renewed] = await Promise.all([
        store.insert([openingOf({ id: 'a', title: text })]),
        store.insert([openingOf({ id: 'b', task: text })]),
        store.insert([openingOf({ id: 'c', title: 'fine' })]),
        store.change([idOf('asks')], asking(text, 1)),
        store.change([idOf('works')], asking('which colour?', 1)),
      ]);
      expect(refusalOf(title)).toMatchObject({ code: 'bad-value', field: 'title' });
      expect(refusalOf(task)).toMatchObject({ code: 'bad-value', field: 'task' });
      expect(plain.ok).toBe(true);
      expect(refusalOf(question[0])).toMatchObject({ code: 'bad-value', field: 'question' });
      expect(renewed[0]?.ok).toBe(true);
    });

    it('I4: a lease that ends between two milliseconds is refused', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }), openingOf({ id: 'b' }));
      const until = store.nowMs() + 60_000;
      const [taken] = await store.change([idOf('a')], acceptByHand(until + 0.5));
      expect(refusalOf(taken)).toMatchObject({ code: 'bad-value', field: 'lease' });
      await store.change([idOf('a')], acceptByHand(until));
      const [renewed] = await store.change([idOf('a')], renewUntil(until + 0.25, 1));
      expect(refusalOf(renewed)).toMatchObject({ code: 'bad-value', field: 'lease' });
      expect(await recordOf(store, idOf('a'))).toMatchObject({ custody: { untilAt: until } });
    });

    it('I4: a record with a fractional instant is thrown, and its neighbors are written', async () => {
      const { store } = await open();
      const written = await Promise.allSettled([
        store.insert([openingOf({ id: 'a', but: { offeredAt: 1.5 } })]),
        store.insert([openingOf({ id: 'b' })]),
        store.insert([openingOf({ id: 'c', but: { title: 'x\u0000' } })]),
      ]);
      expect(written.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
      expect(written[0]).toMatchObject({ reason: expect.any(BrokenAssumption) as unknown });
      expect((await store.claim(WORKER, 5, acceptBy())).map(({ handoff }) => handoff.id)).toEqual(['b']);
    });

    it('I4: a fractional timeout that an older version stored is read as whole milliseconds, and claimed', async () => {
      const { store, damage } = await open();
      if (damage === null) return;
      await put(store, openingOf({ id: 'old' }));
      await damage(idOf('old'), 'terms', JSON.stringify({ ...TERMS, ...CLOCKLESS, attemptTimeoutMs: 1000.5 }));
      const [claimed] = await store.claim(WORKER, 1, acceptBy());
      expect(claimed?.handoff).toMatchObject({ id: 'old', terms: { attemptTimeoutMs: 1001 } });
    });

    it.each(DAMAGES)(
      'I4: a record with %s is passed over; all others are claimed and listed',
      async (_, column, value) => {
        const { store, reopen, damage } = await open();
        if (damage === null || reopen === null) return;
        await put(store, ...openingsOf(3, 'bad', { priority: 'urgent' }), ...openingsOf(3, 'good'));
        for (const id of ['bad-0', 'bad-1', 'bad-2']) await damage(idOf(id), column, value);
        const first = await store.claim(WORKER, 1, acceptBy());
        expect(first.map(({ handoff }) => handoff.id)).toEqual(['good-0']);
        const other = await reopen();
        const both = await Promise.all([other.claim(WORKER, 1, acceptBy()), other.claim(WORKER, 5, acceptBy())]);
        expect(
          both
            .flat()
            .map(({ handoff }) => handoff.id)
            .toSorted(),
        ).toEqual(['good-1', 'good-2']);
        expect(await store.claim(WORKER, 5, acceptBy())).toEqual([]);
        const { items } = await store.find({ by: 'filter', to: WORKER, max: 10 });
        expect(items.map(({ id }) => id).toSorted()).toEqual(['good-0', 'good-1', 'good-2']);
        await expect(store.load(idOf('bad-0'))).rejects.toThrow(/bad-0 cannot be read.*baton doctor/);
        const changing = await Promise.allSettled([
          store.change([idOf('bad-0')], asking('why?', null)),
          store.change([idOf('good-0')], asking('why?', 1)),
        ]);
        expect(changing.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
        const findings = (await store.upkeep.audit()).filter((finding: Finding) => finding.what === 'unreadable');
        expect(findings.map(({ handoff }) => handoff)).toEqual(['bad-0', 'bad-1', 'bad-2']);
      },
    );

    it('I4: a damaged record whose clock has run out does not hide others from the sweep', async () => {
      const { store, damage } = await open();
      if (damage === null) return;
      const overdue = { but: { since: LONG_AGO }, terms: { offeredMs: 1 } };
      await put(store, openingOf({ id: 'bad', ...overdue }), openingOf({ id: 'good', ...overdue }));
      await damage(idOf('bad'), 'terms', 'no JSON');
      expect((await store.find({ by: 'overdue', max: 10 })).items.map(({ id }) => id)).toEqual(['good']);
      expect((await store.find({ by: 'overdue', max: 1 })).items.map(({ id }) => id)).toEqual(['good']);
    });
  });
}
