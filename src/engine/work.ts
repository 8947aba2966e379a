/**
 * A worker. It takes what is offered to its agent, as many at a time as it has hands, runs the handler on each, and
 * settles with the fence of the acceptance.
 *
 * A hand is free as soon as its handler has ended, not when the result is on the disk: settling one and claiming the
 * next share a commit. Words: a *session* is this worker's life in the store, an *attempt* one acceptance.
 */
import { newUuid } from '../foundation/ids.ts';
import type { Json } from '../foundation/json.ts';
import type { AgentId, SessionId } from '../domain/names.ts';
import { agentPrincipal, type Principal } from '../domain/principal.ts';
import type { Claimed, RunningGroup } from '../stores/store.ts';
import { runAttempt } from './attempt.ts';
import type { Surroundings } from './surroundings.ts';
import { claimForSession } from './verbs/claim.ts';

export type Handler = (claimed: Claimed, attempt: Attempt) => Promise<Json>;

export interface Attempt {
  /** Aborted when time is up, the lease is lost or the worker must stop. */
  readonly signal: AbortSignal;
  /** A command was started for this attempt; it must not go on before this has come back. */
  running(group: Omit<RunningGroup, 'handoff'>): Promise<void>;
}

export interface WorkOptions {
  readonly agent: AgentId;
  readonly handler: Handler;
  readonly principal?: Principal;
  readonly concurrency?: number;
  /** Ends after this many attempts; default: never. */
  readonly attemptsMax?: number;
  /** Take nothing new; what runs is finished. */
  readonly stop?: AbortSignal;
  /** What runs is aborted and given back. */
  readonly abort?: AbortSignal;
}

export interface WorkDone {
  readonly attempts: number;
  /** Results that were refused, because the handoff was no longer ours. */
  readonly refused: number;
}

/** After a fault of the store, so that a full disk is not asked a thousand times a second. */
const FAULT_PAUSE_MS = 500;

/** One session in the store and what it holds. A lost session is replaced by a new one. */
export interface Hold {
  readonly session: SessionId;
  readonly lost: AbortController;
  readonly groups: RunningGroup[];
  readonly stop: () => Promise<void>;
}

export async function work(around: Surroundings, options: WorkOptions): Promise<WorkDone> {
  const { agent, concurrency = 1, attemptsMax = Number.POSITIVE_INFINITY } = options;
  const principal = options.principal ?? agentPrincipal(agent);
  const stop = options.stop ?? new AbortController().signal;
  const running = new Set<Promise<unknown>>();
  const settling = new Set<Promise<unknown>>();
  let hold = await openHold(around, agent);
  let attempts = 0;
  let refused = 0;

  const start = (claimed: Claimed): void => {
    attempts += 1;
    const { handled, settled } = runAttempt(around, { ...options, principal }, hold, claimed);
    keep(running, handled);
    keep(
      settling,
      settled.then((accepted) => {
        if (!accepted) refused += 1;
      }),
    );
  };

  const wanted = (): number => Math.min(concurrency - running.size, attemptsMax - attempts);

  while (!stop.aborted && attempts < attemptsMax) {
    if (hold.lost.signal.aborted) hold = await openHold(around, agent);
    const iteration = new AbortController();
    const hint = around.store.changed({ kind: 'offers', agent }, iteration.signal);
    let more = false;
    if (wanted() > 0) {
      const claimed = await claimSafely(around, principal, agent, hold.session, wanted());
      for (const each of claimed) start(each);
      more = claimed.length > 0 && wanted() > 0;
    }
    if (!more && attempts < attemptsMax) {
      const idle = wanted() > 0 ? [hint] : [];
      await Promise.race([...idle, ...running, aborted(stop, iteration.signal), aborted(hold.lost.signal, iteration.signal)]);
    }
    iteration.abort();
  }
  await Promise.all([...running, ...settling]);
  await hold.stop();
  return { attempts, refused };
}

async function openHold(around: Surroundings, agent: AgentId): Promise<Hold> {
  const session = newUuid(around.store.nowMs(), around.random) as SessionId;
  const lost = new AbortController();
  await around.store.sessions.open({ id: session, agent, process: around.liveness.self });
  const beating = await around.heartbeat.start(session, () => {
    around.report({ kind: 'session-lost', session });
    lost.abort();
  });
  const stop = async (): Promise<void> => {
    await beating.stop();
    // Nothing is held any more, so nothing has to be waited for.
    if (await around.store.sessions.end(session, 0)) await around.store.sessions.forget(session).catch(() => undefined);
  };
  return { session, lost, groups: [], stop };
}

async function claimSafely(
  around: Surroundings,
  principal: Principal,
  agent: AgentId,
  session: SessionId,
  max: number,
): Promise<readonly Claimed[]> {
  try {
    return await claimForSession(around, principal, agent, session, max);
  } catch (error) {
    around.report({ kind: 'fault', doing: 'claiming', error });
    await around.timers.sleep(FAULT_PAUSE_MS);
    return [];
  }
}

function keep(set: Set<Promise<unknown>>, promise: Promise<unknown>): void {
  set.add(promise);
  void promise.finally(() => set.delete(promise));
}

/** Ends when `signal` is aborted, and leaves nothing behind when `end` comes first. */
function aborted(signal: AbortSignal, end: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true, signal: end });
  });
}
