/** The duty's part in a folder: a pass when something has come, and a slow one in any case. */
import type { QueueMirror, Context } from '../context.ts';

const SLOW_LOOK_MS = 1_000;
/** For what the hints have missed; it costs as much as a list of everything. */
const FULL_MS = 60_000;
/** Folders with very much in them are not listed all the time. */
const LISTING_SHARE = 3;
/**
 * Passes follow each other as slowly as they are expensive, but two may follow at once: a program makes a file and then
 * writes it, and the first pass may come in between.
 */
const SETTLE_MS = 40;
const SETTLE_FACTOR = 8;
/** Whoever has not been asked for this long no longer has the duty. */
const OFF_DUTY_MS = 2_000;

/** `look` never waits: whoever has a folder full of files to take in must still hear of dead workers. */
export function folderDuty(
  ctx: Context,
  queue: Pick<QueueMirror, 'sync' | 'watch'>,
  name: 'queue' | 'document',
): { readonly look: () => void; readonly end: () => Promise<void> } {
  const { clock, timers } = ctx;
  let round: Promise<void> | null = null;
  let watching: { close(): void } | null = null;
  const over = new AbortController();
  let rang = true;
  let askedMs = Number.NEGATIVE_INFINITY;
  let listedMs = Number.NEGATIVE_INFINITY;
  let pauseMs = SLOW_LOOK_MS;
  let fullMs = Number.NEGATIVE_INFINITY;
  let beganMs = 0;
  let passMs = 0;
  let endedMs = Number.NEGATIVE_INFINITY;
  let endedBeforeMs = Number.NEGATIVE_INFINITY;

  const pass = async (): Promise<void> => {
    // The first of several rings is heard at once; the others wait until this pass is over.
    const restMs = Math.min(SETTLE_MS, passMs * SETTLE_FACTOR) - (clock.monotonicMs() - endedBeforeMs);
    if (restMs > 0) await timers.sleep(restMs);
    const nowMs = clock.monotonicMs();
    beganMs = nowMs;
    const isFull = nowMs - fullMs >= FULL_MS;
    const isSlow = isFull || nowMs - listedMs >= pauseMs;
    rang = false;
    if (isFull) fullMs = nowMs;
    await queue.sync(isFull ? 'full' : isSlow ? 'quick' : 'told', { signal: over.signal });
    if (isSlow) {
      listedMs = clock.monotonicMs();
      pauseMs = Math.max(SLOW_LOOK_MS, (listedMs - nowMs) * LISTING_SHARE);
    }
    if (watching !== null || over.signal.aborted) return;
    // Only now, because before the first pass the folders need not be there; and what came meanwhile did not ring.
    watching = queue.watch(ring);
    fullMs = Number.NEGATIVE_INFINITY;
    rang = true;
  };

  const begin = (): void => {
    const nowMs = clock.monotonicMs();
    if (over.signal.aborted || round !== null || nowMs - askedMs > OFF_DUTY_MS) return;
    if (!rang && nowMs - listedMs < pauseMs) return;
    round = pass()
      .catch((error: unknown) => ctx.report({ kind: 'fault', doing: `keeping the ${name} folder`, error }))
      .finally(() => {
        round = null;
        endedBeforeMs = endedMs;
        endedMs = clock.monotonicMs();
        passMs = endedMs - beganMs;
        if (rang) begin();
      });
  };

  const ring = (): void => {
    rang = true;
    begin();
  };

  return {
    look: () => {
      askedMs = clock.monotonicMs();
      begin();
    },
    end: async () => {
      over.abort();
      watching?.close();
      await round;
    },
  };
}
