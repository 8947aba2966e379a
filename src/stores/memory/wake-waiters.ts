/** Wakes waiters when something changes. A waiter is a sleep that a notification ends early. */
import type { Timers } from '../../foundation/clock.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { POLL_MS, type Topic } from '../store.ts';

export type ChangeNotifier = ReturnType<typeof openChangeNotifier>;

interface Waiter {
  readonly topic: Topic;
  readonly wake: () => void;
}

export function openChangeNotifier(timers: Timers) {
  const waiters = new Set<Waiter>();
  let ended = false;
  return {
    async changed(topic: Topic, signal: AbortSignal) {
      if (ended || signal.aborted) return;
      const woken = new AbortController();
      const waiter = { topic, wake: () => woken.abort() };
      waiters.add(waiter);
      signal.addEventListener('abort', waiter.wake, { once: true });
      await timers.sleep(POLL_MS, woken.signal);
      signal.removeEventListener('abort', waiter.wake);
      waiters.delete(waiter);
    },
    notify(written: readonly Handoff[]) {
      for (const waiter of waiters) {
        if (written.some((handoff) => concerns(handoff, waiter.topic))) waiter.wake();
      }
    },
    /** Wakes all waiters; later ones return at once. */
    end() {
      ended = true;
      for (const waiter of waiters) waiter.wake();
    },
  };
}

/** No move stays in `offered` or in a final state, so a written handoff in such a state has just reached it. */
function concerns({ state, to }: Handoff, topic: Topic): boolean {
  return topic.kind === 'settled' ? isFinal(state) : state === 'offered' && to === topic.agent;
}
