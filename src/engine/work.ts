/**
 * A worker. It takes what is offered to its agent, as many at a time as it has hands, runs the handler on each, and
 * settles with the fence of the acceptance.
 *
 * A hand is free as soon as its handler has ended, not when the result is on the disk: settling one and claiming the
 * next share a commit. Where handlers are quick, more is claimed than there are hands (`prefetch.ts`). Words: a *session* is this worker's life in the store, an *attempt* one acceptance.
 */
import { newUuid } from '../foundation/ids.ts';
import type { Json, JsonObject } from '../foundation/json.ts';
import type { Evidence } from '../domain/evidence.ts';
import type { Handoff } from '../domain/handoff.ts';
import type { AgentId, SessionId } from '../domain/names.ts';
import { agentPrincipal, type Principal } from '../domain/principal.ts';
import { CLAIM_MAX, StoreGone, type Claimed, type RunningGroup } from '../stores/store.ts';
import { OVER, runAttempt } from './attempt.ts';
import { HeartbeatFault } from './heartbeat-fault.ts';
import { interruptionsOf, type Interruptions } from './attempt-interruptions.ts';
import type { HeartbeatListener, Context } from './context.ts';
import { openPrefetch, type Prefetched } from './prefetch.ts';
import { claimForSession, won } from './handoffs/claim.ts';
import { release } from './handoffs/release.ts';

export type Handler = (claimed: Claimed, attempt: Attempt) => Promise<Json>;

export interface Attempt {
  /** Aborted when time is up, the lease is lost or the worker must stop. */
  readonly signal: AbortSignal;
  /** How far it is; told at most once a second, and never a reason to wait. */
  progress(fraction: number | null, says?: string): void;
  /** What the trail is to say of this attempt, beside its result or failure; later names replace earlier ones. */
  note(detail: JsonObject): void;
  /** What is shown for a deliverable, with the result. */
  evidence(deliverable: string, kind: Evidence['kind'], value: string): void;
  /** A command was started for this attempt; it must not go on before this has come back. */
  running(group: Omit<RunningGroup, 'handoff'>): Promise<void>;
}

export interface WorkOptions {
  readonly agent: AgentId;
  readonly handler: Handler;
  readonly principal?: Principal;
  readonly concurrency?: number;
  /** Instead of the workspace's own terms, where the sender named nothing else. */
  readonly terms?: { readonly attemptTimeoutMs?: number; readonly retriesMax?: number };
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
  readonly interruptions: Interruptions;
  readonly stop: () => Promise<void>;
}

export async function work(ctx: Context, options: WorkOptions): Promise<WorkDone> {
  const { agent, concurrency = 1, attemptsMax = Number.POSITIVE_INFINITY } = options;
  const principal = options.principal ?? agentPrincipal(agent);
  const entitled = { ...options, principal };
  const stopping = linked(options.stop);
  const givingUp = linked(options.abort);
  const stop = stopping.signal;
  const running = new Set<Promise<unknown>>();
  const settling = new Set<Promise<unknown>>();
  const attended = new Set<string>();
  let goOn = (): void => undefined;
  const look = (): void => goOn();
  let broken: HeartbeatFault | null = null;
  /** Without beats the session is soon lost: what it holds goes back while it is still ours. */
  const failed = (fault: HeartbeatFault): void => {
    broken = fault;
    stopping.abort(OVER);
    givingUp.abort(OVER);
  };
  const openNext = async (): Promise<Hold> => openHold(ctx, agent, givingUp.signal, { onLost: look, onFailed: failed });
  let hold = await openNext();
  let attempts = 0;
  let refused = 0;
  const listening = new AbortController();
  /** Kept from round to round until it comes: as long as it has not, nothing has changed since it was asked for. */
  let hint: Promise<void> | null = null;
  /** A claim was asked for, and its answer is not there. */
  let unsure = false;
  const shelf = openPrefetch(ctx, listening.signal, (items) => keep(settling, giveBack(items)));

  const giveBack = async (items: readonly Prefetched[]): Promise<void> => {
    for (const { claimed } of items) {
      await safely(ctx, 'giving back', () => release(ctx, principal, claimed.handoff, claimed.handoff.fence));
      attended.delete(acceptanceOf(claimed.handoff));
    }
  };

  const start = ({ claimed, askedMs }: Prefetched): void => {
    attempts += 1;
    const beganMs = ctx.clock.monotonicMs();
    const { handled, settled } = runAttempt(ctx, entitled, hold, claimed, askedMs);
    const freed = (): void => {
      shelf.took(ctx.clock.monotonicMs() - beganMs);
      startNext();
      look();
    };
    keep(running, handled, freed);
    keep(
      settling,
      settled.then((accepted) => {
        if (!accepted) refused += 1;
        attended.delete(acceptanceOf(claimed.handoff));
      }),
    );
  };

  const startNext = (): void => {
    while (running.size < concurrency && !stop.aborted && !hold.lost.signal.aborted) {
      const next = shelf.take();
      if (next === undefined) return;
      start(next);
    }
    shelf.attend();
  };

  const wanted = (): number => {
    const free = concurrency - running.size;
    const more = shelf.room(concurrency);
    // A few that are missing on the shelf are no reason to ask: with the next claim they come for nothing.
    const due = free > shelf.size || more > shelf.size;
    return due ? Math.min(free + more, attemptsMax - attempts - shelf.size, CLAIM_MAX) : 0;
  };

  const claim = async (): Promise<number> => {
    if (unsure) await giveBackStrays(ctx, principal, hold.session, attended);
    unsure = true;
    const askedMs = ctx.clock.monotonicMs();
    const asked = wanted();
    const claimed = await claimForSession(ctx, principal, agent, hold.session, asked, options.terms?.attemptTimeoutMs);
    const ours = await won(ctx, principal, claimed);
    for (const { handoff } of ours) attended.add(acceptanceOf(handoff));
    shelf.brought(asked, claimed.length);
    shelf.put(ours.map((each) => ({ claimed: each, askedMs })));
    unsure = false;
    return ours.length;
  };

  const round = async (): Promise<void> => {
    if (hold.lost.signal.aborted) {
      const next = await safely(ctx, 'opening a session', openNext);
      if (next === null) return;
      // What lies there was the lost session's.
      for (const { claimed } of shelf.takeAll()) attended.delete(acceptanceOf(claimed.handoff));
      hold = next;
      unsure = false;
    }
    hint ??= ctx.store.changed({ kind: 'offers', agent }, listening.signal).then(() => {
      hint = null;
      if (wanted() > 0) goOn();
    });
    if (wanted() > 0) {
      const got = (await safely(ctx, 'claiming', claim)) ?? 0;
      startNext();
      if (got > 0 && wanted() > 0) return;
    }
    if (attempts >= attemptsMax || stop.aborted || hold.lost.signal.aborted) return;
    // The change came while we looked, perhaps after we had looked.
    if (hint === null && wanted() > 0) return;
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
  };

  stop.addEventListener('abort', look, { once: true });
  try {
    while (!stop.aborted && attempts < attemptsMax) await round();
  } catch (error) {
    // The store is gone, or the session is lost and there can be no other: what runs can neither be settled nor given back.
    hold.lost.abort(OVER);
    await Promise.all([...running, ...settling]);
    await hold.stop();
    throw error;
  } finally {
    stop.removeEventListener('abort', look);
    listening.abort(OVER);
  }
  await giveBack(shelf.takeAll());
  await Promise.all([...running, ...settling]);
  if (unsure) await safely(ctx, 'giving back', () => giveBackStrays(ctx, principal, hold.session, attended));
  await hold.stop();
  if (broken !== null) throw broken as HeartbeatFault;
  return { attempts, refused };
}

/** Aborted with the given one, or by us. */
function linked(signal: AbortSignal | undefined): AbortController {
  const controller = new AbortController();
  if (signal?.aborted === true) controller.abort(signal.reason);
  signal?.addEventListener('abort', () => controller.abort(OVER), { once: true });
  return controller;
}

async function openHold(
  ctx: Context,
  agent: AgentId,
  abort: AbortSignal,
  told: { readonly onLost: () => void; readonly onFailed: (fault: HeartbeatFault) => void },
): Promise<Hold> {
  const session = newUuid(ctx.store.nowMs(), ctx.random) as SessionId;
  const lost = new AbortController();
  await ctx.store.sessions.open({ id: session, agent, process: ctx.liveness.self, leaseMs: ctx.leaseMs });
  const close = async (): Promise<void> => {
    try {
      // Nothing is held any more, so nothing has to be waited for.
      if (await ctx.store.sessions.end(session, 0)) await ctx.store.sessions.forget(session);
    } catch (error) {
      // All is settled; that the session is over is told by its silence as well.
      ctx.report({ kind: 'fault', doing: 'closing a session', error });
    }
  };
  const listener: HeartbeatListener = {
    lost: () => {
      ctx.report({ kind: 'session-lost', session });
      lost.abort(OVER);
      told.onLost();
    },
    failed: told.onFailed,
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

/** What a claim whose answer was lost has taken: nobody here works on it, and our beats would keep it for ever. */
async function giveBackStrays(
  ctx: Context,
  principal: Principal,
  session: SessionId,
  attended: ReadonlySet<string>,
): Promise<void> {
  const { items } = await ctx.store.find({ by: 'session', session, max: CLAIM_MAX });
  for (const handoff of items) {
    if (!attended.has(acceptanceOf(handoff))) await release(ctx, principal, handoff, handoff.fence);
  }
}

function acceptanceOf({ id, fence }: Handoff): string {
  return `${id} ${fence}`;
}

/** A passing fault is no reason to end a worker that has begun; one that does not pass is. */
async function safely<Answer>(ctx: Context, doing: string, ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof StoreGone || error instanceof HeartbeatFault) throw error;
    ctx.report({ kind: 'fault', doing, error });
    await ctx.timers.sleep(FAULT_PAUSE_MS);
    return null;
  }
}

function keep(set: Set<Promise<unknown>>, promise: Promise<unknown>, then: () => void = () => undefined): void {
  set.add(promise);
  void promise.finally(() => {
    set.delete(promise);
    then();
  });
}
