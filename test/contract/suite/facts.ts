/** The trail: per record in order, over all in an order that a cursor can follow. */
import { describe, expect, it } from 'vitest';
import type { Fact } from '../../../src/domain/facts.ts';
import type { AgentId } from '../../../src/domain/names.ts';
import type { FactFilter } from '../../../src/stores/store.ts';
import { acceptBy, cancelled, deliverAndVerify, idOf, openingOf, openingsOf, progressed, WORKER } from '../builders.ts';
import { feedOf, followFacts } from '../follow-facts.ts';
import { ALL, put, putHeld, soundRecordOf, trailOf, valueOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

export function describeFacts(open: OpenStore): void {
  describe('facts', () => {
    it('I1: the facts of one record are all there, in order, and add up', async () => {
      const { store } = await open();
      await put(store, ...openingsOf(2, 'a'));
      await store.claim(WORKER, 2, acceptBy());
      await store.change([idOf('a-0'), idOf('a-1')], deliverAndVerify(1));
      await soundRecordOf(store, idOf('a-0'));
      const trail = await trailOf(store, idOf('a-1'));
      expect(
        trail.map(({ revision, deed, from, to, by, attempt, fence, detail }) => [
          revision,
          deed,
          from,
          to,
          by,
          attempt,
          fence,
          detail,
        ]),
      ).toEqual([
        [1, 'create', null, 'offered', '@sender', 0, 0, ''],
        [2, 'accept', 'offered', 'accepted', 'system', 1, 1, ''],
        [3, 'deliver', 'accepted', 'delivered', '@worker', 1, 1, ''],
        [4, 'verify', 'delivered', 'completed', 'system', 1, 1, ''],
      ]);
      expect(await trailOf(store, idOf('unknown'))).toEqual([]);
    });

    it('a long trail is read in parts', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'a' }), openingOf({ id: 'b' }));
      await store.change(
        Array.from({ length: 9 }, (_, index) => idOf(index % 3 === 0 ? 'b' : 'a')),
        progressed,
      );
      const whole = await store.facts({ handoff: idOf('a'), max: ALL });
      const first = await store.facts({ handoff: idOf('a'), max: 3 });
      const rest = await store.facts({ handoff: idOf('a'), max: ALL, after: first.at(-1)!.cursor });
      expect([...first, ...rest].map((read) => read.fact)).toEqual(whole.map((read) => read.fact));
      expect(whole.map((read) => read.fact.revision)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    });

    it('of all facts those that are wanted come in the same order, with the same cursors', async () => {
      const { store } = await open();
      await put(
        store,
        openingOf({ id: 'a' }),
        openingOf({ id: 'b', from: 'other' as AgentId, to: 'third' as AgentId }),
      );
      await store.change([idOf('a')], acceptBy());
      await store.change([idOf('b')], cancelled);
      await store.change([idOf('a')], deliverAndVerify(1));
      const all = await feedOf(store, 6);
      const expectOnly = async (only: FactFilter, wanted: (fact: Fact) => boolean): Promise<void> => {
        const expected = all.filter(({ fact }) => wanted(fact));
        expect(await store.facts({ max: ALL, only })).toEqual(expected);
        expect(await store.facts({ max: 1, only })).toEqual(expected.slice(0, 1));
        const after = all[2]!.cursor;
        expect(await store.facts({ max: ALL, only, after })).toEqual(expected.filter((each) => all.indexOf(each) > 2));
      };
      await expectOnly({}, () => true);
      await expectOnly({ handoff: idOf('b') }, ({ handoff }) => handoff === 'b');
      await expectOnly({ handoff: idOf('unknown') }, () => false);
      await expectOnly({ agent: 'third' as AgentId }, ({ handoff }) => handoff === 'b');
      await expectOnly({ agent: WORKER }, ({ handoff }) => handoff === 'a');
      await expectOnly({ agent: 'nobody' as AgentId }, () => false);
      await expectOnly({ states: ['offered', 'cancelled'] }, ({ to }) => to === 'offered' || to === 'cancelled');
      await expectOnly({ states: [] }, () => false);
      await expectOnly({ agent: WORKER, states: ['completed'] }, ({ to }) => to === 'completed');
    });

    it('all facts come in the order in which they became true', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }), openingOf({ id: 'b' }));
      await store.change([idOf('b')], acceptBy());
      await store.change([idOf('a')], cancelled);
      await put(store, openingOf({ id: 'c' }));
      await store.change([idOf('b')], deliverAndVerify(1));
      const all = await feedOf(store, 7);
      expect(all.map(({ fact }) => `${fact.handoff} ${fact.deed}`)).toEqual([
        'a create',
        'b create',
        'b accept',
        'a cancel',
        'c create',
        'b deliver',
        'b verify',
      ]);
    });

    it('a cursor continues after what was read, and waits at the end', async () => {
      const { store } = await open();
      await put(store, ...openingsOf(3, 'a'));
      await feedOf(store, 3);
      const first = await store.facts({ max: 2 });
      expect(first.map((read) => read.fact.handoff)).toEqual(['a-0', 'a-1']);
      const second = await store.facts({ max: 2, after: first.at(-1)!.cursor });
      expect(second.map((read) => read.fact.handoff)).toEqual(['a-2']);
      const end = second.at(-1)!.cursor;
      expect(await store.facts({ max: 2, after: end })).toEqual([]);
      await put(store, openingOf({ id: 'b' }));
      expect((await feedOf(store, 1, end)).map((read) => read.fact.handoff)).toEqual(['b']);
    });

    it('the facts of one decision are never torn apart by those of another', async () => {
      const { store } = await open();
      await put(store, ...openingsOf(20, 'a'));
      await store.claim(WORKER, 20, acceptBy());
      await Promise.all(openingsOf(20, 'a').map(async ({ id }) => store.change([id], deliverAndVerify(1))));
      const settled = (await feedOf(store, 80)).slice(40).map((read) => read.fact);
      for (let at = 0; at < settled.length; at += 2) {
        expect([settled[at]?.deed, settled[at + 1]?.deed]).toEqual(['deliver', 'verify']);
        expect(settled[at]?.handoff).toBe(settled[at + 1]?.handoff);
      }
    });

    it('I17: a cursor skips nothing and repeats nothing while others write', async () => {
      const { store } = await open();
      await putHeld(store, ...openingsOf(10, 'a'));
      const writers = Array.from({ length: 10 }, async (_, writer) => {
        for (let round = 0; round < 20; round += 1) {
          valueOf((await store.change([idOf(`a-${(writer + round) % 10}`)], progressed))[0]);
        }
      });
      const [seen] = await Promise.all([followFacts(store, 220), ...writers]);
      const whole = await feedOf(store, 220);
      expect(seen).toEqual(whole.map((read) => read.fact));
      expect(new Set(seen.map((fact) => `${fact.handoff}/${fact.revision}`)).size).toBe(220);
    });
  });
}
