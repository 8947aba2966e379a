import { describe, expect, it } from 'vitest';
import { dueAtOf, MANUAL_LEASE_MS, TIMEOUT_GRACE_MS } from '../../src/domain/deadlines.ts';
import type { Handoff, Terms } from '../../src/domain/handoff.ts';
import { FINAL_STATES, STATES } from '../../src/domain/lifecycle.ts';
import { deliver } from '../../src/domain/moves/deliver.ts';
import { onWorkerLost, onDeadline } from '../../src/domain/moves/on-deadline.ts';
import { renew } from '../../src/domain/moves/renew.ts';
import { aHandoff, byHand, byProcess, HOUR, ID, MINUTE, refusalOf, SECOND, T0, termsOf, valueOf } from './a-handoff.ts';

const NEVER = T0 + 100 * 365 * 24 * HOUR;

/** What the clock does: the deed, the state after it and the code of the failure, one millisecond before and at `dueAt`. */
function atTheEndOf(handoff: Handoff, dueAt: number): string {
  expect(dueAtOf(handoff)).toBe(dueAt);
  expect(refusalOf(onDeadline(handoff, dueAt - 1))).toEqual({ code: 'not-overdue', id: ID });
  const { deed, moved, failure } = valueOf(onDeadline(handoff, dueAt));
  return `${deed} → ${valueOf(moved).state}${failure === null ? '' : ` ${failure.code}`}`;
}

function neverEnds(handoff: Handoff): boolean {
  const answer = onDeadline(handoff, NEVER);
  return dueAtOf(handoff) === null && !answer.ok && answer.refusal.code === 'not-overdue';
}

function queueTerms(changes: Partial<Terms>): Terms {
  return termsOf('queue', changes);
}

describe('the clock of a document', () => {
  it('D4: ends a draft after one hour', () => {
    expect(atTheEndOf(aHandoff('draft', { kind: 'document' }), T0 + HOUR)).toBe('expire → expired');
  });

  it('D4: ends an offer that nobody answers after four hours', () => {
    expect(atTheEndOf(aHandoff('offered', { kind: 'document' }), T0 + 4 * HOUR)).toBe('expire → expired');
  });

  it('D4: counts from when it may be taken, and by the terms that were given', () => {
    const later = aHandoff('offered', { kind: 'document', notBefore: T0 + HOUR });
    expect(atTheEndOf(later, T0 + 5 * HOUR)).toBe('expire → expired');
    const short = aHandoff('draft', { kind: 'document', terms: termsOf('document', { draftMs: MINUTE }) });
    expect(atTheEndOf(short, T0 + MINUTE)).toBe('expire → expired');
  });

  it('D4: has none once it was acknowledged or delivered', () => {
    expect(neverEnds(aHandoff('accepted', { kind: 'document', custody: byHand() }))).toBe(true);
    expect(neverEnds(aHandoff('delivered', { kind: 'document', custody: byHand() }))).toBe(true);
  });
});

describe('the clock of a queue handoff', () => {
  it('Q9: never ends what is on offer unless it asked for that', () => {
    expect(neverEnds(aHandoff('offered'))).toBe(true);
    expect(neverEnds(aHandoff('draft'))).toBe(true);
    expect(atTheEndOf(aHandoff('offered', { terms: queueTerms({ offeredMs: 5 }) }), T0 + 5)).toBe('expire → expired');
  });

  it('Q9: fails what waited a day for something that never came', () => {
    expect(atTheEndOf(aHandoff('blocked'), T0 + 24 * HOUR)).toBe('fail → failed DEPENDENCY_MISSING');
    const terms = queueTerms({ blockedMs: HOUR });
    expect(atTheEndOf(aHandoff('blocked', { terms }), T0 + HOUR)).toBe('fail → failed DEPENDENCY_MISSING');
  });

  it('expires what waited a day for a place or for an answer', () => {
    const place = aHandoff('blocked', { kind: 'document', blockedOn: { reason: 'place' } });
    expect(atTheEndOf(place, T0 + 24 * HOUR)).toBe('expire → expired');
    const question = aHandoff('blocked', { blockedOn: { reason: 'question', text: '?' } });
    expect(atTheEndOf(question, T0 + 24 * HOUR)).toBe('expire → expired');
  });

  it('Q10: ends an attempt of a process a moment after its time, as TIMEOUT', () => {
    const held = aHandoff('accepted');
    expect(atTheEndOf(held, T0 + 300 * SECOND + TIMEOUT_GRACE_MS)).toBe('retry → offered TIMEOUT');
    const last = aHandoff('accepted', { attempt: 4, fence: 4 });
    expect(atTheEndOf(last, T0 + 300 * SECOND + TIMEOUT_GRACE_MS)).toBe('fail → failed TIMEOUT');
  });

  it('Q10: a result that comes after that is refused', () => {
    const held = aHandoff('accepted');
    const { moved } = valueOf(onDeadline(held, T0 + HOUR));
    const late = deliver(valueOf(moved), { fence: held.fence, claims: [], checks: [] }, T0 + HOUR + 1);
    expect(refusalOf(late)).toMatchObject({ code: 'lease-lost', fence: 1, state: 'offered' });
  });

  it('Q10: ends an attempt by hand exactly at its time', () => {
    const held = aHandoff('accepted', { custody: byHand(T0 + HOUR) });
    expect(atTheEndOf(held, T0 + 300 * SECOND)).toBe('retry → offered TIMEOUT');
  });

  it('Q10: says after how many seconds, and waits before the next attempt', () => {
    const { moved, failure } = valueOf(onDeadline(aHandoff('accepted'), T0 + HOUR));
    expect(failure).toEqual({ code: 'TIMEOUT', message: 'no result within 300 s' });
    expect(valueOf(moved)).toMatchObject({ notBefore: T0 + HOUR + 30 * SECOND, custody: null });
  });

  it('takes back what is held by hand when its lease is over, and the attempt counts', () => {
    const terms = queueTerms({ attemptTimeoutMs: HOUR });
    const held = aHandoff('accepted', { terms, custody: byHand(T0 + MANUAL_LEASE_MS) });
    expect(atTheEndOf(held, T0 + 15 * MINUTE)).toBe('release → offered');
    const last = { ...held, attempt: 4, fence: 4 };
    expect(atTheEndOf(last, T0 + 15 * MINUTE)).toBe('fail → failed WORKER_LOST');
  });

  it('leaves a process without a time limit alone, however long it takes', () => {
    expect(neverEnds(aHandoff('accepted', { terms: queueTerms({ attemptTimeoutMs: null }) }))).toBe(true);
  });
});

describe('a record that moved on', () => {
  it('is not overdue when its holder renewed in time', () => {
    const terms = queueTerms({ attemptTimeoutMs: null });
    const held = aHandoff('accepted', { terms, custody: byHand(T0 + MINUTE) });
    expect(onDeadline(held, T0 + MINUTE).ok).toBe(true);
    const renewed = valueOf(renew(held, 1, T0 + 2 * MINUTE));
    expect(refusalOf(onDeadline(renewed, T0 + MINUTE))).toEqual({ code: 'not-overdue', id: ID });
  });

  it('is not overdue when it was delivered or settled meanwhile', () => {
    for (const state of ['delivered', ...FINAL_STATES] as const) {
      for (const kind of ['queue', 'document'] as const) {
        expect(neverEnds(aHandoff(state, { kind, custody: byHand(T0) }))).toBe(true);
      }
    }
  });

  it('is not overdue when somebody else has taken it since', () => {
    const again = aHandoff('accepted', { since: T0 + HOUR, custody: byProcess('session-2'), attempt: 2, fence: 2 });
    expect(refusalOf(onDeadline(again, T0 + HOUR)).code).toBe('not-overdue');
  });

  it('always moves when it is overdue, from whatever state', () => {
    for (const state of STATES) {
      for (const kind of ['queue', 'document'] as const) {
        const handoff = aHandoff(state, { kind });
        const overtaken = onDeadline(handoff, dueAtOf(handoff) ?? NEVER);
        expect(overtaken.ok && overtaken.value.moved.ok, `${kind} ${state}`).toBe(dueAtOf(handoff) !== null);
      }
    }
  });

  it('is offered again when its worker is gone, without waiting for its time', () => {
    const { deed, moved } = onWorkerLost(aHandoff('accepted'), T0 + 1, 'the session fell silent');
    expect([deed, valueOf(moved).state, valueOf(moved).notBefore]).toEqual(['release', 'offered', 0]);
  });
});
