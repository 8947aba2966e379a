/** The statuses of documents, and the states that they stand for. */
import { isFinal, type State } from '../../domain/lifecycle.ts';

export const STATUSES = ['Created', 'Active', 'Acknowledged', 'Complete', 'Expired', 'Rejected'] as const;
export type Status = (typeof STATUSES)[number];

export const STATUS_FOR: Record<State, Status> = {
  draft: 'Created',
  offered: 'Active',
  blocked: 'Active',
  accepted: 'Acknowledged',
  delivered: 'Acknowledged',
  completed: 'Complete',
  failed: 'Rejected',
  rejected: 'Rejected',
  expired: 'Expired',
  cancelled: 'Rejected',
};

/** The state of a status where nothing else is known about the document. */
export const STATE_FOR: Record<Status, State> = {
  Created: 'draft',
  Active: 'offered',
  Acknowledged: 'accepted',
  Complete: 'completed',
  Expired: 'expired',
  Rejected: 'rejected',
};

/** Types of `Rejected` documents that were not rejected: documents have one status for all these ends. */
export const END_TYPE = { failed: 'failed', cancelled: 'cancelled' } as const;

export function isSettled(status: Status): boolean {
  return isFinal(STATE_FOR[status]);
}

/** Accepts any letter case. */
export function readStatus(text: string): Status | null {
  const small = text.trim().toLowerCase();
  return STATUSES.find((status) => status.toLowerCase() === small) ?? null;
}
