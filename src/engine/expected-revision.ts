/**
 * For a caller that may change only the revision that it has read: a context in which the first change is refused if the
 * handoff has a newer revision.
 */
import { err } from '../foundation/result.ts';
import type { Decide } from '../domain/decision.ts';
import type { HandoffId } from '../domain/names.ts';
import type { Principal } from '../domain/principal.ts';
import { isHidden } from '../domain/rights.ts';
import type { Store } from '../stores/store.ts';
import type { Context } from './context.ts';

/** `wasStale` answers whether a change was refused for that reason. */
export function expectRevision(ctx: Context, principal: Principal, id: HandoffId, revision: number) {
  let passed = false;
  let changed = false;
  const checked =
    (decide: Decide): Decide =>
    (handoff, nowMs) => {
      const isExpected = changed || handoff.id !== id || handoff.revision === revision;
      // The refusal reveals the revision, so only a principal that may read the handoff gets it.
      if (isExpected || isHidden(principal, handoff)) return decide(handoff, nowMs);
      passed = true;
      return err({ code: 'contended', id });
    };
  const change: Store['change'] = async (targets, decide) => {
    const answers = await ctx.store.change(targets, checked(decide));
    // An operation may take two steps; the second follows from the first.
    changed ||= answers.some((answer) => answer.ok && answer.value.id === id);
    return answers;
  };
  return { ctx: { ...ctx, store: { ...ctx.store, change } }, wasStale: () => passed };
}
