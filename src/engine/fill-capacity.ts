/** Offers handoffs that wait for room under a limit, oldest first, as soon as there is room. */
import { err } from '../foundation/result.ts';
import type { Decide } from '../domain/decision.ts';
import { change } from './change.ts';
import type { Context } from './context.ts';
import { thenBlock } from './handoffs/activate.ts';
import { blockReasonOf } from './handoffs/dependencies.ts';
import { decideUnblocked } from './handoffs/dependents.ts';
import { pagesOf } from './handoffs/find.ts';

const PAGE = 200;
/** Reads on even if many handoffs wait for an agent that is at its limit. */
const PAGES_MAX = 25;

export async function fillFreeCapacity(ctx: Context): Promise<number> {
  const full = new Set<string>();
  let changed = 0;
  for await (const page of pagesOf(ctx.store, { by: 'places', max: PAGE }, PAGES_MAX)) {
    for (const handoff of page) {
      if (full.has(`outgoing ${handoff.from}`) || full.has(`incoming ${handoff.to}`)) continue;
      const moved = await change(ctx, handoff, thenBlock(decidePlaced, await blockReasonOf(ctx, handoff)));
      if (moved.ok) changed += 1;
      else if (moved.refusal.code === 'limit-reached') full.add(`${moved.refusal.direction} ${moved.refusal.agent}`);
    }
  }
  return changed;
}

const decidePlaced: Decide = (handoff, nowMs) =>
  handoff.blockedOn?.reason === 'place' ? unblocked(handoff, nowMs) : err({ code: 'not-overdue', id: handoff.id });

const unblocked = decideUnblocked('a place is free');
