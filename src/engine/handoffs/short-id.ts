/** Finds the handoff that a person means by the first digits of the random part of its id. */
import { err, ok, type Result } from '../../foundation/result.ts';
import { isShortId, type HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import { may } from '../../domain/rights.ts';
import type { Context } from '../context.ts';
import { findHandoff } from './find.ts';

/** Six digits are shared by this many only where there are hundreds of millions of handoffs. */
const MATCHES_MAX = 50;
/** How many ids a refusal names. */
const NAMED_MAX = 5;

export interface AmbiguousId {
  readonly code: 'ambiguous-id';
  readonly short: string;
  readonly ids: readonly HandoffId[];
}

/**
 * Returns the given id unchanged if it is not a short id, is the id of a handoff, or matches none that the principal may
 * read: the operation itself then reports that there is no such handoff.
 */
export async function wholeIdOf(
  ctx: Context,
  principal: Principal,
  given: HandoffId,
): Promise<Result<HandoffId, AmbiguousId>> {
  if (!isShortId(given) || (await findHandoff(ctx, given)) !== null) return ok(given);
  const { items } = await ctx.store.find({ by: 'short-id', short: given, max: MATCHES_MAX });
  const ids = items.filter((handoff) => may(principal, 'read', handoff).ok).map(({ id }) => id);
  if (ids.length > 1) return err({ code: 'ambiguous-id', short: given, ids: ids.slice(0, NAMED_MAX) });
  return ok(ids[0] ?? given);
}
