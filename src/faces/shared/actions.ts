/** What somebody may do with a handoff as it is now: for faces that show only what would not be refused. */
import type { Handoff } from '../../domain/handoff.ts';
import type { Principal } from '../../domain/principal.ts';
import { may, type Op } from '../../domain/rights.ts';
import type { MoveName } from './requests.ts';

const OP_OF: Readonly<Record<MoveName, Op>> = {
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
};

/** The table of rights holds only states in which the move exists, so it answers both questions. */
export function actionsOf(principal: Principal, handoff: Handoff): readonly MoveName[] {
  return (Object.keys(OP_OF) as MoveName[]).filter((name) => may(principal, OP_OF[name], handoff).ok);
}
