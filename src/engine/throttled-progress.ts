/** Only the newest progress counts, so a handler that reports a thousand times writes a few facts. */
import type { Handoff } from '../domain/handoff.ts';
import type { Principal } from '../domain/principal.ts';
import type { Context } from './context.ts';
import { progress, type Progress } from './handoffs/progress.ts';

const EVERY_MS = 1_000;

export function throttledProgress(
  ctx: Context,
  principal: Principal,
  { id, fence }: Handoff,
  over: AbortSignal,
): (fraction: number | null, says?: string) => void {
  let newest: Progress | null = null;
  let telling = false;
  let toldMs = Number.NEGATIVE_INFINITY;

  const tell = async (): Promise<void> => {
    while (newest !== null) {
      const leftMs = toldMs + EVERY_MS - ctx.clock.monotonicMs();
      if (leftMs > 0) await ctx.timers.sleep(leftMs, over);
      if (over.aborted) return;
      const said: Progress = newest;
      newest = null;
      toldMs = ctx.clock.monotonicMs();
      const told = await progress(ctx, principal, id, fence, said);
      // Settled or lost: there is nothing more to tell.
      if (!told.ok) return;
    }
  };

  return (fraction, says) => {
    newest = { fraction, says: says ?? null };
    if (telling || over.aborted) return;
    telling = true;
    void tell()
      .catch((error: unknown) => ctx.report({ kind: 'fault', doing: `telling the progress of ${id}`, error }))
      .finally(() => {
        telling = false;
      });
  };
}
