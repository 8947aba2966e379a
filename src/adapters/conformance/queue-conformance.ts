/**
 * Runs a program of any language against the protocol of the queue folder, in a temporary folder, without a database: its
 * mistakes show in the files. One command plays all three roles, as the published clients do:
 *
 *     COMMAND send @from @to JSON     prints the id
 *     COMMAND work @agent             handles once what is in pending/ for the agent
 *     COMMAND wait ID                 prints the answer; ends with another code than 0 when it failed
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestQueue, type TestQueue } from './test-queue.ts';
import { SENDER_CHECKS } from './sender-checks.ts';
import { WAITER_CHECKS } from './waiter-checks.ts';
import { WORKER_CHECKS } from './worker-checks.ts';

export const QUEUE_ROLES = ['send', 'work', 'wait'] as const;
export type QueueRole = (typeof QUEUE_ROLES)[number];

/** `warning`: Baton tolerates it, and other programs may not. */
type Verdict = 'ok' | 'warning' | 'wrong';

export interface ConformanceResult {
  readonly role: QueueRole;
  readonly name: string;
  readonly verdict: Verdict;
  /** What was wrong; for a passed check, what was checked. */
  readonly says: string;
}

export interface ConformanceCheck {
  readonly name: string;
  /** What a program that passes does. */
  readonly expects: string;
  /** What is wrong; null: nothing. */
  run(bench: TestQueue): Promise<string | { readonly warning: string } | null>;
}

const CHECKS: Readonly<Record<QueueRole, readonly ConformanceCheck[]>> = {
  send: SENDER_CHECKS,
  work: WORKER_CHECKS,
  wait: WAITER_CHECKS,
};

export interface ConformanceOptions {
  readonly command: readonly string[];
  readonly roles: readonly QueueRole[];
  readonly signal: AbortSignal;
  readonly onResult: (result: ConformanceResult) => void;
}

export async function checkQueueProgram(options: ConformanceOptions): Promise<readonly ConformanceResult[]> {
  const results: ConformanceResult[] = [];
  for (const role of options.roles) {
    for (const check of CHECKS[role]) {
      if (options.signal.aborted) return results;
      const result = { role, name: check.name, ...(await outcomeOf(check, options)) };
      options.onResult(result);
      results.push(result);
    }
  }
  return results;
}

async function outcomeOf(
  check: ConformanceCheck,
  { command, signal }: ConformanceOptions,
): Promise<Pick<ConformanceResult, 'verdict' | 'says'>> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-conformance-'));
  for (const place of ['pending', 'in-progress', 'completed', 'failed', 'waiting', 'quarantine']) {
    mkdirSync(join(folder, 'handoffs', place), { recursive: true });
  }
  mkdirSync(join(folder, 'artifacts'));
  const bench = openTestQueue(folder, command, signal);
  try {
    const flaw = await check.run(bench);
    if (flaw === null) return { verdict: 'ok', says: check.expects };
    return typeof flaw === 'string' ? { verdict: 'wrong', says: flaw } : { verdict: 'warning', says: flaw.warning };
  } finally {
    await bench.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
