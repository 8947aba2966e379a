/** Wakes waiters when something changes. A waiter is a sleep that a notification ends early. */
import type { Timers } from '../../foundation/clock.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { POLL_MS, type Topic } from '../store.ts';

export interface ChangeNotifier {
  changed(topic: Topic, signal: AbortSignal): Promise<void>;
  notify(written: readonly Handoff[]): void;
  /** Wakes all waiters; later ones return at once. */
  end(): void;
}

interface Waiter {
  readonly topic: Topic;
  readonly wake: () => void;
}

export function openChangeNotifier(timers: Timers): ChangeNotifier {
  const waiters = new Set<Waiter>();
  let ended = false;
  return {
    async changed(topic, signal) {
      if (ended || signal.aborted) return;
      const woken = new AbortController();
      const waiter = { topic, wake: () => woken.abort() };
      waiters.add(waiter);
      signal.addEventListener('abort', waiter.wake, { once: true });
      await timers.sleep(POLL_MS, woken.signal);
      signal.removeEventListener('abort', waiter.wake);
      waiters.delete(waiter);
    },
    notify(written) {
      for (const waiter of waiters) {
        if (written.some((handoff) => concerns(handoff, waiter.topic))) waiter.wake();
      }
    },
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
