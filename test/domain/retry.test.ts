import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterFailure,
  backoffMs,
  DEFAULT_RETRY,
  RETRIES_MAX,
  type RetryPolicy,
} from '../../src/domain/retry-policy.ts';
import { HOUR } from './a-handoff.ts';

const aPolicy: fc.Arbitrary<RetryPolicy> = fc.record({
  retriesMax: fc.integer({ min: 0, max: RETRIES_MAX }),
  delayMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 7 * 24 * HOUR })),
  multiplier: fc.oneof(fc.constant(1), fc.double({ min: 1, max: 1e6, noNaN: true })),
  capMs: fc.integer({ min: 0, max: 7 * 24 * HOUR }),
  retryOn: fc.subarray(['TIMEOUT', 'PROCESSING_ERROR', 'WORKER_LOST']),
});

describe('the wait before another attempt', () => {
  it('Q11: is the delay first and grows by the multiplier', () => {
    expect([1, 2, 3].map((attempt) => backoffMs(DEFAULT_RETRY, attempt))).toEqual([30_000, 60_000, 120_000]);
    expect([1, 2, 3].map((attempt) => backoffMs({ ...DEFAULT_RETRY, multiplier: 1 }, attempt))).toEqual(
      Array.from({ length: 3 }, () => 30_000),
    );
  });

  it('Q11: is an hour at most by default, however many attempts there were', () => {
    expect(backoffMs(DEFAULT_RETRY, 7)).toBe(1_920_000);
    for (const attempt of [8, 9, 100, 100_000]) expect(backoffMs(DEFAULT_RETRY, attempt)).toBe(HOUR);
  });

  it('Q11: is a whole number of milliseconds between nothing and the cap, and never shrinks', () => {
    fc.assert(
      fc.property(aPolicy, (policy) => {
        const waits = Array.from({ length: policy.retriesMax + 1 }, (_, n) => backoffMs(policy, n + 1));
        expect(waits.every((wait) => Number.isSafeInteger(wait) && wait >= 0 && wait <= policy.capMs)).toBe(true);
        expect(waits).toEqual(waits.toSorted((a, b) => a - b));
      }),
    );
  });

  it('Q11: is nothing when the delay is nothing, whatever the multiplier', () => {
    expect(backoffMs({ ...DEFAULT_RETRY, delayMs: 0, multiplier: 1e300 }, 3)).toBe(0);
  });
});

describe('after a failure', () => {
  it('Q11: the number of attempts is one more than the retries, for every policy', () => {
    fc.assert(
      fc.property(aPolicy, (policy) => {
        fc.pre(policy.retryOn.includes('TIMEOUT'));
        const answers = Array.from(
          { length: policy.retriesMax + 3 },
          (_, n) => afterFailure(n + 1, 'TIMEOUT', policy).do,
        );
        expect(answers.indexOf('give-up')).toBe(policy.retriesMax);
        expect(answers.slice(policy.retriesMax)).toEqual(['give-up', 'give-up', 'give-up']);
      }),
    );
  });

  it('Q11: only the codes of the policy retry', () => {
    fc.assert(
      fc.property(aPolicy, fc.constantFrom('TIMEOUT', 'WORKER_LOST', 'REJECTED', 'timeout'), (policy, code) => {
        const may = policy.retryOn.includes(code) && policy.retriesMax > 0;
        expect(afterFailure(1, code, policy).do).toBe(may ? 'retry' : 'give-up');
      }),
    );
  });

  it('Q11: what cannot be mended by trying again is not in the default policy', () => {
    expect(DEFAULT_RETRY.retryOn).not.toContain('SCHEMA_VALIDATION_FAILED');
    expect(DEFAULT_RETRY.retryOn).not.toContain('DEPENDENCY_MISSING');
  });
});
