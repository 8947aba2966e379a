/**
 * What a worker has claimed beyond its hands. Where handlers are quicker than a way to the database, a worker that asks
 * for one at a time is idle for most of its life; where they are slow, nothing is taken that others could begin with.
 *
 * Measured on PostgreSQL with one sender and a worker with one hand, on a busy machine: 108 and 292 lives a second instead
 * of 82 and 169, because a worker that asks for one at a time falls behind the sender.
 */
import type { Clock, Timers } from '../foundation/clock.ts';
import { CLAIM_MAX, type Claimed } from '../stores/store.ts';

/** How long the hands are busy with what lies here, at most and by their own measure. */
const WORTH_MS = 20;
/** A hand got stuck: others may have what has been lying here for this long. */
const PATIENCE_MS = 100;
/** How much the newest handler says about the next one. */
const NEWEST = 0.2;

export interface Prefetched {
  readonly claimed: Claimed;
  /** When the claim was asked for. */
  readonly askedMs: number;
}

export interface Prefetch {
  readonly size: number;
  /** How many more than lie here, and than its hands can take, a worker may ask for now. */
  room(concurrency: number): number;
  /** What a claim brought, so that the next one asks for more where there is more. */
  brought(asked: number, got: number): void;
  /** How long a handler took. */
  took(ms: number): void;
  put(items: readonly Prefetched[]): void;
  /** The hands have what they can take: what still lies here is watched from now on. */
  attend(): void;
  take(): Prefetched | undefined;
  takeAll(): readonly Prefetched[];
}

/** `giveBack` gets what nobody here comes to. */
export function openPrefetch(
  { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
  over: AbortSignal,
  giveBack: (items: readonly Prefetched[]) => void,
): Prefetch {
  let items: Prefetched[] = [];
  let meanMs: number | null = null;
  let reach = 0;
  let isWatched = false;

  const watch = async (): Promise<void> => {
    while (items.length > 0 && !over.aborted) {
      await timers.sleep(PATIENCE_MS, over);
      const limitMs = clock.monotonicMs() - PATIENCE_MS;
      const old = items.filter(({ askedMs }) => askedMs <= limitMs);
      if (old.length === 0) continue;
      items = items.filter(({ askedMs }) => askedMs > limitMs);
      reach = 0;
      giveBack(old);
    }
    isWatched = false;
  };

  return {
    get size() {
      return items.length;
    },
    room(concurrency) {
      if (meanMs === null || meanMs > WORTH_MS) return 0;
      const worth = meanMs === 0 ? CLAIM_MAX : Math.floor(WORTH_MS / meanMs) * concurrency;
      return Math.max(0, Math.min(reach, worth, CLAIM_MAX) - items.length);
    },
    brought(asked, got) {
      reach = got < asked ? got : Math.min(CLAIM_MAX, Math.max(1, reach) * 2);
    },
    took(ms) {
      meanMs = meanMs === null ? ms : meanMs + (ms - meanMs) * NEWEST;
    },
    put(more) {
      items.push(...more);
    },
    attend() {
      if (isWatched || items.length === 0) return;
      isWatched = true;
      void watch();
    },
    take: () => items.shift(),
    takeAll() {
      const all = items;
      items = [];
      return all;
    },
  };
}
