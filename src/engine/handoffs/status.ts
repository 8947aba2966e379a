/** The status for one principal: what needs a person, what is being worked on, and what waits. */
import { ATTENTION, attentionReason, FAILURE_STATES, type AttentionReason } from '../../domain/attention.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { OPEN_STATES, type State } from '../../domain/lifecycle.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import { may } from '../../domain/rights.ts';
import type { Context } from '../context.ts';
import { list } from './read.ts';

const PAGE = 500;
/** At most this many open handoffs are read, the newest first; `isWhole` is false beyond that. */
const LOOKED_AT_MAX = 20_000;

export interface Status {
  /** What needs a person to continue, oldest first. */
  readonly attention: readonly Attention[];
  /** Accepted, longest first. */
  readonly atWork: readonly Handoff[];
  readonly waiting: readonly WaitingFor[];
  readonly open: Readonly<Partial<Record<State, number>>>;
  /** False: there are more open handoffs than were read. */
  readonly isWhole: boolean;
}

/** The newest handoffs that are searched for bad ends. */
const ENDED_MAX = 200;

export interface Attention {
  readonly why: AttentionReason;
  readonly handoff: Handoff;
}

interface WaitingFor {
  readonly agent: AgentId;
  /** Offered to the agent; blocked handoffs are counted in `blocked`. */
  readonly offered: number;
  readonly blocked: number;
  readonly oldestAt: number;
  /** Worker processes of this agent that are alive. */
  readonly workers: number;
}

export async function statusFor(ctx: Context, principal: Principal): Promise<Status> {
  const { handoffs, isWhole } = await openOnes(ctx, principal);
  const nowMs = ctx.store.nowMs();
  const workers = await workersByAgent(ctx);
  const open: Partial<Record<State, number>> = {};
  for (const { state } of handoffs) open[state] = (open[state] ?? 0) + 1;
  return {
    attention: [...attentionIn(handoffs, nowMs), ...(await endedBadly(ctx, principal, nowMs))].toSorted(
      (a, b) => a.handoff.since - b.handoff.since,
    ),
    atWork: handoffs.filter(({ state }) => state === 'accepted').toSorted((a, b) => a.since - b.since),
    waiting: waitingIn(handoffs, workers),
    open,
    isWhole,
  };
}

async function openOnes(
  ctx: Context,
  principal: Principal,
): Promise<{ readonly handoffs: readonly Handoff[]; readonly isWhole: boolean }> {
  const handoffs: Handoff[] = [];
  const query = { by: 'filter', states: OPEN_STATES, max: PAGE } as const;
  let after: string | null = null;
  do {
    const page = await list(ctx, principal, after === null ? query : { ...query, after });
    handoffs.push(...page.items);
    after = page.next;
  } while (after !== null && handoffs.length < LOOKED_AT_MAX);
  return { handoffs, isWhole: after === null };
}

/** Ended handoffs that the principal could retry and that were not retried. */
async function endedBadly(ctx: Context, principal: Principal, nowMs: number): Promise<readonly Attention[]> {
  const { items } = await list(ctx, principal, { by: 'filter', states: FAILURE_STATES, max: ENDED_MAX });
  const mine = items.filter((handoff) => may(principal, ATTENTION.failed.right, handoff).ok);
  const lately = attentionIn(mine, nowMs);
  if (lately.length === 0) return [];
  const of = lately.map(({ handoff }) => handoff);
  const retries = await ctx.store.find({ by: 'retries', of, max: LOOKED_AT_MAX });
  const retried = new Set(retries.items.map(({ lineage }) => lineage.retryOf));
  return lately.filter(({ handoff }) => !retried.has(handoff.id));
}

async function workersByAgent({ store }: Context): Promise<ReadonlyMap<AgentId, number>> {
  const counts = new Map<AgentId, number>();
  for (const { agent, ended, silentForMs, leaseMs } of await store.sessions.list()) {
    if (!ended && silentForMs < leaseMs) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  }
  return counts;
}

function attentionIn(handoffs: readonly Handoff[], nowMs: number): readonly Attention[] {
  return handoffs.flatMap((handoff) => {
    const why = attentionReason(handoff, nowMs);
    return why === null ? [] : [{ why, handoff }];
  });
}

function waitingIn(handoffs: readonly Handoff[], workers: ReadonlyMap<AgentId, number>): readonly WaitingFor[] {
  const byAgent = new Map<AgentId, { offered: number; blocked: number; oldestAt: number }>();
  for (const { to, state, createdAt } of handoffs) {
    if (state !== 'offered' && state !== 'blocked') continue;
    const known = byAgent.get(to) ?? { offered: 0, blocked: 0, oldestAt: createdAt };
    known[state] += 1;
    known.oldestAt = Math.min(known.oldestAt, createdAt);
    byAgent.set(to, known);
  }
  return [...byAgent]
    .map(([agent, counts]) => ({ agent, ...counts, workers: workers.get(agent) ?? 0 }))
    .toSorted((a, b) => a.oldestAt - b.oldestAt);
}
