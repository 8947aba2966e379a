/** Finished handoffs leave, a tombstone stays; what a finished handoff told can be erased, and its trail still adds up. */
import { describe, expect, it } from 'vitest';
import { ok } from '../../../src/foundation/result.ts';
import type { Decide } from '../../../src/domain/decision.ts';
import { ERASED_BODY, ERASED_DETAIL, erasedRecord, erasureDetail } from '../../../src/domain/erasure.ts';
import { appendFact, firstBrokenRevision, type Fact } from '../../../src/domain/facts.ts';
import type { Lineage } from '../../../src/domain/handoff.ts';
import { flawOf } from '../../../src/domain/trail.ts';
import type { Copy, Head, Store } from '../../../src/stores/store.ts';
import * as build from '../builders.ts';
import { feedOf } from '../follow-facts.ts';
import { ALL, put, recordOf, refusalOf, soundRecordOf, trailOf, valueOf, wholeOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

const { FAR_AHEAD, idOf, jsonOf, LONG_AGO, openingOf } = build;
const ARCHIVE = 'handoffs-1.jsonl';

async function complete(store: Store, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    valueOf((await store.change([idOf(id)], build.acceptBy()))[0]);
    valueOf((await store.change([idOf(id)], build.deliverAndVerify(1, { outcome: jsonOf({ done: id }) })))[0]);
  }
}

async function removable(store: Store, before = FAR_AHEAD): Promise<readonly Copy[]> {
  const found: Copy[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page = await store.retention.removable(before, after ?? null, 2);
    found.push(...page.items);
    after = page.next;
  }
  return found;
}

async function removableIds(store: Store, before?: number): Promise<readonly string[]> {
  return (await removable(store, before)).map(({ handoff }) => handoff.id).toSorted();
}

async function headOf(store: Store, id: string): Promise<Head> {
  return recordOf(store, idOf(id));
}

async function findings(store: Store): Promise<readonly unknown[]> {
  return (await store.upkeep.audit()).filter(({ what }) => what !== 'setting');
}

const inChain = (root: string): Lineage => ({ root: idOf(root), parent: idOf(root), retryOf: null, hops: 1 });

function erasing(facts: readonly Fact[]): Decide {
  return (before, nowMs) => {
    const detail = erasureDetail(facts, 'asked by its author');
    const { handoff, fact } = appendFact(before, erasedRecord(before), 'erase', 'operator', nowMs, detail, ERASED_BODY);
    return ok({ handoff, facts: [fact], body: ERASED_BODY, outcome: jsonOf({ kind: 'result', result: null }) });
  };
}

export function describeRetention(open: OpenStore): void {
  describe('retention', () => {
    it('finds what is finished and old, whole, and nothing else', async () => {
      const { store } = await open();
      await put(
        store,
        openingOf({ id: 'a', title: 'a title' }),
        openingOf({ id: 'b' }),
        openingOf({ id: 'c', kind: 'document' }),
        openingOf({ id: 'd' }),
      );
      await complete(store, 'a');
      valueOf((await store.change([idOf('d')], build.cancelled))[0]);
      valueOf((await store.change([idOf('c')], build.cancelled))[0]);
      await put(store, openingOf({ id: 'newest' }));
      // The text of c is in git, and b is open.
      expect(await removableIds(store)).toEqual(['a', 'd']);
      expect(await removableIds(store, LONG_AGO)).toEqual([]);
      const [copy] = await removable(store);
      const { handoff, body, outcome } = await wholeOf(store, idOf('a'));
      expect(copy).toEqual({ handoff, body, outcome, facts: await trailOf(store, idOf('a')) });
    });

    it('removes record, texts, facts, words and effects, and leaves a tombstone', async () => {
      const { store } = await open();
      const effects = [{ key: 'a:1:inbox:worker', kind: 'inbox:worker', payload: jsonOf({ title: 'secret plan' }) }];
      await put(
        store,
        openingOf({
          id: 'a',
          title: 'plan',
          body: jsonOf('needleword'),
          effects,
          terms: { verifiers: [build.SENDER] },
        }),
        openingOf({ id: 'b' }),
      );
      expect((await store.find({ by: 'filter', max: ALL, text: 'needleword' })).items).toHaveLength(1);
      valueOf((await store.change([idOf('a')], build.cancelled))[0]);
      await complete(store, 'b');
      await put(store, openingOf({ id: 'later' }));
      const { from, to } = await recordOf(store, idOf('a'));
      expect(await store.retention.remove([await headOf(store, 'a')], ARCHIVE)).toEqual(['removed']);
      expect(await store.load(idOf('a'))).toBeNull();
      expect(await trailOf(store, idOf('a'))).toEqual([]);
      expect((await store.find({ by: 'filter', max: ALL, text: 'needleword' })).items).toEqual([]);
      expect(await store.outbox.inbox(build.WORKER, ALL)).toEqual([]);
      const [gone] = await store.retention.removed([idOf('b'), idOf('a')]);
      expect(gone).toMatchObject({ id: idOf('a'), from, to, archive: ARCHIVE });
      expect(await findings(store)).toEqual([]);
      expect(await soundRecordOf(store, idOf('b'))).toMatchObject({ state: 'completed' });
    });

    it('again is the same again; what has changed, is open or is not there stays as it is', async () => {
      const { store } = await open();
      await put(store, ...['a', 'b', 'c', 'later'].map((id) => openingOf({ id })));
      await complete(store, 'a', 'b');
      await put(store, openingOf({ id: 'latest' }));
      const heads = await Promise.all(['a', 'b', 'c'].map((id) => headOf(store, id)));
      const told = [heads[0]!, { ...heads[1]!, trail: 'another' }, heads[2]!, { ...heads[0]!, id: idOf('nobody') }];
      const answers = ['removed', 'changed', 'needed', 'elsewhere'];
      expect(await store.retention.remove(told, ARCHIVE)).toEqual(answers);
      expect(await store.retention.remove(told, ARCHIVE)).toEqual(answers);
      expect(await store.retention.remove(told.slice(0, 1), 'another.jsonl')).toEqual(['elsewhere']);
      expect((await store.find({ by: 'filter', max: ALL })).items.map(({ id }) => id).toSorted()).toEqual([
        'b',
        'c',
        'later',
        'latest',
      ]);
      expect(await findings(store)).toEqual([]);
    });

    it('a chain goes as a whole: one open leg keeps all of it', async () => {
      const { store } = await open();
      await put(
        store,
        openingOf({ id: 'root' }),
        openingOf({ id: 'leg', lineage: inChain('root') }),
        openingOf({ id: 'open', lineage: inChain('root') }),
        openingOf({ id: 'other' }),
        openingOf({ id: 'later' }),
      );
      await complete(store, 'root', 'leg', 'other');
      await put(store, openingOf({ id: 'latest' }));
      expect(await removableIds(store)).toEqual(['other']);
      const heads = await Promise.all(['root', 'leg'].map((id) => headOf(store, id)));
      expect(await store.retention.remove(heads, ARCHIVE)).toEqual(['needed', 'needed']);
      valueOf((await store.change([idOf('open')], build.cancelled))[0]);
      await put(store, openingOf({ id: 'newest' }));
      expect(await removableIds(store)).toEqual(['leg', 'open', 'other', 'root']);
      expect(await store.retention.remove(heads, ARCHIVE)).toEqual(['removed', 'removed']);
    });

    it('what something open depends on stays, and nobody comes to depend on what is gone', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }), openingOf({ id: 'b', dependsOn: ['a'] }));
      await complete(store, 'a');
      await put(store, openingOf({ id: 'later' }));
      expect(await removableIds(store)).toEqual([]);
      const head = await headOf(store, 'a');
      expect(await store.retention.remove([head], ARCHIVE)).toEqual(['needed']);
      valueOf((await store.change([idOf('b')], build.cancelled))[0]);
      await put(store, openingOf({ id: 'latest' }));
      expect(await store.retention.remove([head], ARCHIVE)).toEqual(['removed']);
      const late = await store.insert([openingOf({ id: 'c', dependsOn: ['a'] })]);
      expect(refusalOf(late)).toMatchObject({ code: 'handoff-removed', id: 'a', archive: ARCHIVE });
      expect(await findings(store)).toEqual([]);
    });

    it('its id is not given again, and its request is told where it went', async () => {
      const { store } = await open();
      const request = { by: '@sender', key: 'key', hash: 'hash', forEver: true } as const;
      valueOf(await store.insert([openingOf({ id: 'a' })], { request }));
      await complete(store, 'a');
      await put(store, openingOf({ id: 'later' }));
      await store.retention.remove([await headOf(store, 'a')], ARCHIVE);
      expect(refusalOf(await store.insert([openingOf({ id: 'a' })]))).toEqual({ code: 'known-id', id: 'a' });
      const again = refusalOf(await store.insert([openingOf({ id: 'b' })], { request }));
      expect(again).toMatchObject({ code: 'handoff-removed', id: 'a', archive: ARCHIVE });
      expect(await store.load(idOf('b'))).toBeNull();
    });

    it('comes back by an import, and then it has no tombstone', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }), openingOf({ id: 'later' }));
      await complete(store, 'a');
      await put(store, openingOf({ id: 'latest' }));
      const [copy] = await removable(store);
      await store.retention.remove([copy!.handoff], ARCHIVE);
      expect(await store.transfer.restore([copy!])).toEqual(['added']);
      expect(await store.retention.removed([idOf('a')])).toEqual([]);
      expect(await soundRecordOf(store, idOf('a'))).toEqual(copy!.handoff);
      expect(await findings(store)).toEqual([]);
    });

    it('no number is given twice: readers of facts and lists miss nothing that comes after', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }), openingOf({ id: 'b' }));
      await complete(store, 'b', 'a');
      const last = (await feedOf(store, 8)).at(-1)!.cursor;
      const page = await store.transfer.copies(null, ALL);
      const heads = await Promise.all(['a', 'b'].map((id) => headOf(store, id)));
      await store.retention.remove(heads, ARCHIVE);
      await put(store, openingOf({ id: 'c' }));
      expect((await feedOf(store, 1, last)).map(({ fact }) => fact.handoff)).toEqual(['c']);
      const left = (await store.transfer.copies(null, ALL)).items.map(({ handoff }) => handoff.id);
      expect(left.at(-1)).toBe('c');
      expect(page.items).toHaveLength(2);
    });

    it('erases what a finished handoff told, and its trail still adds up', async () => {
      const { store } = await open();
      const effects = [{ key: 'a:1:inbox:worker', kind: 'inbox:worker', payload: jsonOf({ title: 'secret' }) }];
      const terms = { deliverables: [], criteria: ['secret criterion'], check: 'secret command' };
      await put(
        store,
        openingOf({ id: 'a', title: 'secret', body: jsonOf('secretword'), terms, effects }),
        openingOf({ id: 'b', body: jsonOf('secretword') }),
      );
      expect((await store.find({ by: 'filter', max: ALL, text: 'secretword' })).items).toHaveLength(2);
      valueOf((await store.change([idOf('a')], build.acceptBy()))[0]);
      const telling: Decide = (before, nowMs) => {
        const { handoff, fact } = appendFact(before, before, 'progress', '@worker', nowMs, { says: 'secret progress' });
        return ok({ handoff, facts: [fact] });
      };
      valueOf((await store.change([idOf('a')], telling))[0]);
      const failing = build.failBy(1, 'broken', {
        outcome: jsonOf({ kind: 'failure', code: 'broken', message: 'secret' }),
      });
      for (let round = 0; round < 20 && (await recordOf(store, idOf('a'))).state !== 'failed'; round += 1) {
        valueOf((await store.change([idOf('a')], round === 0 ? failing : build.cancelled))[0]);
        if ((await recordOf(store, idOf('a'))).state === 'cancelled') break;
      }
      const before = await trailOf(store, idOf('a'));
      const handoff = valueOf((await store.change([idOf('a')], erasing(before)))[0]);
      const whole = await wholeOf(store, idOf('a'));
      const trail = await trailOf(store, idOf('a'));
      expect(whole).toMatchObject({ handoff, body: ERASED_BODY });
      expect(handoff).toMatchObject({ title: null, terms: { criteria: [] }, state: before.at(-1)!.to });
      expect(
        JSON.stringify([whole, trail, await store.outbox.inbox(build.WORKER, ALL), await store.outbox.due(ALL)]),
      ).not.toContain('secret');
      expect(trail.filter(({ detail }) => detail === ERASED_DETAIL).map(({ deed }) => deed)).toContain('progress');
      expect(trail.slice(0, -1).map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash));
      expect(trail.at(-1)).toMatchObject({ deed: 'erase', by: 'operator' });
      expect(flawOf(handoff, trail, whole.body)).toBeNull();
      expect((await store.find({ by: 'filter', max: ALL, text: 'secretword' })).items.map(({ id }) => id)).toEqual([
        'b',
      ]);
      expect(await findings(store)).toEqual([]);
      // What was changed after the erasure no longer fits its seal; nor does what was put back.
      expect(firstBrokenRevision([{ ...trail[0]!, by: '@another' }, ...trail.slice(1)])).toBe(trail.length);
      expect(firstBrokenRevision([...before, trail.at(-1)!])).toBe(trail.length);
      const copies = (await store.transfer.copies(null, ALL)).items;
      expect(await store.transfer.restore(copies)).toEqual(['same', 'same']);
    });
  });
}
