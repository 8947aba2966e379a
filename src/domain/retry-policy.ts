/** What follows a failed attempt. The policy names the failure codes that are retried. */
export interface RetryPolicy {
  /** Attempts after the first: 3 means four in total. */
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

/** The wait after attempt number `attempt` (from 1): the delay, multiplied each time, at most the cap. */
export function backoffMs(policy: RetryPolicy, attempt: number): number {
  // Zero times Infinity would be NaN.
  const grown = policy.delayMs === 0 ? 0 : policy.delayMs * policy.multiplier ** (attempt - 1);
  return Math.min(Math.round(grown), policy.capMs);
}

export type AfterFailure = { readonly do: 'retry'; readonly inMs: number } | { readonly do: 'give-up' };

/** Defaults of a worker for agents, if the sender set none: agents work long, and a retry is expensive. */
export const AGENT_TERMS = Object.freeze({ attemptTimeoutMs: 2 * 3_600_000, retriesMax: 1 });

/** `attempt` is the number of counted attempts, the failed one included. */
export function afterFailure(attempt: number, code: string, policy: RetryPolicy): AfterFailure {
  if (attempt > policy.retriesMax) return { do: 'give-up' };
  if (!policy.retryOn.includes(code)) return { do: 'give-up' };
  return { do: 'retry', inMs: backoffMs(policy, attempt) };
}
