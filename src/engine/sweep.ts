/**
 * Moves handoffs on that no caller moves: those of lost workers, expired ones, and those that no longer have to wait. The
 * selection is a hint: a pure decision checks each record again when it is changed, so a sweep can run on any machine,
 * run twice, or be interrupted.
 */
import { JUMP_MS } from '../foundation/clock.ts';
import { err } from '../foundation/result.ts';
import { dueAtOf } from '../domain/deadlines.ts';
import type { Decide } from '../domain/decision.ts';
import type { Handoff } from '../domain/handoff.ts';
import { onWorkerLost, onDeadline, type DeadlineMove } from '../domain/moves/on-deadline.ts';
import type { HandoffId, SessionId } from '../domain/names.ts';
import { SYSTEM } from '../domain/principal.ts';
import type { SessionRecord } from '../stores/store.ts';
import { withNotifications, decideBy, type RequestedMove } from './change.ts';
import { sweepAwaiting } from './artifacts/awaited-artifacts.ts';
import { fillFreeCapacity } from './fill-capacity.ts';
import { sweepSchedules } from './schedules.ts';
import { unblockMetTasks } from './summaries/task-dependencies.ts';
import { SETTLE_AFTER_GAP_MS, type StallCheck } from './stall-detection.ts';
import type { Context } from './context.ts';
import { sweepDependents, sweepFreed } from './handoffs/dependents.ts';
import { failureText } from './handoffs/failure-text.ts';

/** Limits how long one sweep holds the write lock: claims wait for it. */
const SWEPT_MAX = 200;
/** A heartbeat that is this late may still arrive. */
const SILENCE_GRACE_MS = 500;

/** Stops between two parts when the signal is aborted; each part is bounded. */
export async function sweep(
  ctx: Context,
  stallCheck: StallCheck,
  signal?: AbortSignal,
): Promise<{ readonly changed: number }> {
  const parts: readonly (() => Promise<number>)[] = [
    () => sweepSessions(ctx, stallCheck),
    () => sweepOverdue(ctx, stallCheck),
    () => sweepFreed(ctx),
    () => sweepDependents(ctx),
    () => sweepAwaiting(ctx),
    () => unblockMetTasks(ctx, 'held'),
    () => fillFreeCapacity(ctx),
    () => sweepSchedules(ctx),
  ];
  let changed = 0;
  for (const part of parts) if (signal?.aborted !== true) changed += await part();
  return { changed };
}

async function sweepSessions(ctx: Context, stallCheck: StallCheck): Promise<number> {
  const over: SessionRecord[] = [];
  for (const session of await ctx.store.sessions.list()) if (await isOver(ctx, session, stallCheck)) over.push(session);
  if (over.length === 0) return 0;
  // Read again, because a session could start a command until it was ended.
  const newest = await ctx.store.sessions.list();
  let changed = 0;
  for (const session of over) changed += await recover(ctx, newest.find(({ id }) => id === session.id) ?? session);
  return changed;
}

/**
 * A session ends at once if its process is provably gone. If the process cannot be seen, or hangs, it ends with its own
 * lease: the sweeping process may have another one.
 */
async function isOver({ store, liveness }: Context, session: SessionRecord, stallCheck: StallCheck): Promise<boolean> {
  if (session.ended) return true;
  if (liveness.of(session.process) === 'gone') return store.sessions.end(session.id, 0);
  const patienceMs = session.leaseMs + SILENCE_GRACE_MS;
  // Silence proves nothing while no process could write, or while this process was stopped.
  if (session.silentForMs < patienceMs || !stallCheck.hasWatched(session.leaseMs)) return false;
  return store.sessions.end(session.id, patienceMs);
}

async function recover(ctx: Context, session: SessionRecord): Promise<number> {
  // The old command ends before the handoff is offered again: two agents never work in one tree.
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

/** `isMeant` selects among the overdue handoffs. */
export async function sweepOverdue(
  ctx: Context,
  stallCheck: StallCheck,
  isMeant: (handoff: Handoff) => boolean = () => true,
): Promise<number> {
  // Nothing expires in the sweep that notices a set clock.
  if (stallCheck.wasSet) return 0;
  const found = await ctx.store.find({ by: 'overdue', max: SWEPT_MAX });
  const nowMs = ctx.store.nowMs();
  const items = found.items.filter((handoff) => isMeant(handoff) && isTrulyOverdue(handoff, nowMs, stallCheck));
  if (items.length === 0) return 0;
  const sessions = await ctx.store.sessions.list();
  for (const { id, custody } of items) {
    if (custody?.by !== 'process') continue;
    const session = sessions.find((each) => each.id === custody.session);
    if (session !== undefined) await endIfOurs(ctx, session, id);
  }
  const answers = await ctx.store.change(items, withNotifications(ctx.rules, decideOverdue(stallCheck)));
  return answers.filter((answer) => answer.ok).length;
}

async function endIfOurs({ liveness }: Context, session: SessionRecord, handoff: HandoffId): Promise<void> {
  if (liveness.of(session.process) === 'unknown') return;
  for (const group of session.groups) if (group.handoff === handoff) await liveness.endGroup(group);
}

function decideOverdue(stallCheck: StallCheck): Decide {
  return (handoff, nowMs) => {
    const move = onDeadline(handoff, nowMs);
    if (!move.ok) return move;
    if (!isTrulyOverdue(handoff, nowMs, stallCheck)) return err({ code: 'not-overdue', id: handoff.id });
    return decideBy(SYSTEM, opOf(move.value), () => requestOf(move.value, 'time is up'))(handoff, nowMs);
  };
}

/**
 * After the clock was set, it is unknown how long a handoff has been held. So a held handoff is overdue only when the clock
 * has not been set for as long as it may be held: late by one lease at worst, and never early.
 *
 * A session sends heartbeats, so only a process that has watched for the whole time may end its attempt. For a claim by
 * hand, which sends none, the store's knowledge of the clock decides (`checkClock`).
 */
function isTrulyOverdue(handoff: Handoff, nowMs: number, stallCheck: StallCheck): boolean {
  const { checkedAt, steadyMs, watchedMs } = stallCheck;
  const { custody, since } = handoff;
  const dueAt = dueAtOf(handoff);
  if (dueAt === null || Math.abs(nowMs - checkedAt) > JUMP_MS) return false;
  if (custody === null) return true;
  if (custody.by !== 'process') return steadyMs >= dueAt - since;
  return watchedMs >= dueAt - since && stallCheck.hasWatched(SETTLE_AFTER_GAP_MS);
}

function decideLost(session: SessionId, says: string): Decide {
  return (handoff, nowMs) => {
    // It was settled, or another worker took it, since it was selected.
    const { custody, id } = handoff;
    if (custody?.by !== 'process' || custody.session !== session) return err({ code: 'not-overdue', id });
    const move = onWorkerLost(handoff, nowMs, says);
    return decideBy(SYSTEM, opOf(move), () => requestOf(move, says))(handoff, nowMs);
  };
}

function requestOf({ deed, moved, failure }: DeadlineMove, reason: string): RequestedMove {
  return {
    deed,
    moved,
    detail: failure === null ? { reason } : { code: failure.code, message: failure.message },
    ...(failure === null ? {} : { outcome: failureText(failure) }),
  };
}

/** The right for the move. A retry is one result of a failed attempt. */
function opOf({ deed }: DeadlineMove): 'expire' | 'release' | 'fail' {
  return deed === 'expire' || deed === 'release' ? deed : 'fail';
}
