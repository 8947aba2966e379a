/** Why a handoff needs attention from a person: one table of reasons, the most urgent first. */
import { dueAtOf } from './deadlines.ts';
import { DAY_MS, MINUTE_MS } from './duration.ts';
import { countedAttempts, failedDependencyOf, type Handoff } from './handoff.ts';
import type { State } from './lifecycle.ts';
import type { Op } from './rights.ts';

/** Each reason with the right that is needed to act on it. */
export const ATTENTION = {
  /** A question has to be answered. */
  question: { right: 'unblock' },
  /** A dependency did not succeed. */
  dependency: { right: 'cancel' },
  /** A delivery has to be verified. */
  review: { right: 'verify' },
  /** A draft or offer is close to its deadline. */
  overdue: { right: 'read' },
  /** It failed, was rejected or expired within a day, and was not retried. */
  failed: { right: 'retry' },
  /** An attempt failed, and a retry follows automatically: the only reason that needs no action. */
  failing: { right: 'read' },
} as const satisfies Record<string, { readonly right: Op }>;

export type AttentionReason = keyof typeof ATTENTION;

export const ATTENTION_REASONS = Object.keys(ATTENTION) as [AttentionReason, ...AttentionReason[]];

/** Without `cancelled`: its sender ended it on purpose. */
export const FAILURE_STATES: readonly State[] = ['failed', 'rejected', 'expired'];
/** How long before its end a handoff that nobody acts on is shown. */
const SOON_MS = 10 * MINUTE_MS;

/** Null: it needs no attention. The caller has to leave out failures that were retried. */
export function attentionReason(handoff: Handoff, nowMs: number): AttentionReason | null {
  const { state, blockedOn, since } = handoff;
  if (failedDependencyOf(handoff) !== null) return 'dependency';
  if (state === 'blocked') return blockedOn?.reason === 'question' ? 'question' : null;
  if (state === 'delivered') return 'review';
  if (isOverdue(handoff, nowMs)) return 'overdue';
  if (state === 'offered') return countedAttempts(handoff) > 0 ? 'failing' : null;
  return FAILURE_STATES.includes(state) && nowMs - since < DAY_MS ? 'failed' : null;
}

/** Only drafts and offers: an accepted handoff has its own timeout. */
function isOverdue(handoff: Handoff, nowMs: number): boolean {
  const dueAt = handoff.state === 'draft' || handoff.state === 'offered' ? dueAtOf(handoff) : null;
  return dueAt !== null && dueAt - nowMs < SOON_MS;
}
