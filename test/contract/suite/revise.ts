/** A draft is revised: its terms, its body and the words under which it is found change with one fact. */
import { describe, expect, it } from 'vitest';
import type { JsonText } from '../../../src/foundation/json.ts';
import { ok } from '../../../src/foundation/result.ts';
import type { Decide } from '../../../src/domain/decision.ts';
import { appendFact } from '../../../src/domain/facts.ts';
import { offer } from '../../../src/domain/moves/offer.ts';
import { revise, type Revised } from '../../../src/domain/moves/revise.ts';
import { flawOf } from '../../../src/domain/trail.ts';
import type { Store } from '../../../src/stores/store.ts';
import { acceptBy, idOf, jsonOf, openingOf, WORKER } from '../builders.ts';
import { ALL, put, refusalOf, soundRecordOf, trailOf, valueOf, wholeOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

function revising(revised: Revised, body: JsonText): Decide {
  return (before, nowMs) => {
    const moved = revise(before, revised);
    if (!moved.ok) return moved;
    const { handoff, fact } = appendFact(before, moved.value, 'revise', '@sender', nowMs, { was: {} }, body);
    return ok({ handoff, facts: [fact], body });
  };
}

const offering: Decide = (before, nowMs) => {
  const moved = offer(before, nowMs);
  if (!moved.ok) return moved;
  const { handoff, fact } = appendFact(before, moved.value, 'offer', '@sender', nowMs);
  return ok({ handoff, facts: [fact] });
};

async function found(store: Store, text: string): Promise<readonly string[]> {
  return (await store.find({ by: 'filter', max: ALL, text })).items.map(({ id }) => id);
}

export function describeRevise(open: OpenStore): void {
  describe('revise', () => {
    it.each(['before', 'after'] as const)(
      'D16: changes title, priority, terms and body of a draft, and it is found by its new words (%s it was looked for)',
      async (when) => {
        const { store } = await open();
        const draft = { title: 'old title', as: 'draft', body: jsonOf({ says: 'oldword' }) } as const;
        await put(store, openingOf({ id: 'a', ...draft }), openingOf({ id: 'b', ...draft }));
        // Looking for words brings the index up to date.
        const looked = when === 'after' ? await found(store, 'oldword') : ['b', 'a'];
        expect(looked.toSorted()).toEqual(['a', 'b']);
        const { terms } = (await wholeOf(store, idOf('a'))).handoff;
        const body = jsonOf({ says: 'newword' });
        const revised = { title: 'new title', priority: 'high', terms: { ...terms, deliverables: ['code'] } } as const;
        const handoff = valueOf((await store.change([idOf('a')], revising(revised, body)))[0]);
        expect(handoff).toMatchObject({ ...revised, state: 'draft', revision: 2 });
        const whole = await wholeOf(store, idOf('a'));
        expect(whole).toEqual({ handoff, body, outcome: null });
        expect(await soundRecordOf(store, idOf('a'))).toEqual(handoff);
        expect(flawOf(handoff, await trailOf(store, idOf('a')), body)).toBeNull();
        expect(await wholeOf(store, idOf('b'))).toMatchObject({ handoff: { title: 'old title' }, body: draft.body });
        expect([await found(store, 'oldword'), await found(store, 'newword title')]).toEqual([['b'], ['a']]);
        // Again, and in the order of the priority that it has now.
        const again = revising({ title: 'newest' }, jsonOf('x'));
        valueOf((await store.change([idOf('a')], again))[0]);
        expect([await found(store, 'newword'), await found(store, 'newest')]).toEqual([[], ['a']]);
        for (const id of ['b', 'a']) valueOf((await store.change([idOf(id)], offering))[0]);
        const claimed = await store.claim(WORKER, 1, acceptBy());
        expect(claimed).toMatchObject([{ handoff: { id: 'a', title: 'newest' }, body: '"x"' }]);
        expect(await store.upkeep.audit()).toEqual([]);
      },
    );

    it('D16: goes with its offer in one change, and is refused from then on', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', as: 'draft', title: 'old' }));
      const both: Decide = (before, nowMs) => {
        const first = revising({ title: 'new' }, jsonOf('new'))(before, nowMs);
        const second = first.ok ? offering(first.value.handoff, nowMs) : first;
        if (!first.ok || !second.ok) return second;
        const { handoff, facts } = second.value;
        return ok({ handoff, facts: [...first.value.facts, ...facts], body: jsonOf('new') });
      };
      valueOf((await store.change([idOf('a')], both))[0]);
      expect(await wholeOf(store, idOf('a'))).toMatchObject({
        handoff: { title: 'new', state: 'offered' },
        body: '"new"',
      });
      const late = (await store.change([idOf('a')], revising({ title: 'late' }, jsonOf('late'))))[0];
      expect(refusalOf(late)).toMatchObject({ code: 'move-not-allowed', move: 'revise', state: 'offered' });
      expect(await wholeOf(store, idOf('a'))).toMatchObject({ handoff: { title: 'new' }, body: '"new"' });
      expect((await trailOf(store, idOf('a'))).map(({ deed }) => deed)).toEqual(['create', 'revise', 'offer']);
    });
  });
}
