/** What happens after a summary reports that its work has failed. */
import type { OnFailure } from './summary.ts';

export interface Failures {
  /** How often this agent has retried in this chain. */
  readonly retries: number;
  /** All failures in this chain, this one included. */
  readonly failures: number;
}

export interface Consequence {
  readonly do: 'retry' | 'route' | 'give-up';
  /** The delegator is notified. */
  readonly escalate: boolean;
}

/**
 * The same agent gets its retries before the work moves elsewhere: one flaky run is not a reason to reassign it. A chain
 * that has failed too often is not retried: it takes its route, and the delegator is notified.
 */
export function afterFailedSummary(policy: OnFailure, { retries, failures }: Failures): Consequence {
  const escalate = policy.escalateAfter !== undefined && failures >= policy.escalateAfter;
  const hasRoute = policy.routeTo !== undefined;
  if (escalate && hasRoute) return { do: 'route', escalate };
  if (retries < (policy.retry ?? 0)) return { do: 'retry', escalate };
  return { do: hasRoute ? 'route' : 'give-up', escalate };
}
