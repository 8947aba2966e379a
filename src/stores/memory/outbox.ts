import type { Clock } from '../../foundation/clock.ts';
import type { Outbox } from '../store.ts';
import type { Shelf } from './shelf.ts';

export function openOutbox(shelf: Shelf, clock: Clock): Outbox {
  return {
    async due(max) {
      const nowMs = clock.monotonicMs();
      const due = [...shelf.effects.values()].filter((waiting) => waiting.dueAtMs <= nowMs);
      return due.slice(0, max).map((waiting) => waiting.effect);
    },
    async done(keys) {
      for (const key of keys) shelf.effects.delete(key);
    },
    async later(key, inMs) {
      const waiting = shelf.effects.get(key);
      if (waiting !== undefined) shelf.effects.set(key, { ...waiting, dueAtMs: clock.monotonicMs() + inMs });
    },
  };
}
