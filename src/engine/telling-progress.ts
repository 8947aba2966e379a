/** Progress is for whoever watches: the newest word counts, and a handler that says a thousand writes a few facts. */
import type { Handoff } from '../domain/handoff.ts';
import type { Principal } from '../domain/principal.ts';
import type { Surroundings } from './surroundings.ts';
import { progress, type Progress } from './verbs/progress.ts';

const EVERY_MS = 1_000;

export function tellingProgress(
  around: Surroundings,
  principal: Principal,
  { id, fence }: Handoff,
  over: AbortSignal,
): (fraction: number | null, says?: string) => void {
  let newest: Progress | null = null;
  let telling = false;
  let toldMs = Number.NEGATIVE_INFINITY;

  const tell = async (): Promise<void> => {
    while (newest !== null) {
      const leftMs = toldMs + EVERY_MS - around.clock.monotonicMs();
      if (leftMs > 0) await around.timers.sleep(leftMs, over);
      if (over.aborted) return;
      const said: Progress = newest;
      newest = null;
      toldMs = around.clock.monotonicMs();
      const told = await progress(around, principal, id, fence, said);
      // Settled or lost: there is nothing more to tell.
      if (!told.ok) return;
    }
  };

  return (fraction, says) => {
    newest = { fraction, says: says ?? null };
    if (telling || over.aborted) return;
    telling = true;
    void tell()
      .catch((error: unknown) => around.report({ kind: 'fault', doing: `telling the progress of ${id}`, error }))
      .finally(() => {
        telling = false;
      });
  };
}
