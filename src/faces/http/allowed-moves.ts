/** What somebody may do to a handoff as it is now: for whoever has to show buttons before they are pressed. */
import type { Handoff } from '../../domain/handoff.ts';
import { may, type Op } from '../../domain/rights.ts';
import { MOVE_NAMES, type MoveName } from '../shared/requests.ts';
import type { Caller } from './caller.ts';

/** The right that each move asks for. */
const OP_OF = {
  activate: 'offer',
  accept: 'accept',
  reject: 'reject',
  release: 'release',
  renew: 'renew',
  progress: 'progress',
  deliver: 'deliver',
  fail: 'fail',
  block: 'block',
  unblock: 'unblock',
  verify: 'verify',
  cancel: 'cancel',
  retry: 'retry',
} as const satisfies Record<MoveName, Op>;

/** The table of rights has states in its cells, so it alone knows which moves there are. */
export function allowedMoves({ principal, scopes }: Caller, handoff: Handoff): readonly MoveName[] {
  if (!scopes.includes('write')) return [];
  return MOVE_NAMES.filter((name) => may(principal, OP_OF[name], handoff).ok);
}
