/**
 * All waits for settled handoffs share one call of `store.changed`: a call per wait, with a signal to cancel it, costs more
 * than reading the record.
 */
import type { Store } from '../stores/store.ts';

const shared = new WeakMap<Store, { waiters: number; hint: Promise<void> | null; stop: AbortController | null }>();

export function settledNotifier(store: Store) {
  const own = shared.get(store) ?? { waiters: 0, hint: null, stop: null };
  shared.set(store, own);
  own.waiters += 1;
  return {
    /** Resolves when something may have been settled since the call. Call first, then read, then wait. */
    next: () => {
      own.stop ??= new AbortController();
      if (own.hint !== null) return own.hint;
      const hint = store.changed({ kind: 'settled' }, own.stop.signal).finally(() => {
        // A cancelled hint ends late, perhaps after the next one has begun.
        if (own.hint === hint) own.hint = null;
      });
      own.hint = hint;
      return hint;
    },
    /** The caller is done waiting. The last caller cancels the hint. */
    leave: () => {
      own.waiters -= 1;
      if (own.waiters > 0) return;
      // Without a reason, an error with a stack is created, which costs time.
      own.stop?.abort('over');
      own.stop = null;
      own.hint = null;
    },
  };
}
