/**
 * A worker: claims handoffs of its agent, runs the handler on up to `concurrency` at a time, and settles each with the
 * fence of its acceptance.
 *
 * A slot is free as soon as its handler has ended, not when the result is on the disk, so that settling one handoff and
 * claiming the next share a commit. Where handlers are fast, more is claimed than there are slots (`prefetch.ts`).
 */
import { newUuid } from '../foundation/ids.ts';
import type { Json, JsonObject } from '../foundation/json.ts';
import type { Evidence } from '../domain/evidence.ts';
import type { Handoff } from '../domain/handoff.ts';
import type { AgentId, SessionId } from '../domain/names.ts';
import { agentPrincipal, type Principal } from '../domain/principal.ts';
import { CLAIM_MAX, StoreGone, type Claimed, type RunningGroup } from '../stores/store.ts';
import { NO_LONGER_NEEDED, runAttempt } from './attempt.ts';
import { HeartbeatFault } from './heartbeat-fault.ts';
import { interruptionsOf, type Interruptions } from './attempt-interruptions.ts';
import type { HeartbeatListener, Context } from './context.ts';
import { openPrefetch, type Prefetched } from './prefetch.ts';
import { claimForSession, withFilesWon } from './handoffs/claim.ts';
import { release } from './handoffs/release.ts';

export type Handler = (claimed: Claimed, attempt: Attempt) => Promise<Json>;

export interface Attempt {
  /** Aborted when time is up, the lease is lost or the worker must stop. */
  readonly signal: AbortSignal;
  /** Reports progress; written at most once a second, without waiting. */
  progress(fraction: number | null, says?: string): void;
  /** Adds details of this attempt to the trail, beside its result or failure. Later values replace earlier ones. */
  note(detail: JsonObject): void;
  /** Adds evidence for a deliverable to the result. */
  evidence(deliverable: string, kind: Evidence['kind'], value: string): void;
  /** Registers a command of this attempt, which must not run before this resolves. */
  running(group: Omit<RunningGroup, 'handoff'>): Promise<void>;
}

export interface WorkOptions {
  readonly agent: AgentId;
  readonly handler: Handler;
  readonly principal?: Principal;
  readonly concurrency?: number;
  /** Replaces the terms of the workspace, unless the sender has set them. */
  readonly terms?: { readonly attemptTimeoutMs?: number; readonly retriesMax?: number };
  /**
   * Ends after this many attempts.
   * @default never
   */
  readonly attemptsMax?: number;
  /** Claim nothing new; running handlers finish. */
  readonly stop?: AbortSignal;
  /** Running handlers are aborted, and their handoffs released. */
  readonly abort?: AbortSignal;
}

export interface WorkDone {
  readonly attempts: number;
  /** Results that were refused, because the handoff was no longer ours. */
  readonly refused: number;
}

/** The pause after a fault of the store, so that a full disk is not hit a thousand times a second. */
const FAULT_PAUSE_MS = 500;

/** A session of this worker in the store. A lost session is replaced by a new one. */
export interface WorkerSession {
  readonly session: SessionId;
  readonly lost: AbortController;
  readonly groups: RunningGroup[];
  readonly interruptions: Interruptions;
  readonly stop: () => Promise<void>;
}

export async function work(ctx: Context, options: WorkOptions): Promise<WorkDone> {
  const { agent, concurrency = 1, attemptsMax = Number.POSITIVE_INFINITY } = options;
  const principal = options.principal ?? agentPrincipal(agent);
  const optionsWithPrincipal = { ...options, principal };
  const stopController = linkedController(options.stop);
  const abortController = linkedController(options.abort);
  const stop = stopController.signal;
  const running = new Set<Promise<unknown>>();
  const settling = new Set<Promise<unknown>>();
  const ownAcceptances = new Set<string>();
  let resume = (): void => undefined;
  const wake = (): void => resume();
  let heartbeatFault: HeartbeatFault | null = null;
  /** Without heartbeats the session is soon lost, so its handoffs are released while they are still ours. */
  const failed = (fault: HeartbeatFault): void => {
    heartbeatFault = fault;
    stopController.abort(NO_LONGER_NEEDED);
    abortController.abort(NO_LONGER_NEEDED);
  };
  const openSession = async (): Promise<WorkerSession> =>
    openWorkerSession(ctx, agent, abortController.signal, { onLost: wake, onFailed: failed });
  let workerSession = await openSession();
  let attempts = 0;
  let refused = 0;
  const listening = new AbortController();
  /** Kept between rounds until it resolves: until then nothing has changed. */
  let hint: Promise<void> | null = null;
  /** A claim was sent and not answered. */
  let isClaimUnanswered = false;
  const prefetch = openPrefetch(ctx, listening.signal, (items) => track(settling, releaseAll(items)));

  const releaseAll = async (items: readonly Prefetched[]): Promise<void> => {
    for (const { claimed } of items) {
      await orReportFault(ctx, 'giving back', () => release(ctx, principal, claimed.handoff, claimed.handoff.fence));
      ownAcceptances.delete(acceptanceOf(claimed.handoff));
    }
  };

  const start = ({ claimed, askedMs }: Prefetched): void => {
    attempts += 1;
    const beganMs = ctx.clock.monotonicMs();
    const { handled, settled } = runAttempt(ctx, optionsWithPrincipal, workerSession, claimed, askedMs);
    const freed = (): void => {
      prefetch.recordHandlerTime(ctx.clock.monotonicMs() - beganMs);
      startNext();
      wake();
    };
    track(running, handled, freed);
    track(
      settling,
      settled.then((accepted) => {
        if (!accepted) refused += 1;
        ownAcceptances.delete(acceptanceOf(claimed.handoff));
      }),
    );
  };

  const startNext = (): void => {
    while (running.size < concurrency && !stop.aborted && !workerSession.lost.signal.aborted) {
      const next = prefetch.take();
      if (next === undefined) return;
      start(next);
    }
    prefetch.startExpiry();
  };

  const claimSize = (): number => {
    const free = concurrency - running.size;
    const more = prefetch.missing(concurrency);
    // Not before half of the prefetched handoffs are used: the next claim refills them anyway.
    const due = free > prefetch.size || more > prefetch.size;
    return due ? Math.min(free + more, attemptsMax - attempts - prefetch.size, CLAIM_MAX) : 0;
  };

  const claim = async (): Promise<number> => {
    if (isClaimUnanswered) await releaseStrays(ctx, principal, workerSession.session, ownAcceptances);
    isClaimUnanswered = true;
    const askedMs = ctx.clock.monotonicMs();
    const asked = claimSize();
    const claimed = await claimForSession(
      ctx,
      principal,
      agent,
      workerSession.session,
      asked,
      options.terms?.attemptTimeoutMs,
    );
    const ours = await withFilesWon(ctx, principal, claimed);
    for (const { handoff } of ours) ownAcceptances.add(acceptanceOf(handoff));
    prefetch.recordClaim(asked, claimed.length);
    prefetch.put(ours.map((each) => ({ claimed: each, askedMs })));
    isClaimUnanswered = false;
    return ours.length;
  };

  const round = async (): Promise<void> => {
    if (workerSession.lost.signal.aborted) {
      const next = await orReportFault(ctx, 'opening a session', openSession);
      if (next === null) return;
      // The prefetched handoffs belonged to the lost session.
      for (const { claimed } of prefetch.takeAll()) ownAcceptances.delete(acceptanceOf(claimed.handoff));
      workerSession = next;
      isClaimUnanswered = false;
    }
    hint ??= ctx.store.changed({ kind: 'offers', agent }, listening.signal).then(() => {
      hint = null;
      if (claimSize() > 0) resume();
    });
    if (claimSize() > 0) {
      const got = (await orReportFault(ctx, 'claiming', claim)) ?? 0;
      startNext();
      if (got > 0 && claimSize() > 0) return;
    }
    if (attempts >= attemptsMax || stop.aborted || workerSession.lost.signal.aborted) return;
    // The change may have come after the claim.
    if (hint === null && claimSize() > 0) return;
    await new Promise<void>((resolve) => {
      resume = resolve;
    });
  };

  stop.addEventListener('abort', wake, { once: true });
  try {
    while (!stop.aborted && attempts < attemptsMax) await round();
  } catch (error) {
    // The store is gone, or no session can be opened: running handoffs can be neither settled nor released.
    workerSession.lost.abort(NO_LONGER_NEEDED);
    await Promise.all([...running, ...settling]);
    await workerSession.stop();
    throw error;
  } finally {
    stop.removeEventListener('abort', wake);
    listening.abort(NO_LONGER_NEEDED);
  }
  await releaseAll(prefetch.takeAll());
  await Promise.all([...running, ...settling]);
  if (isClaimUnanswered)
    await orReportFault(ctx, 'giving back', () => releaseStrays(ctx, principal, workerSession.session, ownAcceptances));
  await workerSession.stop();
  if (heartbeatFault !== null) throw heartbeatFault as HeartbeatFault;
  return { attempts, refused };
}

/** A controller that is also aborted with the given signal. */
function linkedController(signal: AbortSignal | undefined): AbortController {
  const controller = new AbortController();
  if (signal?.aborted === true) controller.abort(signal.reason);
  signal?.addEventListener('abort', () => controller.abort(NO_LONGER_NEEDED), { once: true });
  return controller;
}

async function openWorkerSession(
  ctx: Context,
  agent: AgentId,
  abort: AbortSignal,
  callbacks: { readonly onLost: () => void; readonly onFailed: (fault: HeartbeatFault) => void },
): Promise<WorkerSession> {
  const session = newUuid(ctx.store.nowMs(), ctx.random) as SessionId;
  const lost = new AbortController();
  await ctx.store.sessions.open({ id: session, agent, process: ctx.liveness.self, leaseMs: ctx.leaseMs });
  const close = async (): Promise<void> => {
    try {
      // The session holds nothing, so it can end at once.
      if (await ctx.store.sessions.end(session, 0)) await ctx.store.sessions.forget(session);
    } catch (error) {
      // Everything is settled, and the silent session ends with its lease.
      ctx.report({ kind: 'fault', doing: 'closing a session', error });
    }
  };
  const listener: HeartbeatListener = {
    lost: () => {
      ctx.report({ kind: 'session-lost', session });
      lost.abort(NO_LONGER_NEEDED);
      callbacks.onLost();
    },
    failed: callbacks.onFailed,
  };
  const beating = await ctx.heartbeat.start(session, listener).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const interruptions = interruptionsOf(ctx, { abort, lost: lost.signal });
  const stop = async (): Promise<void> => {
    interruptions.close();
    await beating.stop();
    await close();
  };
  return { session, lost, groups: [], interruptions, stop };
}

/** Releases handoffs of a claim without an answer: no handler runs for them, and our heartbeats would keep them for ever. */
async function releaseStrays(
  ctx: Context,
  principal: Principal,
  session: SessionId,
  ownAcceptances: ReadonlySet<string>,
): Promise<void> {
  // Whatever is ours, and one whole claim: a worker with many slots would otherwise see only its own.
  const max = ownAcceptances.size + CLAIM_MAX;
  const { items } = await ctx.store.find({ by: 'session', session, max });
  for (const handoff of items) {
    if (!ownAcceptances.has(acceptanceOf(handoff))) await release(ctx, principal, handoff, handoff.fence);
  }
}

function acceptanceOf({ id, fence }: Handoff): string {
  return `${id} ${fence}`;
}

/** Reports a temporary fault and waits; a permanent one is thrown and ends the worker. */
async function orReportFault<Answer>(ctx: Context, doing: string, ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof StoreGone || error instanceof HeartbeatFault) throw error;
    ctx.report({ kind: 'fault', doing, error });
    await ctx.timers.sleep(FAULT_PAUSE_MS);
    return null;
  }
}

function track(set: Set<Promise<unknown>>, promise: Promise<unknown>, then: () => void = () => undefined): void {
  set.add(promise);
  const ended = (): void => {
    set.delete(promise);
    then();
  };
  // `finally` makes more promises, and this runs twice for each handoff.
  void promise.then(ended, (error: unknown) => {
    ended();
    throw error;
  });
}
