/**
 * Handoffs that a worker has claimed before it has a free slot. Where handlers are faster than a round trip to the
 * database, a worker that claims one at a time is mostly idle. Where handlers are slow, nothing is prefetched, so that
 * other workers can start it.
 *
 * Measured on PostgreSQL with one sender and a worker with one slot, on a busy machine: 108 and 292 handoffs a second
 * instead of 82 and 169, because a worker that claims one at a time falls behind the sender.
 */
import type { Clock, Timers } from '../foundation/clock.ts';
import { CLAIM_MAX, type Claimed } from '../stores/store.ts';

/** How much work is prefetched at most, by the measured time of handlers. */
const PREFETCH_MS = 20;
/** A prefetched handoff that waits for longer than this is released, because a handler is stuck. */
const EXPIRE_MS = 100;
/** The weight of the newest handler time in the mean. */
const NEWEST_WEIGHT = 0.2;

export interface Prefetched {
  readonly claimed: Claimed;
  /** When the claim was sent. */
  readonly askedMs: number;
}

export interface Prefetch {
  readonly size: number;
  /** How many handoffs the worker may claim now beyond its free slots. */
  missing(concurrency: number): number;
  /** Records the size of a claim, so that the next one is larger where there is more. */
  recordClaim(asked: number, got: number): void;
  /** Records how long a handler took. */
  recordHandlerTime(ms: number): void;
  put(items: readonly Prefetched[]): void;
  /** All slots are filled: from now on, what waits too long is released. */
  startExpiry(): void;
  take(): Prefetched | undefined;
  takeAll(): readonly Prefetched[];
}

/** `giveBack` gets the handoffs that waited too long. */
export function openPrefetch(
  { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
  stopped: AbortSignal,
  giveBack: (items: readonly Prefetched[]) => void,
): Prefetch {
  let items: Prefetched[] = [];
  let meanMs: number | null = null;
  let sizeMax = 0;
  let isExpiring = false;

  const expireOld = async (): Promise<void> => {
    while (items.length > 0 && !stopped.aborted) {
      await timers.sleep(EXPIRE_MS, stopped);
      const limitMs = clock.monotonicMs() - EXPIRE_MS;
      const old = items.filter(({ askedMs }) => askedMs <= limitMs);
      if (old.length === 0) continue;
      items = items.filter(({ askedMs }) => askedMs > limitMs);
      sizeMax = 0;
      giveBack(old);
    }
    isExpiring = false;
  };

  return {
    get size() {
      return items.length;
    },
    missing(concurrency) {
      if (meanMs === null || meanMs > PREFETCH_MS) return 0;
      const worth = meanMs === 0 ? CLAIM_MAX : Math.floor(PREFETCH_MS / meanMs) * concurrency;
      return Math.max(0, Math.min(sizeMax, worth, CLAIM_MAX) - items.length);
    },
    recordClaim(asked, got) {
      sizeMax = got < asked ? got : Math.min(CLAIM_MAX, Math.max(1, sizeMax) * 2);
    },
    recordHandlerTime(ms) {
      meanMs = meanMs === null ? ms : meanMs + (ms - meanMs) * NEWEST_WEIGHT;
    },
    put(more) {
      items.push(...more);
    },
    startExpiry() {
      if (isExpiring || items.length === 0) return;
      isExpiring = true;
      void expireOld();
    },
    take: () => items.shift(),
    takeAll() {
      const all = items;
      items = [];
      return all;
    },
  };
}
