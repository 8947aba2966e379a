/** Records are the store's own: nobody changes them by changing what they gave or got. */
import { describe, expect, it } from 'vitest';
import { SESSION_LEASE_MS } from '../../../src/domain/deadlines.ts';
import type { Effect } from '../../../src/domain/decision.ts';
import { acceptBy, idOf, jsonOf, openingOf, processOf, sessionOf, WORKER } from '../builders.ts';
import { everythingIn, put, wholeOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

/** Overwrites everything in it that lets itself be overwritten. */
function scribbleOn(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    scribbleOn(inner);
    Reflect.set(value, key, 'scribble');
  }
  if (Array.isArray(value) && !Object.isFrozen(value)) value.push('scribble');
}

export function describeIsolation(open: OpenStore): void {
  describe('isolation', () => {
    it('what a caller has given is no longer theirs to change', async () => {
      const { store } = await open();
      const effects: Effect[] = [{ key: 'k', kind: 'notify', payload: jsonOf(1) }];
      const opening = openingOf({ id: 'a', dependsOn: ['b'], terms: { criteria: ['good'] }, effects });
      const given: unknown[] = [effects];
      const listening = {
        ...opening,
        decide: (...args: Parameters<typeof opening.decide>) => {
          // Cloned, because records share constants of the domain that nobody is to scribble on.
          const decided = structuredClone(opening.decide(...args));
          given.push(decided);
          return decided;
        },
      };
      await put(store, listening);
      const before = await everythingIn(store);
      scribbleOn(given);
      expect(await everythingIn(store)).toEqual(before);
    });

    it('what a caller has got is not the record itself', async () => {
      const { store } = await open();
      const got: unknown[] = [await put(store, openingOf({ id: 'a', terms: { deliverables: ['chair'] } }))];
      got.push(await store.claim(WORKER, 1, acceptBy()));
      const before = await everythingIn(store);
      got.push(await store.load(idOf('a')));
      got.push(await store.find({ by: 'ids', ids: [idOf('a')] }));
      got.push(await store.find({ by: 'filter', max: 1 }));
      got.push(await store.facts({ max: 10 }));
      got.push(await store.outbox.due(10));
      scribbleOn(got);
      expect(await everythingIn(store)).toEqual(before);
      expect((await wholeOf(store, idOf('a'))).handoff.terms.deliverables).toEqual(['chair']);
    });

    it('a decision that scribbles on the record it is shown, and then refuses, changes nothing', async () => {
      const { store } = await open();
      const [made] = await put(store, openingOf({ id: 'a' }));
      const before = await everythingIn(store);
      await store.change([made!], (handoff) => {
        scribbleOn(handoff);
        return { ok: false, refusal: { code: 'not-overdue', id: idOf('a') } };
      });
      expect(await everythingIn(store)).toEqual(before);
    });

    it('sessions are copies as well', async () => {
      const { store } = await open();
      const process = { ...processOf() };
      const id = sessionOf('copied');
      await store.sessions.open({ id, agent: WORKER, process, leaseMs: SESSION_LEASE_MS });
      const groups = [{ handoff: idOf('a'), group: 1, startedAt: '2' }];
      await store.sessions.running(id, groups);
      scribbleOn([process, groups, await store.sessions.list()]);
      const after = (await store.sessions.list()).find((session) => session.id === id);
      expect(after).toMatchObject({ process: processOf(), groups: [{ group: 1 }] });
    });
  });
}
