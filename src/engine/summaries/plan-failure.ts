/** What follows from a summary that says `failed` or `retry`. */
import type { JsonObject } from '../../foundation/json.ts';
import { readAgentId, type AgentId } from '../../domain/names.ts';
import { contradictionIn } from '../../domain/contradiction.ts';
import { afterFailedSummary, type Consequence } from '../../domain/failed-summary.ts';
import type { OnFailure } from '../../domain/summary.ts';
import type { Context } from '../context.ts';
import { printable } from '../handoffs/failure-text.ts';
import { factsOf } from '../handoffs/read.ts';
import { CONFIRMED, isConfirmation, type ChainSoFar } from './chain.ts';
import { summaryIn } from './summary-detail.ts';
import { delegatorOf, nameOf, opening, tellEscalated, type Plan, type Situation } from './plan-next-leg.ts';
import type { SummaryNotice } from './notices.ts';

export async function planFailure(ctx: Context, now: Situation, chain: ChainSoFar): Promise<Plan> {
  if (await isConfirmed(ctx, now, chain)) return confirmation();
  const policy = policyOf(ctx, now);
  const counted = { retries: chain.retries, failures: chain.failures + 1 };
  const consequence = afterFailedSummary(policy, counted);
  const retry = consequence.do === 'retry';
  const why = reasonOf(now, policy);
  const escalatedTo = consequence.escalate ? delegatorOf(ctx, chain, now.from) : null;
  const plan: Plan = {
    did: retry ? 're-offered' : 'failed',
    word: { say: retry ? 'again' : 'failed', why },
    next: null,
    tells: [...notices(now, policy, counted.failures), ...escalation(consequence, now, escalatedTo, counted.failures)],
    told: {
      failures: counted.failures,
      ...(why === null ? {} : { reason: why }),
      ...(retry ? { retry: { number: counted.retries + 1, of: policy.retry ?? 0 } } : {}),
      ...(policy.notify === undefined ? {} : { notified: `@${policy.notify}` }),
      ...(consequence.escalate ? { escalated: { why: 'failures', to: nameOf(escalatedTo) } } : {}),
    },
    escalatedTo,
    says: [],
  };
  if (consequence.do !== 'route') return plan;
  const routeTo = readAgentId(policy.routeTo ?? '');
  const routed = { ...plan, told: { ...plan.told, routedTo: nameOf(routeTo) } };
  return opening(ctx, now, routed, routeTo, { failure: failureFor(now, policy, counted.failures) });
}

/** It has been offered again already, and whoever takes it says so, once: that is no second failure. */
async function isConfirmed(ctx: Context, { summary, leg }: Situation, { retries }: ChainSoFar): Promise<boolean> {
  if (summary.status !== 'retry' || leg?.handoff.state !== 'offered' || leg.handoff.attempt === 0) return false;
  const last = (await factsOf(ctx, leg.handoff.id)).at(-1);
  if (last === undefined || isConfirmation(last)) return false;
  return summary.retryCount === retries || summaryIn(last)?.status === 'failed';
}

function confirmation(): Plan {
  const told = { [CONFIRMED]: true };
  return {
    did: 're-offered',
    word: { say: 'again', why: null },
    next: null,
    tells: [],
    told,
    escalatedTo: null,
    says: [],
  };
}

const REASON_MAX = 300;

/** Why it failed: what is said for that, else the numbers that show it, else the first words of the summary. */
function reasonOf({ summary, prose }: Situation, policy: OnFailure): string | null {
  const paragraphs = prose.split(/\n\s*\n/).map((each) => each.replaceAll(/\s+/g, ' ').trim());
  const words = paragraphs.find((each) => each !== '' && !each.startsWith('#')) ?? null;
  const why = policy.context ?? contradictionIn(summary.metrics) ?? words;
  return why === null ? null : printable(why, REASON_MAX);
}

/** Its own word counts, else that of whoever delegated; a next agent is where it goes when no route is given. */
function policyOf({ rules }: Context, { summary, leg, to, from }: Situation): OnFailure {
  const delegated = leg?.body.leg?.onFailure;
  const said = summary.onFailure ?? delegated ?? {};
  const routed = withRoute(said, from, to);
  if (summary.status === 'failed') return routed;
  // Who asks for another try gets as many as whoever delegated allows, else as many as every handoff has.
  const allowed =
    delegated?.retry ?? leg?.handoff.terms.retry.retriesMax ?? rules.terms.queue?.retry?.retriesMax ?? RETRIES;
  return { ...routed, retry: Math.min(routed.retry ?? allowed, allowed) };
}

const RETRIES = 3;

/** A route to whoever fails is none: it would be walked until the chain is too long. */
function withRoute({ routeTo, ...others }: OnFailure, from: AgentId, to: AgentId | null): OnFailure {
  const route = routeTo ?? to ?? undefined;
  return route === undefined || readAgentId(route) === from ? others : { ...others, routeTo: route };
}

function notices({ from, summary }: Situation, policy: OnFailure, failures: number): readonly SummaryNotice[] {
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
  return tellEscalated(to, { reason: `${failures} failures in this chain, the last by @${from}`, why: 'failures' });
}

/** What whoever takes over has to know. */
function failureFor({ from, summary }: Situation, policy: OnFailure, failures: number): JsonObject {
  return {
    of: `@${from}`,
    phase: summary.phase,
    failures,
    ...(policy.context === undefined ? {} : { context: policy.context }),
  };
}
