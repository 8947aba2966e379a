/** What a summary leads to, besides what it says about its own leg: another leg, or a word to somebody. */
import type { JsonObject } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { NO_LINEAGE } from '../../domain/handoff.ts';
import { legOf } from '../../domain/lineage.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { agentPrincipal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Summary } from '../../domain/summary.ts';
import type { Context } from '../context.ts';
import { chainRefusal } from '../handoffs/chain-budget.ts';
import type { LegAtHand } from './find-leg.ts';
import { chainSoFar, type ChainSoFar } from './chain.ts';
import { heldBackBy } from './held-legs.ts';
import { bodyOf, legIdOf, taskOf, type LegPlan } from './leg.ts';
import type { Word } from './report.ts';
import type { SummaryNotice } from './notices.ts';

export interface Situation {
  readonly summary: Summary;
  /** What was said with it. */
  readonly prose: string;
  readonly from: AgentId;
  readonly to: AgentId | null;
  /** Null: a new root. */
  readonly leg: LegAtHand | null;
  readonly key: string;
  readonly waitsFor: string | null;
}

export type Did = 'completed' | 'failed' | 're-offered' | 'blocked' | 'noted' | 'drafted';

export interface Plan {
  readonly did: Did;
  /** About the leg itself; null where the summary only opens another. */
  readonly word: Word | null;
  readonly next: LegPlan | null;
  readonly tells: readonly SummaryNotice[];
  /** What the fact tells besides the summary. */
  readonly told: JsonObject;
  readonly escalatedTo: AgentId | null;
  readonly says: readonly string[];
}

export function rootIdOf({ key }: Situation): HandoffId {
  return legIdOf(key, 'root');
}

/** Why a leg is opened, for its recipient; empty for the ordinary case. */
export async function nextLeg(
  ctx: Context,
  now: Situation,
  to: AgentId,
  because: JsonObject,
): Promise<
  Result<{ readonly leg: LegPlan; readonly heldBack: readonly string[]; readonly says: readonly string[] }, Refusal>
> {
  const { summary, from, leg, key } = now;
  const lineage = legOf(leg?.handoff ?? { id: rootIdOf(now), lineage: NO_LINEAGE });
  if (!lineage.ok) return lineage;
  // A draft without a leg begins a chain of its own.
  const isRoot = leg === null && summary.status === 'pending';
  const over = isRoot ? null : await chainRefusal(ctx, agentPrincipal(from), lineage.value, leg === null ? 1 : 0);
  if (over !== null) return err(over);
  const task = taskOf(summary) ?? leg?.handoff.task ?? null;
  const settles = summary.status === 'complete' || summary.status === 'failed' || summary.status === 'retry';
  const settled = settles ? (leg?.handoff.id ?? null) : null;
  const held = await heldBackBy(ctx, { project: summary.project, task, settled }, summary.dependencies);
  return ok({
    leg: {
      id: legIdOf(key, 'next'),
      from,
      to,
      task,
      lineage: lineage.value,
      body: bodyOf(summary, now.prose, leg?.body.context ?? {}, because),
      dependsOn: held.names,
      as: 'offer',
      detail: held.tasks.length === 0 ? {} : { heldBackBy: held.tasks },
    },
    heldBack: held.tasks,
    says: held.says,
  });
}

/** The plan with another leg, or with a word to somebody where the chain is too long or has used up its budget. */
export async function opening(
  ctx: Context,
  now: Situation,
  plan: Plan,
  to: AgentId | null,
  because: JsonObject = {},
): Promise<Plan> {
  if (to === null) return plan;
  const next = await nextLeg(ctx, now, to, because);
  if (!next.ok) {
    return stopped(plan, now, to, await chainSoFar(ctx, now.leg?.handoff ?? null, now.from), ctx, next.refusal);
  }
  const { leg, heldBack, says } = next.value;
  const told: JsonObject = { next: leg.id, ...(heldBack.length === 0 ? {} : { heldBackBy: heldBack }) };
  return { ...plan, next: leg, told: { ...plan.told, ...told }, says: [...plan.says, ...says] };
}

/** Somebody has to look at it: the bill must not be what ends a loop. */
function stopped(
  plan: Plan,
  { from }: Situation,
  to: AgentId,
  chain: ChainSoFar,
  ctx: Context,
  refusal: Refusal,
): Plan {
  const names = chain.loop.map((name) => `@${name}`);
  const loop = names.length === 0 ? '' : `; ${names.join(' and ')} hand it to each other`;
  const isSpent = refusal.code === 'chain-exhausted' && refusal.what !== 'hops';
  const limit = isSpent
    ? `the chain has used ${Math.floor(refusal.used)} of ${refusal.max} ${refusal.what} (chains in baton.yaml)`
    : 'the chain has too many hops';
  const reason = `${limit}: @${to} was not asked${loop}`;
  const why = isSpent ? 'budget' : 'hops';
  const escalatedTo = delegatorOf(ctx, chain, from);
  return {
    ...plan,
    escalatedTo,
    tells: [...plan.tells, ...tellEscalated(escalatedTo, { reason, why, ...loopIn(names) })],
    told: { ...plan.told, escalated: { why, to: nameOf(escalatedTo), notAsked: `@${to}`, ...loopIn(names) } },
    says: [...plan.says, reason],
  };
}

function loopIn(names: readonly string[]): JsonObject {
  return names.length === 0 ? {} : { loop: names };
}

/** The chain's root sender, unless that is who speaks; else the chief. */
export function delegatorOf({ rules }: Context, { rootSender }: ChainSoFar, from: AgentId): AgentId | null {
  if (rootSender !== null && rootSender !== from) return rootSender;
  return rules.chiefs.find((chief) => chief !== from) ?? null;
}

export function tellEscalated(agent: AgentId | null, detail: JsonObject): readonly SummaryNotice[] {
  return agent === null ? [] : [{ event: 'escalated', agent, detail }];
}

export function nameOf(agent: AgentId | null): string | null {
  return agent === null ? null : `@${agent}`;
}
