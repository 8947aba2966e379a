/**
 * Looks after the agents of this place: notices their ends, reads how full they are, begins a handover where the
 * workspace asks for it, and goes on with those that were interrupted.
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
import { wakeByTyping } from './type-wake.ts';
import type { AgentRuntime } from './agent-runtime.ts';

const ROUND_MS = 1_000;
/** More agents than one machine runs. */
const SESSIONS_MAX = 500;
/** A change smaller than this is not worth a write. */
const PERCENT_STEP = 1;
/** Errors of a turn by which agents tell that their usage limit is reached. */
const USAGE_ERRORS = ['rate_limit', 'usage_limit_exceeded', 'billing_error'];

export interface Supervisor {
  /** Looks now instead of at the next round. */
  nudge(): void;
  /** Ends when everything that was driven has been left in order. */
  close(): Promise<void>;
}

export function superviseAgents(ctx: Context, runtime: AgentRuntime): Supervisor {
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
        await lookAt(ctx, runtime, session, stopping.signal);
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
    nudge: () => wake.abort('over'),
    close: async () => {
      stopping.abort('over');
      await running;
      await Promise.all(driven.values());
    },
  };
}

/** One agent, once. One that cannot be looked at does not stop the others. */
async function lookAt(ctx: Context, runtime: AgentRuntime, session: AgentSession, signal: AbortSignal): Promise<void> {
  const { pane } = session;
  if (pane === null) return;
  const sight = await runtime.host.look(pane);
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
  if (await beginsByItself(drive, measured)) return;
  if (runtime.wake.isTyped) await wakeByTyping(drive, measured);
}

async function beginsByItself(drive: Drive, session: AgentSession): Promise<boolean> {
  const { ctx, runtime } = drive;
  // A handover that failed is begun again by a person: trying it every second would help nobody.
  if (!runtime.settings.automatic || (session.lastSuccession?.error ?? null) !== null) return false;
  const stopped = await isAtUsageLimit(drive, session);
  const reason = stopped ? 'usage_limit' : dueReason(session);
  if (reason === null) return false;
  const plan = stopped ? 'substitute' : 'usual';
  await beginSuccession(ctx, runtime, SYSTEM, session.id, { reason, context: null, plan });
  return true;
}

/** An agent that its usage limit has stopped cannot write: then Baton does. */
export async function planFor(drive: Drive, id: number, reason: SuccessionReason): Promise<SuccessionPlan> {
  const session = reason === 'usage_limit' ? await drive.ctx.store.agents.load(id) : null;
  return session !== null && (await isAtUsageLimit(drive, session)) ? 'substitute' : 'usual';
}

/** The last turn ended with the vendor's limit: the agent can write nothing more. */
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
