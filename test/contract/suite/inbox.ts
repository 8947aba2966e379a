/** What agents are told: there until it is read, and never something to be done. */
import { describe, expect, it } from 'vitest';
import { inboxKind, type Effect } from '../../../src/domain/decision.ts';
import { agentOf, idOf, jsonOf, openingOf, renewUntil, acceptByHand, FAR_AHEAD } from '../builders.ts';
import { ALL, put } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

const [ANN, BOB] = [agentOf('ann'), agentOf('bob')];

function entryFor(agent: typeof ANN, key: string): Effect {
  return { key, kind: inboxKind(agent), payload: jsonOf({ says: key }) };
}

const DUTY: Effect = { key: 'duty', kind: 'notify', payload: jsonOf(null) };

export function describeInbox(open: OpenStore): void {
  describe('inbox', () => {
    it('has what an agent was told and has not read, oldest first, as it was written', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', effects: [entryFor(ANN, '1'), entryFor(BOB, '2'), DUTY] }));
      await store.change([idOf('a')], acceptByHand());
      await store.change([idOf('a')], (handoff, nowMs) => {
        const decided = renewUntil(FAR_AHEAD, 1)(handoff, nowMs);
        return decided.ok
          ? { ok: true, value: { ...decided.value, effects: [entryFor(ANN, '3'), entryFor(ANN, '1')] } }
          : decided;
      });
      expect(await store.outbox.inbox(ANN, ALL)).toEqual([entryFor(ANN, '1'), entryFor(ANN, '3')]);
      expect(await store.outbox.inbox(ANN, 1)).toEqual([entryFor(ANN, '1')]);
      expect(await store.outbox.inbox(BOB, ALL)).toEqual([entryFor(BOB, '2')]);
      expect(await store.outbox.inbox(agentOf('an'), ALL)).toEqual([]);
    });

    it('is never due, also not later', async ({ skip }) => {
      const { store, clock, controlsTime } = await open();
      await put(store, openingOf({ id: 'a', effects: [entryFor(ANN, '1'), DUTY] }));
      expect(await store.outbox.due(ALL)).toEqual([DUTY]);
      await store.outbox.postpone('1', 0);
      await store.outbox.postpone('duty', 0);
      expect(await store.outbox.due(ALL)).toEqual([DUTY]);
      expect(await store.outbox.inbox(ANN, ALL)).toEqual([entryFor(ANN, '1')]);
      skip(!controlsTime, 'the store has its own clock');
      clock.advance(100 * 365 * 24 * 60 * 60_000);
      expect(await store.outbox.due(ALL)).toEqual([DUTY]);
    });

    it('what is done is read, and does not come again with the same key', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', effects: [entryFor(ANN, '1'), entryFor(ANN, '2')] }));
      await store.outbox.done(['1', 'unknown']);
      await put(store, openingOf({ id: 'b', effects: [entryFor(ANN, '1')] }));
      expect(await store.outbox.inbox(ANN, ALL)).toEqual([entryFor(ANN, '2')]);
      await store.outbox.done(['2']);
      expect(await store.outbox.inbox(ANN, ALL)).toEqual([]);
      expect(await store.outbox.due(ALL)).toEqual([]);
    });
  });
}
