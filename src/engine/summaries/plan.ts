/** Plans the consequences of a summary: a report on its leg, the next leg and notices. Writes nothing. */
import type { Json, JsonObject } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { contradictionIn } from '../../domain/contradiction.ts';
import { afterFailedSummary, type Consequence } from '../../domain/failed-summary.ts';
import { NO_LINEAGE } from '../../domain/handoff.ts';
import { childLineage } from '../../domain/lineage.ts';
import { readAgentId, type AgentId } from '../../domain/names.ts';
import { agentPrincipal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { OnFailure, Summary } from '../../domain/summary.ts';
import { summaryIn } from '../../domain/summary-in-fact.ts';
import type { Context } from '../context.ts';
import { chainRefusal } from '../handoffs/chain-budget.ts';
import { printable } from '../handoffs/failure-text.ts';
import { factsOf } from '../handoffs/read.ts';
import { chainSoFar, CONFIRMED, isConfirmation, type ChainSoFar } from './chain.ts';
import type { LoadedLeg } from './find-leg.ts';
import { heldBackBy } from './task-dependencies.ts';
import { bodyOf, legIdOf, taskOf, type LegPlan } from './leg.ts';
import type { SummaryNotice } from './notices.ts';
import type { LegReport } from './report.ts';

export interface Situation {
  readonly summary: Summary;
  /** The text before the block. */
  readonly prose: string;
  readonly from: AgentId;
  readonly to: AgentId | null;
  /** Null: a new root. */
  readonly leg: LoadedLeg | null;
  readonly key: string;
  readonly waitsFor: string | null;
}

export type Did = 'completed' | 'failed' | 're-offered' | 'blocked' | 'noted' | 'drafted';

export interface Plan {
  readonly did: Did;
  /** The report on the leg itself; null: the summary only opens another leg. */
  readonly report: LegReport | null;
  readonly next: LegPlan | null;
  readonly notices: readonly SummaryNotice[];
  /** The detail of the fact besides the summary. */
  readonly detail: JsonObject;
  readonly escalatedTo: AgentId | null;
  readonly says: readonly string[];
}

/** A plan without a next leg and without notices. */
const NO_CONSEQUENCE: Pick<Plan, 'next' | 'notices' | 'detail' | 'escalatedTo' | 'says'> = {
  next: null,
  notices: [],
  detail: {},
  escalatedTo: null,
  says: [],
};

export type PlanRefusal =
  | Refusal
  | { readonly code: 'waits-for-nothing'; readonly from: AgentId }
  | { readonly code: 'retry-elsewhere'; readonly from: AgentId; readonly to: AgentId };

export async function planFor(ctx: Context, now: Situation): Promise<Result<Plan, PlanRefusal>> {
  const { summary, from, to } = now;
  switch (summary.status) {
    case 'complete':
      return ok(await withNextLeg(ctx, now, { ...NO_CONSEQUENCE, did: 'completed', report: { kind: 'complete' } }, to));
    case 'in_progress': {
      const child = to === from ? null : to;
      return ok(await withNextLeg(ctx, now, { ...NO_CONSEQUENCE, did: 'noted', report: { kind: 'progress' } }, child));
    }
    case 'blocked': {
      const on = now.waitsFor ?? waitsIn(summary);
      if (on === null) return err({ code: 'waits-for-nothing', from });
      return ok({ ...NO_CONSEQUENCE, did: 'blocked', report: { kind: 'blocked', on } });
    }
    case 'pending':
      return draft(ctx, now);
    case 'failed':
    case 'retry':
      // A retry goes to the same agent, so another recipient is refused.
      if (summary.status === 'retry' && to !== null && to !== from) return err({ code: 'retry-elsewhere', from, to });
      return ok(await planFailure(ctx, now, await chainSoFar(ctx, now.leg?.handoff ?? null, from)));
  }
}

/** A pending summary only makes a draft. It does not report on its leg. */
async function draft(ctx: Context, now: Situation): Promise<Result<Plan, Refusal>> {
  const next = await nextLeg(ctx, now, now.to ?? now.from, {});
  if (!next.ok) return next;
  const { leg, says } = next.value;
  const lineage = now.leg === null ? NO_LINEAGE : leg.lineage;
  return ok({ ...NO_CONSEQUENCE, did: 'drafted', report: null, next: { ...leg, lineage, as: 'draft' }, says });
}

/** Field names that agents use for what they wait for. */
const WAITS = ['waits_for', 'waiting_for', 'blocked_by', 'blocked_on', 'reason', 'question'] as const;

function waitsIn({ dependencies, context }: Summary): string | null {
  if (dependencies.length > 0) return dependencies.join(', ');
  for (const name of WAITS) {
    const said: Json | undefined = context[name];
    if (typeof said === 'string' && said.trim() !== '') return said;
  }
  return null;
}

/** `because` tells the recipient why the leg is opened; usually empty. */
async function nextLeg(
  ctx: Context,
  now: Situation,
  to: AgentId,
  because: JsonObject,
): Promise<
  Result<{ readonly leg: LegPlan; readonly heldBack: readonly string[]; readonly says: readonly string[] }, Refusal>
> {
  const { summary, from, leg, key } = now;
  const lineage = childLineage(leg?.handoff ?? { id: legIdOf(key, 'root'), lineage: NO_LINEAGE });
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

/** Adds the next leg to the plan; or an escalation, if the chain is too long or has used up its budget. */
async function withNextLeg(
  ctx: Context,
  now: Situation,
  plan: Plan,
  to: AgentId | null,
  because: JsonObject = {},
): Promise<Plan> {
  if (to === null) return plan;
  const next = await nextLeg(ctx, now, to, because);
  if (!next.ok) {
    return stopChain(plan, now, to, await chainSoFar(ctx, now.leg?.handoff ?? null, now.from), ctx, next.refusal);
  }
  const { leg, heldBack, says } = next.value;
  const detail: JsonObject = { next: leg.id, ...(heldBack.length === 0 ? {} : { heldBackBy: heldBack }) };
  return { ...plan, next: leg, detail: { ...plan.detail, ...detail }, says: [...plan.says, ...says] };
}

/** Stops the chain and escalates: a loop must not run until the money is spent. */
function stopChain(
  plan: Plan,
  { from }: Situation,
  to: AgentId,
  chain: ChainSoFar,
  ctx: Context,
  refusal: Refusal,
): Plan {
  const names = chain.loop.map((name) => `@${name}`);
  const looping = names.length === 0 ? {} : { loop: names };
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
    notices: [...plan.notices, ...escalationNotices(escalatedTo, { reason, why, ...looping })],
    detail: { ...plan.detail, escalated: { why, to: nameOf(escalatedTo), notAsked: `@${to}`, ...looping } },
    says: [...plan.says, reason],
  };
}

/** The sender of the chain's root, unless it is the reporting agent; otherwise the chief. */
function delegatorOf({ rules }: Context, { rootSender }: ChainSoFar, from: AgentId): AgentId | null {
  if (rootSender !== null && rootSender !== from) return rootSender;
  return rules.chiefs.find((chief) => chief !== from) ?? null;
}

function escalationNotices(agent: AgentId | null, detail: JsonObject): readonly SummaryNotice[] {
  return agent === null ? [] : [{ event: 'escalated', agent, detail }];
}

function nameOf(agent: AgentId | null): string | null {
  return agent === null ? null : `@${agent}`;
}

/** What follows from `failed` or `retry`. */
async function planFailure(ctx: Context, now: Situation, chain: ChainSoFar): Promise<Plan> {
  if (await isConfirmed(ctx, now, chain)) {
    return {
      ...NO_CONSEQUENCE,
      did: 're-offered',
      report: { kind: 'again', why: null },
      detail: { [CONFIRMED]: true },
    };
  }
  const policy = policyOf(ctx, now);
  const counted = { retries: chain.retries, failures: chain.failures + 1 };
  const consequence = afterFailedSummary(policy, counted);
  const retry = consequence.do === 'retry';
  const why = reasonOf(now, policy);
  const escalatedTo = consequence.escalate ? delegatorOf(ctx, chain, now.from) : null;
  const plan: Plan = {
    ...NO_CONSEQUENCE,
    did: retry ? 're-offered' : 'failed',
    report: { kind: retry ? 'again' : 'failed', why },
    notices: [
      ...failureNotices(now, policy, counted.failures),
      ...escalation(consequence, now, escalatedTo, counted.failures),
    ],
    detail: {
      failures: counted.failures,
      ...(why === null ? {} : { reason: why }),
      ...(retry ? { retry: { number: counted.retries + 1, of: policy.retry ?? 0 } } : {}),
      ...(policy.notify === undefined ? {} : { notified: `@${policy.notify}` }),
      ...(consequence.escalate ? { escalated: { why: 'failures', to: nameOf(escalatedTo) } } : {}),
    },
    escalatedTo,
  };
  if (consequence.do !== 'route') return plan;
  const routeTo = readAgentId(policy.routeTo ?? '');
  const routed = { ...plan, detail: { ...plan.detail, routedTo: nameOf(routeTo) } };
  return withNextLeg(ctx, now, routed, routeTo, { failure: failureFor(now, policy, counted.failures) });
}

/** Whether the agent only confirms a retry of a leg that is already offered again. That is no second failure. */
async function isConfirmed(ctx: Context, { summary, leg }: Situation, { retries }: ChainSoFar): Promise<boolean> {
  if (summary.status !== 'retry' || leg?.handoff.state !== 'offered' || leg.handoff.attempt === 0) return false;
  const last = (await factsOf(ctx, leg.handoff.id)).at(-1);
  if (last === undefined || isConfirmation(last)) return false;
  return summary.retryCount === retries || summaryIn(last)?.status === 'failed';
}

const REASON_MAX = 300;

/** The reason of a failure: the stated one, otherwise contradicting metrics, otherwise the first paragraph. */
function reasonOf({ summary, prose }: Situation, policy: OnFailure): string | null {
  const paragraphs = prose.split(/\n\s*\n/).map((each) => each.replaceAll(/\s+/g, ' ').trim());
  const words = paragraphs.find((each) => each !== '' && !each.startsWith('#')) ?? null;
  const why = policy.context ?? contradictionIn(summary.metrics) ?? words;
  return why === null ? null : printable(why, REASON_MAX);
}

/** The policy of the summary, otherwise of the delegator. Without a route, a failure goes to the next agent. */
function policyOf({ rules }: Context, { summary, leg, to, from }: Situation): OnFailure {
  const delegated = leg?.body.leg?.onFailure;
  const said = summary.onFailure ?? delegated ?? {};
  const routed = withRoute(said, from, to);
  if (summary.status === 'failed') return routed;
  // The delegator, otherwise the terms, limit the number of retries.
  const allowed =
    delegated?.retry ?? leg?.handoff.terms.retry.retriesMax ?? rules.terms.queue?.retry?.retriesMax ?? RETRIES;
  return { ...routed, retry: Math.min(routed.retry ?? allowed, allowed) };
}

const RETRIES = 3;

/** Ignores a route to the failing agent itself, which would loop until the chain is too long. */
function withRoute({ routeTo, ...others }: OnFailure, from: AgentId, to: AgentId | null): OnFailure {
  const route = routeTo ?? to ?? undefined;
  return route === undefined || readAgentId(route) === from ? others : { ...others, routeTo: route };
}

function failureNotices({ from, summary }: Situation, policy: OnFailure, failures: number): readonly SummaryNotice[] {
  const agent = policy.notify === undefined ? null : readAgentId(policy.notify);
  if (agent === null) return [];
  const where = summary.phase === null ? '' : ` in ${summary.phase}`;
  const reason = `@${from} reports a failure${where}${policy.context === undefined ? '' : `: ${policy.context}`}`;
  return [{ event: 'failure-reported', agent, detail: { reason, failures } }];
}

function escalation(
  { escalate }: Consequence,
  { from }: Situation,
  to: AgentId | null,
  failures: number,
): readonly SummaryNotice[] {
  if (!escalate) return [];
  return escalationNotices(to, { reason: `${failures} failures in this chain, the last by @${from}`, why: 'failures' });
}

/** The failure, for the body of the next leg. */
function failureFor({ from, summary }: Situation, policy: OnFailure, failures: number): JsonObject {
  return {
    of: `@${from}`,
    phase: summary.phase,
    failures,
    ...(policy.context === undefined ? {} : { context: policy.context }),
  };
}
