/** A decision that breaks a rule of the house is our bug: it is thrown, and nothing is written. */
import { describe, expect, it } from 'vitest';
import { BrokenAssumption } from '../../../src/foundation/assert.ts';
import { ok } from '../../../src/foundation/result.ts';
import type { Decide, Decision } from '../../../src/domain/decision.ts';
import { appendFact, type Fact } from '../../../src/domain/facts.ts';
import type { Handoff } from '../../../src/domain/handoff.ts';
import { acceptBy, idOf, openingOf, progressed, WORKER } from '../builders.ts';
import { everythingIn, put, putHeld, soundRecordOf, valueOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

/** A sound acceptance, spoilt. */
function spoilt(spoil: (decision: Decision, before: Handoff, nowMs: number) => Decision): Decide {
  return (before, nowMs) => {
    const decided = acceptBy()(before, nowMs);
    return decided.ok ? ok(spoil(decided.value, before, nowMs)) : decided;
  };
}

function withFact(decision: Decision, changes: Partial<Fact>): Decision {
  return { ...decision, facts: decision.facts.map((fact) => ({ ...fact, ...changes })) };
}

const SPOILT: readonly (readonly [string, Decide])[] = [
  [
    'changes whose record it is',
    spoilt((decision) => ({ ...decision, handoff: { ...decision.handoff, id: idOf('b') } })),
  ],
  ['has a fact about another record', spoilt((decision) => withFact(decision, { handoff: idOf('b') }))],
  ['changes something without a fact', spoilt((_, before) => ({ handoff: { ...before, title: 'new' }, facts: [] }))],
  ['has no fact', spoilt((decision) => ({ ...decision, facts: [] }))],
  [
    'leaves the revision as it was',
    spoilt((decision, before) => ({ ...decision, handoff: { ...decision.handoff, revision: before.revision } })),
  ],
  [
    'skips a revision',
    spoilt((decision) => ({ ...decision, handoff: { ...decision.handoff, revision: decision.handoff.revision + 1 } })),
  ],
  ['has a fact of another revision', spoilt((decision) => withFact(decision, { revision: 7 }))],
  [
    'has a trail that ends elsewhere',
    spoilt((decision) => ({ ...decision, handoff: { ...decision.handoff, trail: 'elsewhere' } })),
  ],
  [
    'makes a move that is not in the table',
    spoilt((_, before, nowMs) => {
      const { handoff, fact } = appendFact(before, { ...before, state: 'completed' }, 'verify', 'system', nowMs);
      return { handoff, facts: [fact] };
    }),
  ],
  [
    'makes a record twice',
    spoilt((_, before, nowMs) => {
      const { handoff, fact } = appendFact(before, before, 'create', 'system', nowMs);
      return { handoff, facts: [fact] };
    }),
  ],
];

export function describeSoundness(open: OpenStore): void {
  describe('unsound decisions', () => {
    it.each(SPOILT)('I1, I12: a decision that %s is thrown, and nothing is written', async (_, decide) => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }), openingOf({ id: 'b' }));
      const before = await everythingIn(store);
      await expect(store.change([idOf('a')], decide)).rejects.toThrow(BrokenAssumption);
      await expect(store.claim(WORKER, 1, decide)).rejects.toThrow(BrokenAssumption);
      expect(await everythingIn(store)).toEqual(before);
    });

    it('I1: an insert whose record has another id, another revision or no beginning is thrown', async () => {
      const { store } = await open();
      const opening = openingOf({ id: 'a' });
      const spoil = (change: (decision: Decision) => Decision) => ({
        ...opening,
        decide: (...given: Parameters<typeof opening.decide>) => ok(change(valueOf(opening.decide(...given)))),
      });
      const spoilt = [
        spoil((decision) => ({ ...decision, handoff: { ...decision.handoff, id: idOf('b') } })),
        spoil((decision) => ({ ...decision, handoff: { ...decision.handoff, revision: 2 } })),
        spoil((decision) => ({ ...decision, facts: [] })),
        spoil((decision) => withFact(decision, { deed: 'offer' })),
        spoil(({ handoff }) => {
          const custody = { by: 'hand', holder: handoff.to, untilAt: null } as const;
          const held = appendFact(
            null,
            { ...handoff, state: 'accepted', custody },
            'create',
            'system',
            handoff.createdAt,
          );
          return { handoff: held.handoff, facts: [held.fact] };
        }),
      ];
      for (const each of spoilt) await expect(store.insert([each])).rejects.toThrow(BrokenAssumption);
      expect(await store.facts({ max: 10 })).toEqual([]);
      expect(await store.load(idOf('a'))).toBeNull();
    });

    it('I4: an unsound decision does not disturb those of others', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'a' }));
      await put(store, openingOf({ id: 'b' }));
      const [bad, good] = await Promise.allSettled([
        store.change(
          [idOf('b')],
          spoilt((decision) => ({ ...decision, facts: [] })),
        ),
        store.change([idOf('a')], progressed),
      ]);
      expect(bad).toMatchObject({ status: 'rejected', reason: expect.any(BrokenAssumption) as unknown });
      expect(good).toMatchObject({ status: 'fulfilled' });
      expect(await soundRecordOf(store, idOf('a'))).toMatchObject({ revision: 3 });
    });
  });
}
