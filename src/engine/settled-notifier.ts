/**
 * All who wait for something to be settled share one hint of their store: a hint of one's own, with a signal to take it
 * back, costs more than a look.
 */
import type { Store } from '../stores/store.ts';

export interface SettledNotifier {
  /** Ends when something may have been settled since this was asked for. Ask first, then look, then wait. */
  next(): Promise<void>;
  /** Whoever has asked is done waiting; the last one takes the hint back. */
  leave(): void;
}

const bells = new WeakMap<Store, { waiters: number; hint: Promise<void> | null; stop: AbortController | null }>();

export function settledNotifier(store: Store): SettledNotifier {
  const bell = bells.get(store) ?? { waiters: 0, hint: null, stop: null };
  bells.set(store, bell);
  bell.waiters += 1;
  return {
    next: () => {
      bell.stop ??= new AbortController();
      if (bell.hint !== null) return bell.hint;
      const hint = store.changed({ kind: 'settled' }, bell.stop.signal).finally(() => {
        // One that was taken back ends late, when there is a new one perhaps.
        if (bell.hint === hint) bell.hint = null;
      });
      bell.hint = hint;
      return hint;
    },
    leave: () => {
      bell.waiters -= 1;
      if (bell.waiters > 0) return;
      // A reason given saves the making of an error with its stack, which nobody reads.
      bell.stop?.abort('over');
      bell.stop = null;
      bell.hint = null;
    },
  };
}
