/** The evidence of a handoff for its verifiers: diffs, and the results of checks now. */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { isHidden, may } from '../../domain/rights.ts';
import type { Context } from '../context.ts';
import type { ShownEvidence } from '../evidence-checker.ts';
import { findHandoff } from './find.ts';

/**
 * For the operator and for those who may verify the handoff. Its doer may not: they could name any file of the workspace
 * as evidence, and read it here.
 */
export async function shownEvidence(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  signal?: AbortSignal,
): Promise<Result<readonly ShownEvidence[], Refusal>> {
  const handoff = await findHandoff(ctx, id);
  if (handoff === null || isHidden(principal, handoff)) return err({ code: 'no-such-handoff', id });
  const entitled = principal.kind === 'operator' ? ok(handoff) : may(principal, 'verify', handoff);
  if (!entitled.ok) return entitled;
  return ok(await ctx.rules.evidence.show(handoff.claims, handoff, signal));
}
