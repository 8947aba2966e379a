/** A parent that waits for its children and gets their results, sent with them in one transaction. */
import type { Result } from '../../foundation/result.ts';
import { NO_LINEAGE, type Handoff, type Lineage } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Context } from '../context.ts';
import { findHandoff } from './find.ts';
import { newHandoffId } from './prepare-send.ts';
import { sendMany, type SendRefusal, type SendRequest } from './send.ts';

/** Returns the children in order, and the parent last. */
export async function sendWithChildren(
  ctx: Context,
  principal: Principal,
  parent: SendRequest,
  children: readonly SendRequest[],
): Promise<Result<readonly Handoff[], SendRefusal>> {
  const id = newHandoffId(ctx);
  const lineage = await lineageBelow(ctx, id, parent.parent);
  const begun = children.map((child) => ({ ...child, id: newHandoffId(ctx), lineage }));
  const dependsOn = [...(parent.terms?.dependsOn ?? []), ...begun.map((child) => child.id)];
  return sendMany(ctx, principal, [...begun, { ...parent, id, terms: { ...parent.terms, dependsOn } }]);
}

/** Whether the parent may follow from another handoff is checked when it is sent. */
async function lineageBelow(ctx: Context, id: HandoffId, aboveId: HandoffId | undefined): Promise<Lineage> {
  const above = aboveId === undefined ? null : await findHandoff(ctx, aboveId);
  if (above === null) return { ...NO_LINEAGE, root: id, parent: id, hops: 1 };
  return { ...NO_LINEAGE, root: above.lineage.root ?? above.id, parent: id, hops: above.lineage.hops + 2 };
}
