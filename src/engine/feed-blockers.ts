/**
 * Finds and names transactions that hold back new facts from all followers of the feed.
 *
 * A writer holds the feed for milliseconds. A transaction that two consecutive checks find holds it up.
 */
import type { FeedHolder } from '../stores/store.ts';
import { healthy, listed, problem, type HealthCheck } from './health-checks.ts';
import type { Context } from './context.ts';

/** Longer than any write of Baton: the server ends its statements after 5 s and its idle transactions after 10 s. */
const CHECK_MS = 10_000;
/** `baton doctor` must answer soon. */
const DOCTOR_CHECK_MS = 1_500;

export interface FeedWatch {
  /** How long the feed has been held up. 0: it is not. */
  heldForMs(): number;
}

/** Checks until the signal is aborted, and reports when the feed is held up and when it is free again. */
export function watchFeed(
  { store, clock, timers, report }: Pick<Context, 'store' | 'clock' | 'timers' | 'report'>,
  signal: AbortSignal,
): FeedWatch {
  let before: readonly FeedHolder[] = [];
  let seenAtMs = 0;
  let isHeld = false;

  const check = async (): Promise<void> => {
    const now = await store.upkeep.feedHolders();
    const persistent = stillHolding(before, now);
    if (persistent.length === 0) seenAtMs = clock.monotonicMs();
    before = now;
    if (persistent.length > 0 === isHeld) return;
    isHeld = persistent.length > 0;
    report(
      isHeld ? { kind: 'feed-held', says: holdersText(persistent), todo: advice(persistent) } : { kind: 'feed-free' },
    );
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await check();
      } catch (error) {
        if (signal.aborted) return;
        report({ kind: 'fault', doing: 'looking for transactions that hold up the feed', error });
      }
      await timers.sleep(CHECK_MS, signal);
    }
  };
  void run();
  return { heldForMs: () => (isHeld ? clock.monotonicMs() - seenAtMs : 0) };
}

export async function examineFeed({ store, timers }: Context, signal: AbortSignal): Promise<HealthCheck> {
  const before = await store.upkeep.feedHolders();
  if (before.length > 0) await timers.sleep(DOCTOR_CHECK_MS, signal);
  const persistent = before.length === 0 ? [] : stillHolding(before, await store.upkeep.feedHolders());
  if (persistent.length === 0) return healthy('feed', 'no open transaction keeps facts back');
  return problem('feed', holdersText(persistent), advice(persistent));
}

function stillHolding(before: readonly FeedHolder[], now: readonly FeedHolder[]): readonly FeedHolder[] {
  const known = new Set(before.map(({ transaction }) => transaction));
  return now.filter(({ transaction }) => known.has(transaction));
}

function holdersText(holders: readonly FeedHolder[]): string {
  const who = holders.map(({ pid, application, preparedAs, database, openForMs }) => {
    const name = preparedAs === null ? `process ${pid} (${application ?? 'no name'})` : `prepared '${preparedAs}'`;
    const since = openForMs === null ? '' : `, open for ${Math.round(openForMs / 1000)} s`;
    return `${name} in database ${database}${since}`;
  });
  return `new facts are kept back by a transaction that has written to Baton's tables: ${listed(who)}`;
}

function advice(holders: readonly FeedHolder[]): string {
  const steps = holders.map(({ pid, preparedAs, database }) =>
    preparedAs === null
      ? `select pg_terminate_backend(${pid})`
      : `rollback prepared '${preparedAs.replaceAll("'", "''")}' (or commit prepared) in database ${database}`,
  );
  return `end it on the server: ${listed(steps)}`;
}
