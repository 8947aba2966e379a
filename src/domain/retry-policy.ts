/** What a failed attempt leads to. The codes that retry by themselves are policy, not code. */
export interface RetryPolicy {
  /** Attempts after the first: 3 means four in all. */
  readonly retriesMax: number;
  readonly delayMs: number;
  readonly multiplier: number;
  readonly capMs: number;
  readonly retryOn: readonly string[];
}

export const DEFAULT_RETRY: RetryPolicy = Object.freeze({
  retriesMax: 3,
  delayMs: 30_000,
  multiplier: 2,
  capMs: 3_600_000,
  retryOn: Object.freeze(['PROCESSING_ERROR', 'TIMEOUT', 'VALIDATION_FAILED', 'WORKER_LOST']),
});

export const RETRIES_MAX = 100;

/** The wait after attempt number `attempt` (the first is 1): the delay, then multiplied each time, never above the cap. */
export function backoffMs(policy: RetryPolicy, attempt: number): number {
  // No delay stays none: zero times a growth beyond all numbers is not a number.
  const grown = policy.delayMs === 0 ? 0 : policy.delayMs * policy.multiplier ** (attempt - 1);
  return Math.min(Math.round(grown), policy.capMs);
}

export type AfterFailure = { readonly do: 'retry'; readonly inMs: number } | { readonly do: 'give-up' };

/** What a worker for agents gives an attempt where the sender named nothing: agents work for long, and trying again is dear. */
export const AGENT_TERMS = Object.freeze({ attemptTimeoutMs: 2 * 3_600_000, retriesMax: 1 });

/** `attempt` is the number of attempts that count so far, the failed one included. */
export function afterFailure(attempt: number, code: string, policy: RetryPolicy): AfterFailure {
  if (attempt > policy.retriesMax) return { do: 'give-up' };
  if (!policy.retryOn.includes(code)) return { do: 'give-up' };
  return { do: 'retry', inMs: backoffMs(policy, attempt) };
}
