/**
 * Supervises the agents of this place: detects their ends, measures their contexts, begins handovers if the workspace is
 * configured for it, and continues interrupted ones.
 */
import { tierOf, CONTEXT_TIERS, dueReason, type AgentSession, type ContextUse } from '../../domain/agent-session.ts';
import { turnEndAfter } from '../../domain/agent-events.ts';
import { SYSTEM } from '../../domain/principal.ts';
import type { SuccessionPlan, SuccessionReason } from '../../domain/succession.ts';
import type { Context } from '../context.ts';
import { advanceSuccession } from './advance.ts';
import { beginSuccession } from './begin.ts';
import { eventsOf, probe, type Drive } from './drive-agent.ts';
import { changeSession, endToken } from './sessions.ts';
import { wakeByTyping } from './wake-by-typing.ts';
import type { AgentRuntime } from './agent-runtime.ts';

const ROUND_MS = 1_000;
/** More agents than one machine runs. */
const SESSIONS_MAX = 500;
/** A change smaller than this is not worth a write. */
const PERCENT_STEP = 1;
/** Turn errors that mean that the usage limit is reached. */
const USAGE_ERRORS = ['rate_limit', 'usage_limit_exceeded', 'billing_error'];

export type Supervisor = ReturnType<typeof superviseAgents>;

export function superviseAgents(ctx: Context, runtime: AgentRuntime) {
  const stopping = new AbortController();
  const driven = new Map<number, Promise<void>>();
  let wake = new AbortController();

  const drive = (agent: number): void => {
    if (driven.has(agent)) return;
    const driving = advanceSuccession(ctx, runtime, agent, stopping.signal)
      .then(() => undefined)
      .catch((error: unknown) => ctx.report({ kind: 'fault', doing: `the succession of agent ${agent}`, error }))
      .finally(() => driven.delete(agent));
    driven.set(agent, driving);
  };

  const round = async (): Promise<void> => {
    // A predecessor that has been retired may still have a succession under way.
    const sessions = await ctx.store.agents.list({ max: SESSIONS_MAX });
    for (const session of sessions) {
      if (stopping.signal.aborted) return;
      if (session.place !== runtime.place) continue;
      if (session.succession !== null && session.succession.plan !== 'by-hand') drive(session.id);
      else if (session.state === 'active' && session.pane !== null)
        await inspectSession(ctx, runtime, session, stopping.signal);
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await round().catch((error: unknown) => ctx.report({ kind: 'fault', doing: 'looking after agents', error }));
      await ctx.timers.sleep(ROUND_MS, AbortSignal.any([wake.signal, stopping.signal]));
      if (wake.signal.aborted) wake = new AbortController();
    }
  };
  const running = run();
  return {
    /** Starts the next round now. */
    nudge: () => wake.abort('over'),
    /** Resolves when all drives have stopped. */
    close: async () => {
      stopping.abort('over');
      await running;
      await Promise.all(driven.values());
    },
  };
}

/** Inspects one agent. */
async function inspectSession(
  ctx: Context,
  runtime: AgentRuntime,
  session: AgentSession,
  signal: AbortSignal,
): Promise<void> {
  const { pane } = session;
  if (pane === null) return;
  const sight = await runtime.host.status(pane);
  if (sight.kind === 'dead' || sight.kind === 'gone' || sight.kind === 'changed') {
    const ended = await changeSession(ctx, session.id, (newest) =>
      newest.state === 'active' && newest.succession === null && newest.pane?.pid === pane.pid
        ? { ...newest, state: 'ended', endedAt: ctx.store.nowMs() }
        : null,
    );
    if (ended !== null) await endToken(ctx, ended);
    return;
  }
  const measured = await measure(ctx, runtime, session);
  const drive = { ctx, runtime, signal };
  if (await beginIfDue(drive, measured)) return;
  if (runtime.wake.isTyped) await wakeByTyping(drive, measured);
}

async function beginIfDue(drive: Drive, session: AgentSession): Promise<boolean> {
  const { ctx, runtime } = drive;
  // After a failed handover a person has to begin the next one: retrying every second would not help.
  if (!runtime.settings.automatic || (session.lastSuccession?.error ?? null) !== null) return false;
  const stopped = await isAtUsageLimit(drive, session);
  const reason = stopped ? 'usage_limit' : dueReason(session);
  if (reason === null) return false;
  const plan = stopped ? 'substitute' : 'usual';
  await beginSuccession(ctx, runtime, SYSTEM, session.id, { reason, context: null, plan });
  return true;
}

/** Baton writes the document of an agent that was stopped by its usage limit. */
export async function planFor(drive: Drive, id: number, reason: SuccessionReason): Promise<SuccessionPlan> {
  const session = reason === 'usage_limit' ? await drive.ctx.store.agents.load(id) : null;
  return session !== null && (await isAtUsageLimit(drive, session)) ? 'substitute' : 'usual';
}

/** Whether the last turn ended with the vendor's usage limit, so that the agent can no longer write. */
async function isAtUsageLimit(drive: Drive, session: AgentSession): Promise<boolean> {
  if (session.succession !== null) return false;
  const end = turnEndAfter(await eventsOf(drive, session), -1);
  return end?.kind === 'turn-failed' && USAGE_ERRORS.includes(end.error);
}

async function measure(ctx: Context, runtime: AgentRuntime, session: AgentSession): Promise<AgentSession> {
  const read = await runtime.adapterOf(session.adapter).context(await probe(runtime, session));
  if (read === null) return session;
  const { context } = session;
  const isSame =
    context !== null &&
    Math.abs(context.percent - read.percent) < PERCENT_STEP &&
    tierOf(context.percent) === tierOf(read.percent) &&
    context.limitPercent === read.limitPercent;
  if (isSame) return session;
  const wasBelow = context?.wasBelow === true || read.percent < CONTEXT_TIERS.handoff;
  const next: ContextUse = { ...read, at: ctx.store.nowMs(), wasBelow };
  return (await changeSession(ctx, session.id, (newest) => ({ ...newest, context: next }))) ?? session;
}
