/**
 * Default deadlines. A document has one hour as a draft and four on offer. A queue handoff has no deadline on offer. A
 * blocked handoff has one day.
 */
import { err, type Result } from '../foundation/result.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './duration.ts';
import type { Handoff, Kind, Terms } from './handoff.ts';
import type { Refusal } from './refusals.ts';

export const CLOCKS = {
  queue: { draftMs: null, offeredMs: null, blockedMs: DAY_MS, attemptTimeoutMs: 300_000 },
  document: { draftMs: HOUR_MS, offeredMs: 4 * HOUR_MS, blockedMs: DAY_MS, attemptTimeoutMs: null },
} as const satisfies Record<Kind, Pick<Terms, 'draftMs' | 'offeredMs' | 'blockedMs' | 'attemptTimeoutMs'>>;

/**
 * A worker ends its own attempt when the timeout is over. If it cannot (its event loop hangs), the sweep ends the attempt
 * this much later.
 */
export const TIMEOUT_GRACE_MS = 2_000;

/** How long a claim without a worker session lasts, if it is not renewed. */
export const MANUAL_LEASE_MS = 15 * MINUTE_MS;

/** When such a claim ends; null: never. A person works on a document for days without renewing. */
export function manualLeaseUntil(kind: Kind, nowMs: number, leaseMs: number): number | null {
  return kind === 'document' ? null : nowMs + leaseMs;
}

/** A worker session without a heartbeat for this long loses the handoffs that it holds. */
export const SESSION_LEASE_MS = 10_000;

/** The deadline of the present state; null: none. */
export function dueAtOf(handoff: Handoff): number | null {
  const { terms, since, custody } = handoff;
  switch (handoff.state) {
    case 'draft':
      return later(since, terms.draftMs);
    case 'offered':
      return later(Math.max(since, handoff.notBefore), terms.offeredMs);
    case 'blocked':
      return later(since, terms.blockedMs);
    case 'accepted': {
      const until = heldUntilOf(handoff);
      return until !== null && custody?.by === 'process' ? until + TIMEOUT_GRACE_MS : until;
    }
    case 'delivered':
    case 'completed':
    case 'failed':
    case 'rejected':
    case 'expired':
    case 'cancelled':
      return null;
  }
}

/** Null: the deadline has not passed. An overdue document can no longer be accepted, even before the sweep marks it as expired. */
export function overdueRefusal(handoff: Handoff, nowMs: number): Result<never, Refusal> | null {
  const { id, state, kind } = handoff;
  const dueAt = dueAtOf(handoff);
  const isOver = kind === 'document' && dueAt !== null && dueAt < nowMs;
  return isOver ? err({ code: 'overdue', id, state, dueAt }) : null;
}

/** Until when the holder may settle the handoff: the end of the attempt or of the lease, whichever comes first. */
export function heldUntilOf(handoff: Handoff): number | null {
  if (handoff.state !== 'accepted') return null;
  const { custody } = handoff;
  return earliest(timeoutAtOf(handoff), custody?.by === 'hand' ? custody.untilAt : null);
}

/** The end of the present attempt: as the worker set it, otherwise by the terms. */
export function timeoutAtOf({ state, since, terms, custody }: Handoff): number | null {
  if (state !== 'accepted') return null;
  if (custody?.by === 'process' && custody.untilAt !== undefined) return custody.untilAt;
  return later(since, terms.attemptTimeoutMs);
}

function later(from: number, ms: number | null): number | null {
  return ms === null ? null : from + ms;
}

function earliest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
