/** What follows from a summary, worked out over what is known now; nothing is written here. */
import type { Json } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { NO_LINEAGE } from '../../domain/handoff.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Summary } from '../../domain/summary.ts';
import type { Context } from '../context.ts';
import { chainSoFar } from './chain.ts';
import { planFailure } from './plan-failure.ts';
import { nextLeg, opening, type Plan, type Situation } from './plan-next-leg.ts';

export type PlanRefusal =
  | Refusal
  | { readonly code: 'waits-for-nothing'; readonly from: AgentId }
  | { readonly code: 'retry-elsewhere'; readonly from: AgentId; readonly to: AgentId };

const QUIET: Pick<Plan, 'next' | 'tells' | 'told' | 'escalatedTo' | 'says'> = {
  next: null,
  tells: [],
  told: {},
  escalatedTo: null,
  says: [],
};

export async function planFor(ctx: Context, now: Situation): Promise<Result<Plan, PlanRefusal>> {
  const { summary, from, to } = now;
  switch (summary.status) {
    case 'complete':
      return ok(await opening(ctx, now, { ...QUIET, did: 'completed', word: { say: 'complete' } }, to));
    case 'in_progress': {
      const child = to === from ? null : to;
      return ok(await opening(ctx, now, { ...QUIET, did: 'noted', word: { say: 'progress' } }, child));
    }
    case 'blocked': {
      const on = now.waitsFor ?? waitsIn(summary);
      if (on === null) return err({ code: 'waits-for-nothing', from });
      return ok({ ...QUIET, did: 'blocked', word: { say: 'blocked', on } });
    }
    case 'pending':
      return draft(ctx, now);
    case 'failed':
    case 'retry':
      // It is offered to the same agent again: somebody else who is named here would wait for nothing.
      if (summary.status === 'retry' && to !== null && to !== from) return err({ code: 'retry-elsewhere', from, to });
      return ok(await planFailure(ctx, now, await chainSoFar(ctx, now.leg?.handoff ?? null, from)));
  }
}

/** A draft stands for itself: it says nothing about the leg that it may belong to. */
async function draft(ctx: Context, now: Situation): Promise<Result<Plan, Refusal>> {
  const next = await nextLeg(ctx, now, now.to ?? now.from, {});
  if (!next.ok) return next;
  const { leg, says } = next.value;
  const lineage = now.leg === null ? NO_LINEAGE : leg.lineage;
  return ok({ ...QUIET, did: 'drafted', word: null, next: { ...leg, lineage, as: 'draft' }, says });
}

/** Names under which agents tell what they wait for. */
const WAITS = ['waits_for', 'waiting_for', 'blocked_by', 'blocked_on', 'reason', 'question'] as const;

function waitsIn({ dependencies, context }: Summary): string | null {
  if (dependencies.length > 0) return dependencies.join(', ');
  for (const name of WAITS) {
    const said: Json | undefined = context[name];
    if (typeof said === 'string' && said.trim() !== '') return said;
  }
  return null;
}
