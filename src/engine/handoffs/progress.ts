import type { Result } from '../../foundation/result.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { progress as progressed } from '../../domain/moves/progress.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { change, decideBy } from '../change.ts';
import type { Context } from '../context.ts';
import { printable } from './failure-text.ts';

export interface Progress {
  /** From 0 to 1. */
  readonly fraction: number | null;
  readonly says: string | null;
}

const SAYS_MAX = 1_000;

/** How far it is, as a fact of its own; it settles nothing. */
export async function progress(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  fence: number | null,
  { fraction, says }: Progress,
): Promise<Result<Handoff, Refusal>> {
  const detail = {
    ...(fraction === null ? {} : { fraction: Math.min(1, Math.max(0, fraction)) }),
    ...(says === null ? {} : { says: printable(says, SAYS_MAX) }),
  };
  const decide = decideBy(principal, 'progress', (handoff) => ({
    deed: 'progress',
    moved: progressed(handoff, fence),
    detail,
  }));
  return change(ctx, id, decide);
}
