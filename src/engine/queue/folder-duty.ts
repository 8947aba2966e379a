/** The duty's work for a folder: a sync pass when a change is notified, and regular passes in any case. */
import type { QueueMirror, Context } from '../context.ts';

const POLL_MS = 1_000;
/** A full pass finds what notifications missed. It costs as much as listing everything. */
const FULL_MS = 60_000;
/** Listing takes at most a quarter of the time, however many files there are. */
const LISTING_SHARE = 3;
/**
 * The pause between passes grows with their cost, but two passes may follow at once: a program creates a file and then
 * writes it, and the first pass may run in between.
 */
const SETTLE_MS = 40;
const SETTLE_FACTOR = 8;
/** Without a call of `poll` for this long, the process no longer has the duty. */
const OFF_DUTY_MS = 2_000;

/** `poll` never waits: a duty holder with a full folder must still notice dead workers. */
export function folderDuty(
  ctx: Context,
  queue: Pick<QueueMirror, 'sync' | 'watch'>,
  name: 'queue' | 'document',
): { readonly poll: () => void; readonly end: () => Promise<void> } {
  const { clock, timers } = ctx;
  let round: Promise<void> | null = null;
  let watching: { close(): void } | null = null;
  const over = new AbortController();
  let isNotified = true;
  let polledMs = Number.NEGATIVE_INFINITY;
  let listedMs = Number.NEGATIVE_INFINITY;
  let pauseMs = POLL_MS;
  let fullMs = Number.NEGATIVE_INFINITY;
  let beganMs = 0;
  let passMs = 0;
  let endedMs = Number.NEGATIVE_INFINITY;
  let endedBeforeMs = Number.NEGATIVE_INFINITY;

  const pass = async (): Promise<void> => {
    // The first of several notifications starts a pass at once; the others wait until it is over.
    const restMs = Math.min(SETTLE_MS, passMs * SETTLE_FACTOR) - (clock.monotonicMs() - endedBeforeMs);
    if (restMs > 0) await timers.sleep(restMs);
    const nowMs = clock.monotonicMs();
    beganMs = nowMs;
    const isFull = nowMs - fullMs >= FULL_MS;
    const isSlow = isFull || nowMs - listedMs >= pauseMs;
    isNotified = false;
    if (isFull) fullMs = nowMs;
    await queue.sync(isFull ? 'full' : isSlow ? 'quick' : 'changes', { signal: over.signal });
    if (isSlow) {
      listedMs = clock.monotonicMs();
      pauseMs = Math.max(POLL_MS, (listedMs - nowMs) * LISTING_SHARE);
    }
    if (watching !== null || over.signal.aborted) return;
    // Only after the first pass, because before it the folders need not exist. Changes until now were not notified.
    watching = queue.watch(notify);
    fullMs = Number.NEGATIVE_INFINITY;
    isNotified = true;
  };

  const begin = (): void => {
    const nowMs = clock.monotonicMs();
    if (over.signal.aborted || round !== null || nowMs - polledMs > OFF_DUTY_MS) return;
    if (!isNotified && nowMs - listedMs < pauseMs) return;
    round = pass()
      .catch((error: unknown) => ctx.report({ kind: 'fault', doing: `keeping the ${name} folder`, error }))
      .finally(() => {
        round = null;
        endedBeforeMs = endedMs;
        endedMs = clock.monotonicMs();
        passMs = endedMs - beganMs;
        if (isNotified) begin();
      });
  };

  const notify = (): void => {
    isNotified = true;
    begin();
  };

  return {
    poll: () => {
      polledMs = clock.monotonicMs();
      begin();
    },
    end: async () => {
      over.abort();
      watching?.close();
      await round;
    },
  };
}
