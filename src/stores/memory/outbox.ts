import type { Clock } from '../../foundation/clock.ts';
import { inboxKind } from '../../domain/decision.ts';
import type { Outbox } from '../store.ts';
import { NEVER, type Tables } from './tables.ts';

export function openOutbox(tables: Tables, clock: Clock): Outbox {
  const plan = (key: string, dueAtMs: number | null, tries?: number): void => {
    const kept = tables.effects.get(key);
    if (kept === undefined || kept.dueAtMs === null) return;
    const effect = tries === undefined ? kept.effect : { ...kept.effect, tries };
    tables.effects.set(key, { effect, dueAtMs });
  };
  return {
    async due(max) {
      const nowMs = clock.monotonicMs();
      const due = [...tables.effects.values()].filter(({ dueAtMs }) => dueAtMs !== null && dueAtMs <= nowMs);
      return due.slice(0, max).map(({ effect }) => effect);
    },
    async done(keys) {
      for (const key of keys) plan(key, null);
    },
    async take(key, forMs) {
      const dueAtMs = tables.effects.get(key)?.dueAtMs ?? NEVER;
      if (dueAtMs > clock.monotonicMs()) return false;
      plan(key, clock.monotonicMs() + forMs);
      return true;
    },
    async postpone(key, inMs, tries) {
      if (tables.effects.get(key)?.dueAtMs !== NEVER) plan(key, clock.monotonicMs() + inMs, tries);
    },
    async drop(key, says) {
      const kept = tables.effects.get(key);
      if (kept !== undefined && kept.dueAtMs !== null) {
        tables.effects.set(key, { ...kept, dueAtMs: null, dropped: { at: clock.nowMs(), says } });
      }
    },
    async dropped(max) {
      const given = [...tables.effects.values()].flatMap(({ effect, dropped }) =>
        dropped === undefined ? [] : [{ ...effect, droppedAt: dropped.at, says: dropped.says }],
      );
      return given
        .toReversed()
        .toSorted((a, b) => b.droppedAt - a.droppedAt)
        .slice(0, max);
    },
    async requeue(key) {
      const kept = tables.effects.get(key);
      if (kept?.dropped === undefined) return false;
      const { tries, ...effect } = kept.effect;
      void tries;
      tables.effects.set(key, { effect, dueAtMs: clock.monotonicMs() });
      return true;
    },
    async inbox(agent, max) {
      const unread = [...tables.effects.values()].filter(
        ({ effect, dueAtMs }) => effect.kind === inboxKind(agent) && dueAtMs !== null,
      );
      return unread.slice(0, max).map(({ effect }) => effect);
    },
  };
}
