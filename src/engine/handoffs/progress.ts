import { progress as progressed } from '../../domain/moves/progress.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import { changeBy, type ChangeResult } from '../change.ts';
import type { Context } from '../context.ts';
import { printable } from './failure-text.ts';

export interface Progress {
  /** From 0 to 1. */
  readonly fraction: number | null;
  readonly says: string | null;
}

const SAYS_MAX = 1_000;

/** Records progress as a fact. The state does not change. */
export async function progress(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  fence: number | null,
  { fraction, says }: Progress,
): ChangeResult {
  const detail = {
    ...(fraction === null ? {} : { fraction: Math.min(1, Math.max(0, fraction)) }),
    ...(says === null ? {} : { says: printable(says, SAYS_MAX) }),
  };
  return changeBy(ctx, principal, id, 'progress', (handoff) => ({ moved: progressed(handoff, fence), detail }));
}
