/** Records as they are, from one database to another: complete, exact, and nothing that could not have happened. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SESSION_LEASE_MS } from '../../../src/domain/deadlines.ts';
import { InvalidCopy } from '../../../src/foundation/store-fault.ts';
import { appendFact } from '../../../src/domain/facts.ts';
import type { Handoff } from '../../../src/domain/handoff.ts';
import { NO_LIMITS } from '../../../src/domain/limits.ts';
import { flawOf } from '../../../src/domain/trail.ts';
import { POLL_MS, type Copy, type Finding, type Store } from '../../../src/stores/store.ts';
import { anyMaking, madeOf, SESSIONS } from '../arbitraries.ts';
import * as build from '../builders.ts';
import { everythingIn, put, putHeld, refusalOf, soundRecordOf, trailOf, valueOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';
import { OFFERS, SETTLED, bestDelayMs } from './hints.ts';

const { idOf, openingOf, openingsOf } = build;

export async function copiesIn(store: Store, max = 7): Promise<readonly Copy[]> {
  const all: Copy[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page = await store.transfer.copies(after ?? null, max);
    all.push(...page.items);
    after = page.next;
  }
  return all;
}

async function copiesAfter(store: Store, cursor: string | null): Promise<readonly string[]> {
  return (await store.transfer.copies(cursor, 100)).items.map(({ handoff }) => handoff.id);
}

/** How the server is set up is not ours to change here. */
async function damageIn(store: Store): Promise<readonly Finding[]> {
  return (await store.upkeep.audit()).filter(({ what }) => what !== 'setting');
}

async function complete(store: Store, id: string): Promise<void> {
  valueOf((await store.change([idOf(id)], build.acceptBy()))[0]);
  valueOf((await store.change([idOf(id)], build.deliverAndVerify(1, { outcome: build.jsonOf(id) })))[0]);
}

async function freed(store: Store): Promise<readonly string[]> {
  return (await store.find({ by: 'freed', max: 10 })).items.map((item) => item.id);
}

/** A sound copy that no store has seen. */
function copyOf(id: string, parts: Partial<Handoff> = {}): Copy {
  const decided = openingOf({ id }).decide(build.LONG_AGO, new Map());
  const { handoff } = valueOf(decided);
  const made = appendFact(null, { ...handoff, ...parts }, 'create', '@sender', build.LONG_AGO);
  return { handoff: made.handoff, body: build.jsonOf({ of: id }), outcome: null, facts: [made.fact] };
}

const SPOILT: readonly (readonly [string, (copy: Copy) => Copy])[] = [
  ['has no facts', (copy) => ({ ...copy, facts: [] })],
  ['lacks its first fact', (copy) => ({ ...copy, facts: copy.facts.slice(1) })],
  ['lacks its last fact', (copy) => ({ ...copy, facts: copy.facts.slice(0, -1) })],
  ['has a fact twice', (copy) => ({ ...copy, facts: [...copy.facts, copy.facts.at(-1)!] })],
  ['has facts in another order', (copy) => ({ ...copy, facts: copy.facts.toReversed() })],
  ['has a changed fact', (copy) => ({ ...copy, facts: copy.facts.map((fact) => ({ ...fact, by: 'somebody else' })) })],
  ['has facts of another', (copy) => ({ ...copy, facts: copyOf('other').facts })],
  ['is in another state', (copy) => ({ ...copy, handoff: { ...copy.handoff, state: 'cancelled', custody: null } })],
  ['has another trail', (copy) => ({ ...copy, handoff: { ...copy.handoff, trail: 'elsewhere' } })],
  ['has another revision', (copy) => ({ ...copy, handoff: { ...copy.handoff, revision: 7 } })],
  ['has another fence', (copy) => ({ ...copy, handoff: { ...copy.handoff, fence: 7 } })],
  ['is accepted by nobody', (copy) => ({ ...copy, handoff: { ...copy.handoff, custody: null } })],
  ['is accepted and blocked', (copy) => ({ ...copy, handoff: { ...copy.handoff, blockedOn: { reason: 'place' } } })],
  ['excuses more than there was', (copy) => ({ ...copy, handoff: { ...copy.handoff, excused: 2 } })],
  [
    'goes a way that there is not',
    (copy) => {
      const next = { ...copy.handoff, state: 'completed', custody: null } as const;
      const { handoff, fact } = appendFact(copy.handoff, next, 'verify', 'system', 0);
      return { ...copy, handoff, facts: [...copy.facts, fact] };
    },
  ],
];

export function describeTransfer(open: OpenStore): void {
  describe('transfer', () => {
    it('I1: any record, in any state, comes out as it was made and goes in as it came out', async () => {
      const [from, to] = [await open(NO_LIMITS, SESSIONS), await open(NO_LIMITS, [])];
      const makings = fc.sample(anyMaking, { numRuns: 60, seed: 5 });
      const made = makings.map((making, index) => madeOf(idOf(`r${index}`), making));
      for (const opening of made) await put(from.store, opening);
      const copies = await copiesIn(from.store);
      expect(copies.map(({ handoff, facts }) => ({ handoff, facts }))).toEqual(made.map(({ decision }) => decision));
      expect(await to.store.transfer.restore(copies)).toEqual(copies.map(() => 'added'));
      expect(await copiesIn(to.store)).toEqual(copies);
      expect(await damageIn(to.store)).toEqual([]);
      for (const { handoff } of copies) expect(await soundRecordOf(to.store, handoff.id)).toEqual(handoff);
    });

    it('bodies, outcomes and every fact come along', async () => {
      const [from, to] = [await open(), await open()];
      await putHeld(from.store, ...openingsOf(3, 'a', { body: build.jsonOf({ input: 'ü' }) }));
      await from.store.change([idOf('a-1')], build.deliverAndVerify(1, { outcome: build.jsonOf({ done: 1 }) }));
      await from.store.change([idOf('a-2')], build.failBy(1, 'TIMEOUT', { outcome: build.jsonOf({ no: 1 }) }));
      await to.store.transfer.restore(await copiesIn(from.store));
      for (const name of ['a-0', 'a-1', 'a-2'].map(idOf)) {
        expect(await to.store.load(name)).toEqual(await from.store.load(name));
        expect(await trailOf(to.store, name)).toEqual(await trailOf(from.store, name));
      }
    });

    it('pages end where there is no more, and go on where they ended while others write', async () => {
      const { store } = await open();
      expect(await store.transfer.copies(null, 5)).toEqual({ items: [], damaged: [], next: null });
      await put(store, ...openingsOf(4, 'a'));
      const first = await store.transfer.copies(null, 2);
      await store.change([idOf('a-0'), idOf('a-3')], build.cancelled);
      await put(store, openingOf({ id: 'b' }));
      const rest: string[] = [];
      for (let { next } = first; next !== null;) {
        const page = await store.transfer.copies(next, 2);
        rest.push(...page.items.map(({ handoff }) => `${handoff.id} ${handoff.state}`));
        next = page.next;
      }
      expect(first.items.map(({ handoff }) => handoff.id)).toEqual(['a-0', 'a-1']);
      expect(rest).toEqual(['a-2 offered', 'a-3 cancelled', 'b offered']);
    });

    it('recognises its own handoffs in its own order, as they are or once were, and goes on after them', async () => {
      const { store } = await open();
      await put(store, ...openingsOf(5, 'a'));
      const heads = (await copiesIn(store)).map(({ handoff }) => handoff);
      await store.change([idOf('a-1')], build.cancelled);
      const all = await store.transfer.recognize(null, heads);
      expect(all.known).toBe(5);
      expect(await copiesAfter(store, all.next)).toEqual([]);
      const three = await store.transfer.recognize(null, heads.slice(0, 3));
      expect([three.known, await copiesAfter(store, three.next)]).toEqual([3, ['a-3', 'a-4']]);
      expect(await store.transfer.recognize(three.next, heads.slice(3))).toEqual({ known: 2, next: all.next });
      expect(await store.transfer.recognize(three.next, heads)).toEqual({ known: 0, next: three.next });
      expect(await store.transfer.recognize(null, [...heads, heads[4]!])).toEqual(all);
      const [first, second, third, ...rest] = heads as [Handoff, Handoff, Handoff, ...Handoff[]];
      const strange: readonly (readonly Handoff[])[] = [
        [first, third, ...rest],
        [first, first, second],
        [first, third, second],
        [first, { ...second, trail: third.trail }],
        [first, { ...second, revision: 2 }],
        [first, { ...second, revision: 7 }],
        [first, { ...second, id: idOf('nobody') }],
      ];
      for (const wrong of strange) {
        const { known, next } = await store.transfer.recognize(null, wrong);
        expect([known, (await copiesAfter(store, next))[0]]).toEqual([1, 'a-1']);
      }
      const now = (await copiesIn(store)).map(({ handoff }) => handoff);
      expect(await store.transfer.recognize(null, now)).toEqual(all);
    });

    it('I12: record, outcome and facts belong together while others write', async () => {
      const { store } = await open();
      await putHeld(store, ...openingsOf(20, 'a'));
      const ids = Array.from({ length: 20 }, (_, index) => idOf(`a-${index}`));
      const writing = (async () => {
        for (let round = 0; round < 20; round += 1) await store.change(ids, build.progressed);
        await store.change(ids, build.deliverAndVerify(1, { outcome: build.jsonOf('done') }));
      })();
      let over = false;
      void writing.finally(() => (over = true));
      for (let looks = 0; !over || looks < 2; looks += 1) {
        for (const { handoff, facts, body, outcome } of await copiesIn(store)) {
          expect(flawOf(handoff, facts, body)).toBeNull();
          expect(outcome !== null).toBe(handoff.state === 'completed');
        }
        await new Promise(setImmediate);
      }
      await writing;
    });

    it('what is here is not written again: the same is same, anything else is different', async () => {
      const { store } = await open();
      await put(store, ...openingsOf(2, 'a'));
      const copies = await copiesIn(store);
      await store.change([idOf('a-1')], build.cancelled);
      const before = await everythingIn(store);
      expect(await store.transfer.restore(copies)).toEqual(['same', 'different']);
      expect(await everythingIn(store)).toEqual(before);
      const later = copyOf('b', { attempt: 1 });
      const answers = await store.transfer.restore([copyOf('a-0'), copyOf('b'), copyOf('b'), later]);
      expect(answers).toEqual(['different', 'added', 'same', 'different']);
      expect((await copiesIn(store)).map(({ handoff }) => handoff.trail)).toEqual([
        copies[0]!.handoff.trail,
        (await soundRecordOf(store, idOf('a-1'))).trail,
        copyOf('b').handoff.trail,
      ]);
    });

    it.each(SPOILT)('I1, I12: a copy that %s is refused by name, with all that came with it', async (_, spoil) => {
      const { store } = await open();
      const sound = copyOf('sound');
      const created = copyOf('spoilt');
      const custody = { by: 'hand', holder: build.WORKER, untilAt: null } as const;
      const taken = { ...created.handoff, state: 'accepted', custody, attempt: 1, fence: 1 } as const;
      const { handoff, fact } = appendFact(created.handoff, taken, 'accept', '@worker', build.LONG_AGO);
      const accepted: Copy = { ...created, handoff, facts: [...created.facts, fact] };
      expect(flawOf(accepted.handoff, accepted.facts, accepted.body)).toBeNull();
      const restoring = store.transfer.restore([sound, spoil(accepted)]);
      await expect(restoring).rejects.toMatchObject({ name: InvalidCopy.name, id: 'spoilt', outcome: 'unchanged' });
      expect(await copiesIn(store)).toEqual([]);
    });

    it('Q9: those who would wait for each other for ever are refused, together or one after the other', async () => {
      const { store } = await open();
      const waiting = (id: string, needed: string): Copy =>
        copyOf(id, {
          state: 'blocked',
          blockedOn: { reason: 'dependency' },
          terms: { ...copyOf(id).handoff.terms, dependsOn: [idOf(needed)] },
        });
      const together = store.transfer.restore([waiting('a', 'b'), waiting('b', 'a')]);
      await expect(together).rejects.toThrow('a → b → a');
      expect(await store.transfer.restore([waiting('a', 'b')])).toEqual(['added']);
      await expect(store.transfer.restore([waiting('b', 'a')])).rejects.toThrow('b → a → b');
      expect((await copiesIn(store)).map(({ handoff }) => handoff.id)).toEqual(['a']);
    });

    it('Q9: who waits here for something is freed when it is restored completed, in whatever order', async () => {
      const [from, to] = [await open(), await open()];
      await put(from.store, openingOf({ id: 'one' }), openingOf({ id: 'two', dependsOn: ['one', 'here'] }));
      await complete(from.store, 'one');
      await put(to.store, openingOf({ id: 'three', dependsOn: ['one'] }), openingOf({ id: 'here' }));
      const copies = await copiesIn(from.store);
      await to.store.transfer.restore(copies.toReversed().slice(0, 1));
      expect(await freed(to.store)).toEqual([]);
      await to.store.transfer.restore(copies);
      expect(await freed(to.store)).toEqual(['three']);
      await complete(to.store, 'here');
      expect(await freed(to.store)).toEqual(['three', 'two']);
      expect(await damageIn(to.store)).toEqual([]);
    });

    it('I7: what a worker of elsewhere held belongs to an ended session here, until somebody takes it back', async () => {
      const [from, to] = [await open(), await open(NO_LIMITS, [])];
      await putHeld(from.store, openingOf({ id: 'a' }));
      await to.store.transfer.restore(await copiesIn(from.store));
      expect(await to.store.sessions.list()).toMatchObject([{ id: build.SESSION, ended: true, groups: [] }]);
      const held = await to.store.find({ by: 'session', session: build.SESSION, max: 10 });
      expect(held.items.map((item) => item.id)).toEqual(['a']);
      valueOf((await to.store.change(held.items, build.releaseBy(1)))[0]);
      await to.store.sessions.forget(build.SESSION);
      expect(await to.store.sessions.list()).toEqual([]);
      // The same session again, after it was forgotten: it is found under its name, and nobody else's.
      await to.store.transfer.restore([{ ...(await copiesIn(from.store))[0]! }]);
      await to.store.sessions.open({
        id: build.sessionOf('new'),
        agent: build.WORKER,
        process: build.processOf(),
        leaseMs: SESSION_LEASE_MS,
      });
      const renamed = await putHeld(from.store, openingOf({ id: 'b' }));
      await to.store.transfer.restore((await copiesIn(from.store)).slice(1));
      expect(await soundRecordOf(to.store, idOf('b'))).toEqual(renamed[0]);
    });

    it('a session that is alive here stays alive', async () => {
      const [from, to] = [await open(), await open()];
      await putHeld(from.store, openingOf({ id: 'a' }));
      await to.store.transfer.restore(await copiesIn(from.store));
      expect(await to.store.sessions.beat(build.SESSION)).toBe(true);
    });

    it('D5, I15: limits do not keep a copy out, but what was restored counts', async () => {
      const limits = build.limitsOf({ worker: [null, 2] });
      const { store } = await open(limits);
      await put(store, openingOf({ id: 'mine' }));
      await store.transfer.restore([copyOf('a'), copyOf('b')]);
      expect(refusalOf(await store.insert([openingOf({ id: 'c' })]))).toMatchObject({ count: 3, max: 2 });
      await store.change([idOf('a'), idOf('b')], build.cancelled);
      expect(valueOf(await store.insert([openingOf({ id: 'd' })]))).toHaveLength(1);
      expect(await damageIn(store)).toEqual([]);
    });

    it('I18: whoever waits for offers, or for an end, hears of what is restored', async () => {
      const { store } = await open();
      const restored = async (round: number): Promise<unknown> => store.transfer.restore([copyOf(`a-${round}`)]);
      expect(await bestDelayMs(store, OFFERS, restored)).toBeLessThan(POLL_MS / 2);
      const ended = async (round: number): Promise<unknown> => {
        const { handoff, facts, ...rest } = copyOf(`b-${round}`);
        const end = appendFact(handoff, { ...handoff, state: 'cancelled' }, 'cancel', 'operator', build.LONG_AGO);
        return store.transfer.restore([{ ...rest, handoff: end.handoff, facts: [...facts, end.fact] }]);
      };
      expect(await bestDelayMs(store, SETTLED, ended)).toBeLessThan(POLL_MS / 2);
      expect(await store.claim(build.WORKER, 3, build.acceptBy())).toHaveLength(3);
    });

    it('two that restore the same at once write it once', async () => {
      const { store, reopen } = await open();
      const other = reopen === null ? store : await reopen();
      const copies = Array.from({ length: 30 }, (_, index) => copyOf(`a-${index}`));
      const answers = await Promise.all([store.transfer.restore(copies), other.transfer.restore(copies)]);
      for (const index of copies.keys()) {
        expect(new Set(answers.map((each) => each[index]))).toEqual(new Set(['added', 'same']));
      }
      expect(await damageIn(store)).toEqual([]);
    });
  });
}
