import type { Clock } from '../../foundation/clock.ts';
import type { Outbox } from '../store.ts';
import type { Shelf } from './shelf.ts';

export function openOutbox(shelf: Shelf, clock: Clock): Outbox {
  const plan = (key: string, dueAtMs: number | null, tries?: number): void => {
    const kept = shelf.effects.get(key);
    if (kept === undefined || kept.dueAtMs === null) return;
    const effect = tries === undefined ? kept.effect : { ...kept.effect, tries };
    shelf.effects.set(key, { effect, dueAtMs });
  };
  return {
    async due(max) {
      const nowMs = clock.monotonicMs();
      const due = [...shelf.effects.values()].filter(({ dueAtMs }) => dueAtMs !== null && dueAtMs <= nowMs);
      return due.slice(0, max).map(({ effect }) => effect);
    },
    async done(keys) {
      for (const key of keys) plan(key, null);
    },
    async later(key, inMs, tries) {
      plan(key, clock.monotonicMs() + inMs, tries);
    },
  };
}
