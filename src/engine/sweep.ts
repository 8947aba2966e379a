/**
 * What time and death leave behind, put right. Selections are hints: each record is judged again by a pure decision at
 * the moment it is changed, so a sweep can run anywhere, twice, or half.
 */
import { JUMP_MS } from '../foundation/clock.ts';
import { err } from '../foundation/result.ts';
import { dueAtOf } from '../domain/deadlines.ts';
import type { Decide } from '../domain/decision.ts';
import type { Handoff } from '../domain/handoff.ts';
import { onWorkerLost, onDeadline, type DeadlineMove } from '../domain/moves/on-deadline.ts';
import type { HandoffId, SessionId } from '../domain/names.ts';
import { SYSTEM } from '../domain/principal.ts';
import type { Op } from '../domain/rights.ts';
import type { SessionRecord } from '../stores/store.ts';
import { withNotifications, decideBy, type RequestedMove } from './change.ts';
import { sweepAwaiting } from './artifacts/awaited-artifacts.ts';
import { fillFreeCapacity } from './fill-capacity.ts';
import { sweepSchedules } from './schedules.ts';
import { freeHeldBack } from './summaries/held-legs.ts';
import { SETTLE_AFTER_GAP_MS, type StallCheck } from './stall-detection.ts';
import type { Context } from './context.ts';
import { sweepDependents, sweepFreed } from './handoffs/dependents.ts';
import { failureText } from './handoffs/failure-text.ts';

/** One sweep never holds the write lock for longer than a worker's claim may wait for it. */
const SWEPT_MAX = 200;
/** A beat that is this late may still be on its way. */
const SILENCE_GRACE_MS = 500;

/** Between its parts it can be told to stop; each of them is bounded. */
export async function sweep(
  ctx: Context,
  steady: StallCheck,
  signal?: AbortSignal,
): Promise<{ readonly changed: number }> {
  const parts: readonly (() => Promise<number>)[] = [
    () => sweepSessions(ctx, steady),
    () => sweepOverdue(ctx, steady),
    () => sweepFreed(ctx),
    () => sweepDependents(ctx),
    () => sweepAwaiting(ctx),
    () => freeHeldBack(ctx, 'held'),
    () => fillFreeCapacity(ctx),
    () => sweepSchedules(ctx),
  ];
  let changed = 0;
  for (const part of parts) if (signal?.aborted !== true) changed += await part();
  return { changed };
}

async function sweepSessions(ctx: Context, steady: StallCheck): Promise<number> {
  const over: SessionRecord[] = [];
  for (const session of await ctx.store.sessions.list()) if (await isOver(ctx, session, steady)) over.push(session);
  if (over.length === 0) return 0;
  // What they run is asked for again now: until its end, a session could begin something.
  const newest = await ctx.store.sessions.list();
  let changed = 0;
  for (const session of over) changed += await recover(ctx, newest.find(({ id }) => id === session.id) ?? session);
  return changed;
}

/**
 * A process that is provably gone is over at once; one that cannot be seen, or that hangs, when its lease is. The lease is
 * the session's own: the sweeping process may have been started with another one.
 */
async function isOver({ store, liveness }: Context, session: SessionRecord, steady: StallCheck): Promise<boolean> {
  if (session.ended) return true;
  if (liveness.of(session.process) === 'gone') return store.sessions.end(session.id, 0);
  const patienceMs = session.leaseMs + SILENCE_GRACE_MS;
  // Where nobody could write, or where we ourselves were stopped, silence says nothing.
  if (session.silentForMs < patienceMs || !steady.hasWatched(session.leaseMs)) return false;
  return store.sessions.end(session.id, patienceMs);
}

async function recover(ctx: Context, session: SessionRecord): Promise<number> {
  // Two agents never work in one tree: the old command ends before anybody else can begin.
  for (const group of session.groups) await endIfOurs(ctx, session, group.handoff);
  const says = `session ${session.id} of process ${session.process.pid} is gone`;
  const held = await ctx.store.find({ by: 'session', session: session.id, max: SWEPT_MAX });
  const answers = await ctx.store.change(held.items, withNotifications(ctx.rules, decideLost(session.id, says)));
  const recovered = answers.filter((answer) => answer.ok);
  for (const { value } of recovered) ctx.report({ kind: 'handoff-recovered', id: value.id, says });
  const rest = await ctx.store.find({ by: 'session', session: session.id, max: 1 });
  if (rest.items.length === 0) await ctx.store.sessions.forget(session.id);
  return recovered.length;
}

/** `isMeant`: of all that is overdue, only this. */
export async function sweepOverdue(
  ctx: Context,
  steady: StallCheck,
  isMeant: (handoff: Handoff) => boolean = () => true,
): Promise<number> {
  // Nothing expires in the sweep that finds the clock set.
  if (steady.wasSet) return 0;
  const found = await ctx.store.find({ by: 'overdue', max: SWEPT_MAX });
  const nowMs = ctx.store.nowMs();
  const items = found.items.filter((handoff) => isMeant(handoff) && isTrulyOverdue(handoff, nowMs, steady));
  if (items.length === 0) return 0;
  const sessions = await ctx.store.sessions.list();
  for (const { id, custody } of items) {
    if (custody?.by !== 'process') continue;
    const session = sessions.find((each) => each.id === custody.session);
    if (session !== undefined) await endIfOurs(ctx, session, id);
  }
  const answers = await ctx.store.change(items, withNotifications(ctx.rules, decideOverdue(steady)));
  return answers.filter((answer) => answer.ok).length;
}

async function endIfOurs({ liveness }: Context, session: SessionRecord, handoff: HandoffId): Promise<void> {
  if (liveness.of(session.process) === 'unknown') return;
  for (const group of session.groups) if (group.handoff === handoff) await liveness.endGroup(group);
}

function decideOverdue(steady: StallCheck): Decide {
  return (handoff, nowMs) => {
    const overtaken = onDeadline(handoff, nowMs);
    if (!overtaken.ok) return overtaken;
    if (!isTrulyOverdue(handoff, nowMs, steady)) return err({ code: 'not-overdue', id: handoff.id });
    return decideBy(SYSTEM, opOf(overtaken.value), () => wishOf(overtaken.value, 'time is up'))(handoff, nowMs);
  };
}

/**
 * A clock that was set says nothing about how long somebody has held a thing. What is held falls due only when the
 * clock has run undisturbed for as long as it may be held: at worst that is late by one lease, and never early.
 *
 * A session that beats is believed to live, so its time is up only for somebody who has watched all of it. Hands are
 * not heard in between: what is kept in the store about the clock decides (`lookAtClock`).
 */
function isTrulyOverdue(handoff: Handoff, nowMs: number, steady: StallCheck): boolean {
  const { lookedAt, steadyMs, watchedMs } = steady;
  const { custody, since } = handoff;
  const dueAt = dueAtOf(handoff);
  if (dueAt === null || Math.abs(nowMs - lookedAt) > JUMP_MS) return false;
  if (custody === null) return true;
  if (custody.by !== 'process') return steadyMs >= dueAt - since;
  return watchedMs >= dueAt - since && steady.hasWatched(SETTLE_AFTER_GAP_MS);
}

function decideLost(session: SessionId, says: string): Decide {
  return (handoff, nowMs) => {
    // Settled, or in other hands, since it was selected.
    if (!isHeldBy(handoff, session)) return err({ code: 'not-overdue', id: handoff.id });
    const overtaken = onWorkerLost(handoff, nowMs, says);
    return decideBy(SYSTEM, opOf(overtaken), () => wishOf(overtaken, says))(handoff, nowMs);
  };
}

function isHeldBy({ custody }: Handoff, session: SessionId): boolean {
  return custody?.by === 'process' && custody.session === session;
}

function wishOf({ deed, moved, failure }: DeadlineMove, reason: string): RequestedMove {
  return {
    deed,
    moved,
    detail: failure === null ? { reason } : { code: failure.code, message: failure.message },
    ...(failure === null ? {} : { outcome: failureText(failure) }),
  };
}

/** Under which right the house acts: a retry is how failing an attempt can end. */
function opOf({ deed }: DeadlineMove): Op {
  switch (deed) {
    case 'expire':
      return 'expire';
    case 'release':
      return 'release';
    default:
      return 'fail';
  }
}
