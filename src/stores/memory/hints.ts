/** Wakes those who wait for something to happen. A waiter is a sleep that an event cuts short. */
import type { Timers } from '../../foundation/clock.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { POLL_MS, type Topic } from '../store.ts';
import type { Step } from './shelf.ts';

export interface Hints {
  changed(topic: Topic, signal: AbortSignal): Promise<void>;
  ring(steps: readonly Step[]): void;
  /** Wakes everybody, now and from now on. */
  end(): void;
}

interface Waiter {
  readonly topic: Topic;
  readonly wake: () => void;
}

export function openHints(timers: Timers): Hints {
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
    ring(steps) {
      for (const waiter of waiters) {
        if (steps.some((step) => concerns(step, waiter.topic))) waiter.wake();
      }
    },
    end() {
      ended = true;
      for (const waiter of waiters) waiter.wake();
    },
  };
}

function concerns({ before, after }: Step, topic: Topic): boolean {
  if (before?.state === after.state) return false;
  return topic.kind === 'settled' ? isFinal(after.state) : after.state === 'offered' && after.to === topic.agent;
}
