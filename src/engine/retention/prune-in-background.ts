/** Prunes regularly in the background, in the process with the duty, as set by `retention.days`. */
import type { Context } from '../context.ts';

/** The policy counts days, so an hour is often enough. */
const EVERY_MS = 60 * 60_000;

export function pruneInBackground(ctx: Context, signal: AbortSignal): { poll(): void; end(): Promise<void> } {
  const { clock, rules, store } = ctx;
  let lastMs = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | null = null;

  const run = async (ageMs: number): Promise<void> => {
    if (rules.archive === null) return;
    // Loaded here, because few processes prune.
    const { prune } = await import('./prune.ts');
    const { handoffs, archives } = await prune(ctx, rules.archive, {
      settledBefore: store.nowMs() - ageMs,
      isDryRun: false,
      signal,
    });
    if (handoffs > 0) ctx.report({ kind: 'pruned', handoffs, archives });
  };

  return {
    poll: () => {
      const { retentionMs } = rules;
      if (retentionMs === null || running !== null || clock.monotonicMs() - lastMs < EVERY_MS) return;
      lastMs = clock.monotonicMs();
      running = run(retentionMs)
        .catch((error: unknown) => ctx.report({ kind: 'fault', doing: 'pruning', error }))
        .finally(() => {
          running = null;
        });
    },
    end: async () => {
      await running;
    },
  };
}
