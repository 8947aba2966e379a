/** How a document says a state. The place is part of it: what is settled lies in the archive. */
import { isFinal, type State } from '../../domain/lifecycle.ts';

export const STATUSES = ['Created', 'Active', 'Acknowledged', 'Complete', 'Expired', 'Rejected'] as const;
export type Status = (typeof STATUSES)[number];

/** Total: a new state does not compile until this dialect has decided how to say it. */
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

/** What a status means where nothing else is known about the document. */
export const STATE_FOR: Record<Status, State> = {
  Created: 'draft',
  Active: 'offered',
  Acknowledged: 'accepted',
  Complete: 'completed',
  Expired: 'expired',
  Rejected: 'rejected',
};

/** The type of a rejection that is none: the document has one word for all these ends. */
export const END_TYPE = { failed: 'failed', cancelled: 'cancelled' } as const;

export function isSettled(status: Status): boolean {
  return isFinal(STATE_FOR[status]);
}

/** People write `active` and `ACTIVE`; it can mean nothing else. */
export function readStatus(text: string): Status | null {
  const small = text.trim().toLowerCase();
  return STATUSES.find((status) => status.toLowerCase() === small) ?? null;
}
