/** Decides what happens to a handoff whose deadline has passed. The sweep calls this for each candidate. */
import { err, type Result } from '../../foundation/result.ts';
import { dueAtOf, timeoutAtOf } from '../deadlines.ts';
import type { Failure, Handoff } from '../handoff.ts';
import type { Move } from '../lifecycle.ts';
import type { Refusal } from '../refusals.ts';
import { expire } from './reject-cancel-expire.ts';
import { failAttempt, failForGood } from './fail.ts';
import { takeBack } from './release.ts';
import type { Moved } from './step.ts';

export interface DeadlineMove {
  readonly deed: Move;
  readonly moved: Moved;
  readonly failure: Failure | null;
}

/** Checks the deadline again: the holder may have renewed or settled the handoff since the sweep selected it. */
export function onDeadline(handoff: Handoff, nowMs: number): Result<DeadlineMove, Refusal> {
  const dueAt = dueAtOf(handoff);
  if (dueAt === null || nowMs < dueAt) return err({ code: 'not-overdue', id: handoff.id });
  return { ok: true, value: overdue(handoff, nowMs) };
}

function overdue(handoff: Handoff, nowMs: number): DeadlineMove {
  if (handoff.state === 'accepted') return overdueAcceptance(handoff, nowMs);
  const missing = handoff.state === 'blocked' ? missingIn(handoff) : null;
  if (missing !== null) {
    const failure = { code: 'DEPENDENCY_MISSING', message: missing };
    return { deed: 'fail', moved: failForGood(handoff, nowMs), failure };
  }
  return { deed: 'expire', moved: expire(handoff, nowMs), failure: null };
}

function missingIn({ blockedOn, terms }: Handoff): string | null {
  if (blockedOn?.reason === 'dependency') {
    const { failed } = blockedOn;
    const ended = failed === undefined ? '' : `: ${failed} did not succeed and was not retried`;
    return `what it depends on was not completed in time${ended}`;
  }
  if (blockedOn?.reason !== 'artifact') return null;
  return `not all of these artifacts appeared in time: ${(terms.artifacts ?? []).join(', ')}`;
}

function overdueAcceptance(handoff: Handoff, nowMs: number): DeadlineMove {
  const timeoutAt = timeoutAtOf(handoff);
  if (timeoutAt !== null && nowMs >= timeoutAt) {
    const seconds = Math.round((timeoutAt - handoff.since) / 1000);
    const failure = { code: 'TIMEOUT', message: `no result within ${seconds} s` };
    return { ...failAttempt(handoff, failure.code, handoff.fence, nowMs), failure };
  }
  return onWorkerLost(handoff, nowMs, 'its holder did not renew in time');
}

/** Also for a worker session that ended or stopped its heartbeats. */
export function onWorkerLost(handoff: Handoff, nowMs: number, says: string): DeadlineMove {
  const taken = takeBack(handoff, nowMs);
  return { ...taken, failure: taken.deed === 'fail' ? { code: 'WORKER_LOST', message: says } : null };
}
