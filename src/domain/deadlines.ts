/**
 * The clock of each state. Documents have an hour as a draft and four on offer; queue handoffs wait for ever unless
 * they say otherwise; whatever is blocked has a day.
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
 * A worker ends its own attempt when time is up. Only when it could not (its event loop hangs) does the sweep do it for
 * it, this much later.
 */
export const TIMEOUT_GRACE_MS = 2_000;

/** How long a claim by hand lasts that is not renewed. */
export const HAND_LEASE_MS = 15 * MINUTE_MS;

/** When a claim by hand ends; null: never. A person works on a document for days without renewing. */
export function handUntilAt(kind: Kind, nowMs: number, leaseMs: number): number | null {
  return kind === 'document' ? null : nowMs + leaseMs;
}

/** A worker session that has been silent for this long has lost what it holds. */
export const SESSION_LEASE_MS = 10_000;

/** When the clock of the present state runs out; null is never. */
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

/** Null: there is time left. A document that nobody took in time can no longer be taken, marked as expired or not. */
export function overdueRefusal(handoff: Handoff, nowMs: number): Result<never, Refusal> | null {
  const { id, state, kind } = handoff;
  const dueAt = dueAtOf(handoff);
  const isOver = kind === 'document' && dueAt !== null && dueAt < nowMs;
  return isOver ? err({ code: 'overdue', id, state, dueAt }) : null;
}

/** Until when its holder may settle it: the end of the attempt or of the lease, whichever comes first. */
export function heldUntilOf(handoff: Handoff): number | null {
  if (handoff.state !== 'accepted') return null;
  const { custody } = handoff;
  return earliest(timeoutAtOf(handoff), custody?.by === 'hand' ? custody.untilAt : null);
}

/** The end of the present attempt: as its worker has set it, else by the terms. */
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
