/** Writes at most one progress fact a second, always the newest: a handler may report a thousand times. */
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
  let isWriting = false;
  let writtenMs = Number.NEGATIVE_INFINITY;

  const writeNewest = async (): Promise<void> => {
    while (newest !== null) {
      const leftMs = writtenMs + EVERY_MS - ctx.clock.monotonicMs();
      if (leftMs > 0) await ctx.timers.sleep(leftMs, over);
      if (over.aborted) return;
      const current: Progress = newest;
      newest = null;
      writtenMs = ctx.clock.monotonicMs();
      const written = await progress(ctx, principal, id, fence, current);
      // The handoff is settled or lost.
      if (!written.ok) return;
    }
  };

  return (fraction, says) => {
    newest = { fraction, says: says ?? null };
    if (isWriting || over.aborted) return;
    isWriting = true;
    void writeNewest()
      .catch((error: unknown) => ctx.report({ kind: 'fault', doing: `writing the progress of ${id}`, error }))
      .finally(() => {
        isWriting = false;
      });
  };
}
