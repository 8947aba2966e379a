import { refuse, yes, type Result } from '../../foundation/result.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { may } from '../../domain/rights.ts';
import type { Whole } from '../../stores/store.ts';
import type { Surroundings } from '../surroundings.ts';

export type WaitRefusal = Refusal | { readonly code: 'timed-out'; readonly id: HandoffId; readonly afterMs: number };

/** Until the handoff is settled, or time is up, or the signal is aborted (which answers like time being up). */
export async function wait(
  around: Surroundings,
  principal: Principal,
  id: HandoffId,
  options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<Result<Whole, WaitRefusal>> {
  const { store, clock, timers } = around;
  const beganMs = clock.monotonicMs();
  const stop = new AbortController();
  // A reason given saves the making of an error with its stack, which nobody reads.
  const end = (): void => stop.abort('over');
  options.signal?.addEventListener('abort', end, { once: true });
  if (options.signal?.aborted === true) end();
  if (options.timeoutMs !== undefined) void timers.sleep(options.timeoutMs, stop.signal).then(end);
  try {
    for (;;) {
      // The hint is asked for first: what settles while we look is not missed.
      const hint = store.changed({ kind: 'settled' }, stop.signal);
      const { items } = await store.find({ by: 'ids', ids: [id] });
      const [handoff] = items;
      if (handoff === undefined) return refuse({ code: 'no-such-handoff', id });
      const entitled = may(principal, 'read', handoff);
      if (!entitled.ok) return entitled;
      if (isFinal(handoff.state)) {
        const whole = await store.load(id);
        return whole === null ? refuse({ code: 'no-such-handoff', id }) : yes(whole);
      }
      if (stop.signal.aborted) return refuse({ code: 'timed-out', id, afterMs: clock.monotonicMs() - beganMs });
      await hint;
    }
  } finally {
    options.signal?.removeEventListener('abort', end);
    end();
  }
}
