/** Why a handoff needs a person: the one table of reasons, the most urgent first. */
import { dueAtOf } from './deadlines.ts';
import { DAY_MS, MINUTE_MS } from './duration.ts';
import { countedAttempts, failedDependencyOf, type Handoff } from './handoff.ts';
import type { State } from './lifecycle.ts';
import type { Op } from './rights.ts';

/** Each with the right that is needed to do something about it. */
export const ATTENTION = {
  /** Somebody has to answer. */
  question: { right: 'unblock' },
  /** What it waits for did not succeed. */
  dependency: { right: 'cancel' },
  /** Somebody has to verify. */
  review: { right: 'verify' },
  /** Nobody takes, offers or ends it, and its time is nearly over. */
  overdue: { right: 'read' },
  /** It ended badly within a day, and nobody has retried it. */
  failed: { right: 'retry' },
  /** An attempt failed, and a retry follows automatically: the only reason that needs no action. */
  failing: { right: 'read' },
} as const satisfies Record<string, { readonly right: Op }>;

export type AttentionReason = keyof typeof ATTENTION;

export const ATTENTION_REASONS = Object.keys(ATTENTION) as [AttentionReason, ...AttentionReason[]];

/** Without `cancelled`: its sender ended it on purpose. */
export const ENDED_BADLY: readonly State[] = ['failed', 'rejected', 'expired'];
/** How long before its end a handoff that nobody acts on is shown. */
const SOON_MS = 10 * MINUTE_MS;

/** Null: it needs no attention. Neither does a failure that was retried; only the caller knows whether it was. */
export function attentionReason(handoff: Handoff, nowMs: number): AttentionReason | null {
  const { state, blockedOn, since } = handoff;
  if (failedDependencyOf(handoff) !== null) return 'dependency';
  if (state === 'blocked') return blockedOn?.reason === 'question' ? 'question' : null;
  if (state === 'delivered') return 'review';
  if (isOverdue(handoff, nowMs)) return 'overdue';
  if (state === 'offered') return countedAttempts(handoff) > 0 ? 'failing' : null;
  return ENDED_BADLY.includes(state) && nowMs - since < DAY_MS ? 'failed' : null;
}

/** Only drafts and offers: an accepted handoff has a clock of its own. */
function isOverdue(handoff: Handoff, nowMs: number): boolean {
  const dueAt = handoff.state === 'draft' || handoff.state === 'offered' ? dueAtOf(handoff) : null;
  return dueAt !== null && dueAt - nowMs < SOON_MS;
}
