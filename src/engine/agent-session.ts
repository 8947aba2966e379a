/**
 * The session of an agent program. While this process sends heartbeats, the agent keeps what it holds, however long the
 * agent is silent. When the process ends, its handoffs are offered again at once.
 */
import { newUuid } from '../foundation/ids.ts';
import { err } from '../foundation/result.ts';
import type { AgentId, HandoffId, SessionId } from '../domain/names.ts';
import type { Principal } from '../domain/principal.ts';
import { AGENT_TERMS } from '../domain/retry-policy.ts';
import { change } from './change.ts';
import type { Context } from './context.ts';
import { claimForSession, custodyFor, decideAccept, withFilesWon } from './handoffs/claim.ts';
import { release } from './handoffs/release.ts';
import { pausedRefusal } from './pauses.ts';

export type AgentSession = ReturnType<typeof openAgentSession>;

/** More handoffs than one agent holds at a time. */
const HELD_MAX = 100;

export function openAgentSession(ctx: Context, principal: Principal, agent: AgentId) {
  const { store, heartbeat, liveness, leaseMs, report } = ctx;
  let open: Promise<{ readonly session: SessionId; stop(): Promise<void> }> | null = null;

  /** The session begins with the first claim, because most agents only read. */
  const begin = async (): Promise<{ readonly session: SessionId; stop(): Promise<void> }> => {
    const session = newUuid(store.nowMs(), ctx.random) as SessionId;
    await store.sessions.open({ id: session, agent, process: liveness.self, leaseMs });
    const onEnded = (): void => {
      report({ kind: 'session-lost', session });
      open = null;
    };
    const beating = await heartbeat.start(session, { lost: onEnded, failed: onEnded });
    return { session, stop: () => beating.stop() };
  };
  const session = async (): Promise<SessionId> => {
    open ??= begin().catch((error: unknown) => {
      open = null;
      throw error;
    });
    return (await open).session;
  };

  return {
    /** Claims the next handoff. Null: none is offered. */
    claim: async () => {
      const claimed = await claimForSession(ctx, principal, agent, await session(), 1, AGENT_TERMS.attemptTimeoutMs);
      return (await withFilesWon(ctx, principal, claimed))[0] ?? null;
    },
    accept: async (id: HandoffId) => {
      const paused = await pausedRefusal(ctx, principal);
      if (paused !== null) return err(paused);
      const custodyOf = custodyFor(ctx, agent, await session(), AGENT_TERMS.attemptTimeoutMs);
      return change(ctx, id, decideAccept(principal, custodyOf));
    },
    /** Releases what is still held. */
    close: async () => {
      if (open === null) return;
      const { session: id, stop } = await open;
      const { items } = await store.find({ by: 'session', session: id, max: HELD_MAX });
      for (const handoff of items) await release(ctx, principal, handoff, handoff.fence);
      await stop();
      if (await store.sessions.end(id, 0)) await store.sessions.forget(id);
    },
  };
}
