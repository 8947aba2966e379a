/** Gives places that have become free to those that wait for one, oldest first. */
import { err } from '../foundation/result.ts';
import type { Decide } from '../domain/decision.ts';
import type { Handoff } from '../domain/handoff.ts';
import { unblock } from '../domain/moves/block.ts';
import { SYSTEM } from '../domain/principal.ts';
import { andThen, change, decideBy } from './change.ts';
import type { Context } from './context.ts';
import { decideWaiting } from './handoffs/activate.ts';
import { awaited } from './handoffs/dependencies.ts';

const PAGE = 200;
/** However many wait for an agent that is full, those behind them are looked at too. */
const PAGES_MAX = 25;

export async function fillFreeCapacity(ctx: Context): Promise<number> {
  const full = new Set<string>();
  let changed = 0;
  let after: string | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const found = await ctx.store.find({ by: 'places', max: PAGE, ...(after === null ? {} : { after }) });
    for (const handoff of found.items) {
      if (full.has(`outgoing ${handoff.from}`) || full.has(`incoming ${handoff.to}`)) continue;
      const reason = await awaited(ctx, handoff);
      const moved = await change(
        ctx,
        handoff,
        reason === null ? decidePlaced : andThen(decidePlaced, () => true, decideWaiting(reason)),
      );
      if (moved.ok) changed += 1;
      else if (moved.refusal.code === 'limit-reached') full.add(`${moved.refusal.direction} ${moved.refusal.agent}`);
    }
    after = found.next;
    if (after === null) break;
  }
  return changed;
}

const decidePlaced: Decide = (handoff, nowMs) =>
  isWaiting(handoff) ? unblocked(handoff, nowMs) : err({ code: 'not-overdue', id: handoff.id });

function isWaiting({ blockedOn }: Handoff): boolean {
  return blockedOn?.reason === 'place';
}

const unblocked = decideBy(SYSTEM, 'unblock', (handoff, nowMs) => ({
  deed: 'unblock',
  moved: unblock(handoff, nowMs),
  detail: { reason: 'a place is free' },
}));
