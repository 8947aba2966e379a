import { err, ok, type Result } from '../../foundation/result.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { StoredHandoff } from '../../stores/store.ts';
import { settledNotifier } from '../settled-notifier.ts';
import type { Context } from '../context.ts';
import { handoffFor } from './find.ts';

export type WaitRefusal = Refusal | { readonly code: 'timed-out'; readonly id: HandoffId; readonly afterMs: number };

export interface WaitOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Waits until the handoff is settled. A timeout and an aborted signal are refused as `timed-out`. */
export async function wait(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  options: WaitOptions = {},
): Promise<Result<StoredHandoff, WaitRefusal>> {
  const { store, clock } = ctx;
  const beganMs = clock.monotonicMs();
  const limit = limitOf(ctx, options);
  const notifier = settledNotifier(store);
  try {
    for (let isKnown = false; ; isKnown = true) {
      const hint = notifier.next();
      const read = isKnown ? ok(await store.load(id, 'settled')) : await firstRead(ctx, principal, id);
      if (!read.ok) return read;
      if (read.value !== null) return ok(read.value);
      if (limit?.isOver() === true) return err({ code: 'timed-out', id, afterMs: clock.monotonicMs() - beganMs });
      await (limit === null ? hint : Promise.race([hint, limit.over]));
    }
  } finally {
    limit?.end();
    notifier.leave();
  }
}

/** Null: the handoff is not settled yet. */
async function firstRead(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
): Promise<Result<StoredHandoff | null, Refusal>> {
  const handoff = await handoffFor(ctx, principal, 'read', id);
  if (!handoff.ok) return handoff;
  return ok(isFinal(handoff.value.state) ? await ctx.store.load(id, 'settled') : null);
}

/** Null: the wait has no limit. */
function limitOf({ timers }: Context, { timeoutMs, signal }: WaitOptions) {
  if (timeoutMs === undefined && signal === undefined) return null;
  const stop = new AbortController();
  const end = (): void => stop.abort('over');
  const over = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve(), { once: true }));
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted === true) end();
  if (timeoutMs !== undefined) void timers.sleep(timeoutMs, stop.signal).then(end);
  return {
    over,
    isOver: () => stop.signal.aborted,
    end: () => {
      signal?.removeEventListener('abort', end);
      end();
    },
  };
}
