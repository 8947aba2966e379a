import { describe, expect, it } from 'vitest';
import { countedAttempts, type Handoff } from '../../src/domain/handoff.ts';
import { accept } from '../../src/domain/moves/accept.ts';
import { failAttempt, failForGood } from '../../src/domain/moves/fail.ts';
import { onWorkerLost } from '../../src/domain/moves/on-deadline.ts';
import { giveBack, takeBack } from '../../src/domain/moves/release.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../../src/domain/retry-policy.ts';
import { aHandoff, byHand, byProcess, refusalOf, SECOND, T0, termsOf, valueOf } from './a-handoff.ts';

function under(policy: Partial<RetryPolicy>): Partial<Handoff> {
  return { terms: termsOf('queue', { retry: { ...DEFAULT_RETRY, ...policy } }) };
}

/** Fails every attempt at once and takes it up again when its time has come; answers the waits in seconds. */
function failUntilItEnds(from: Handoff, code: string): { readonly waits: readonly number[]; readonly last: Handoff } {
  const waits: number[] = [];
  let last = from;
  let nowMs = T0;
  for (let round = 0; round < 200; round += 1) {
    const held = valueOf(accept(last, byProcess(), nowMs));
    const { deed, moved } = failAttempt(held, code, held.fence, nowMs);
    last = valueOf(moved);
    if (deed === 'fail') return { waits, last };
    waits.push((last.notBefore - nowMs) / SECOND);
    nowMs = last.notBefore;
  }
  throw new Error('it never ended');
}

describe('a failed attempt', () => {
  it('Q11: waits 30, 60 and 120 s, then fails after four attempts', () => {
    const { waits, last } = failUntilItEnds(aHandoff('offered'), 'PROCESSING_ERROR');
    expect(waits).toEqual([30, 60, 120]);
    expect(last).toMatchObject({ state: 'failed', attempt: 4, fence: 4, custody: null });
  });

  it('Q11: never waits longer than the cap', () => {
    const { waits } = failUntilItEnds(aHandoff('offered', under({ retriesMax: 9, capMs: 200 * SECOND })), 'TIMEOUT');
    expect(waits).toEqual([30, 60, 120, 200, 200, 200, 200, 200, 200]);
  });

  it.each(['SCHEMA_VALIDATION_FAILED', 'DEPENDENCY_MISSING', 'REJECTED', ''])(
    'Q11: code "%s" does not retry',
    (code) => {
      const { waits, last } = failUntilItEnds(aHandoff('offered'), code);
      expect(waits).toEqual([]);
      expect(last).toMatchObject({ state: 'failed', attempt: 1 });
    },
  );

  it.each(['PROCESSING_ERROR', 'TIMEOUT', 'VALIDATION_FAILED', 'WORKER_LOST'])('Q11: code "%s" does', (code) => {
    expect(failUntilItEnds(aHandoff('offered'), code).waits.length).toBe(3);
  });

  it('Q11: without retries the first failure is the last', () => {
    const { waits } = failUntilItEnds(aHandoff('offered', under({ retriesMax: 0 })), 'TIMEOUT');
    expect(waits).toEqual([]);
  });

  it('Q11: comes back behind those who were offered meanwhile', () => {
    const next = valueOf(failAttempt(aHandoff('accepted'), 'TIMEOUT', 1, T0).moved);
    expect(next).toMatchObject({ state: 'offered', notBefore: T0 + 30 * SECOND, offeredAt: T0 + 30 * SECOND });
  });

  it('I6: fails only for the holder of the newest fence', () => {
    const held = aHandoff('accepted', { fence: 3 });
    for (const fence of [2, 4]) {
      expect(refusalOf(failAttempt(held, 'TIMEOUT', fence, T0).moved).code).toBe('lease-lost');
    }
    expect(refusalOf(failAttempt(held, 'TIMEOUT', null, T0).moved).code).toBe('fence-needed');
    expect(refusalOf(failAttempt(aHandoff('failed'), 'TIMEOUT', 0, T0).moved).code).toBe('lease-lost');
    expect(failAttempt({ ...held, custody: byHand() }, 'TIMEOUT', null, T0).moved.ok).toBe(true);
  });

  it('fails for good whatever attempts are left', () => {
    for (const state of ['offered', 'blocked', 'accepted', 'delivered'] as const) {
      expect(valueOf(failForGood(aHandoff(state), T0))).toMatchObject({
        state: 'failed',
        custody: null,
        blockedOn: null,
      });
    }
  });
});

describe('given back by its holder', () => {
  it('is excused, keeps its place in the queue and may be taken at once (I13)', () => {
    const held = aHandoff('accepted', { attempt: 4, fence: 4, offeredAt: T0 - 9 });
    const back = valueOf(giveBack(held, 4, T0));
    expect(back).toMatchObject({ state: 'offered', excused: 1, attempt: 4, fence: 4, offeredAt: T0 - 9, notBefore: 0 });
    expect(countedAttempts(back)).toBe(3);
    const again = valueOf(accept(back, byProcess('session-2'), T0));
    expect(again).toMatchObject({ attempt: 5, fence: 5 });
    expect(countedAttempts(again)).toBe(4);
  });

  it('I6: only with the newest fence', () => {
    expect(refusalOf(giveBack(aHandoff('accepted', { fence: 3 }), 2, T0)).code).toBe('lease-lost');
    expect(refusalOf(giveBack(aHandoff('accepted', { fence: 3 }), null, T0)).code).toBe('fence-needed');
    expect(refusalOf(giveBack(aHandoff('offered', { fence: 3 }), 3, T0)).code).toBe('lease-lost');
    expect(giveBack(aHandoff('accepted', { custody: byHand() }), null, T0).ok).toBe(true);
  });
});

describe('taken from a holder that is gone', () => {
  it('counts, and keeps its place in the queue', () => {
    const { deed, moved } = takeBack(aHandoff('accepted', { offeredAt: T0 - 9 }), T0);
    expect(deed).toBe('release');
    expect(valueOf(moved)).toMatchObject({
      state: 'offered',
      excused: 0,
      attempt: 1,
      offeredAt: T0 - 9,
      custody: null,
    });
  });

  it('I13: fails as WORKER_LOST when it was the last attempt', () => {
    const deeds = [1, 2, 3, 4].map((attempt) => {
      const { deed, failure } = onWorkerLost(aHandoff('accepted', { attempt, fence: attempt }), T0, 'it died');
      return [deed, failure?.code ?? null, failure?.message ?? null];
    });
    const release = ['release', null, null];
    expect(deeds).toEqual([release, release, release, ['fail', 'WORKER_LOST', 'it died']]);
    const excused = onWorkerLost(aHandoff('accepted', { attempt: 4, excused: 1 }), T0, 'it died');
    expect(excused.deed).toBe('release');
  });

  it('does not touch what was delivered before the news of the death came', () => {
    const delivered = aHandoff('delivered', { attempt: 4, fence: 4 });
    const { moved, failure } = onWorkerLost(delivered, T0, 'it died');
    expect(refusalOf(moved)).toMatchObject({ code: 'move-not-allowed', state: 'delivered', move: 'release' });
    expect(failure).toBeNull();
  });
});
