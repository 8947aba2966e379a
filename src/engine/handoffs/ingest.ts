/**
 * Carries out a summary: its leg is settled, retried, blocked or noted, and the next leg is opened, in one transaction
 * under the key of the block. Ingesting the same block again changes nothing.
 */
import type { JsonObject, JsonProblem } from '../../foundation/json.ts';
import { present } from '../../foundation/assert.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decision } from '../../domain/decision.ts';
import { NO_LINEAGE, type Handoff } from '../../domain/handoff.ts';
import { readAgentId, type AgentId, type HandoffId } from '../../domain/names.ts';
import { agentPrincipal, principalText, type Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Summary } from '../../domain/summary.ts';
import { ROUNDS_MAX, type Guard, type NewHandoff } from '../../stores/store.ts';
import { atRevision, reconcileFolders, relay } from '../change.ts';
import { legFor, type LegRefusal } from '../summaries/find-leg.ts';
import type { BlockKeys } from '../summaries/block-keys.ts';
import { bodyOf, legIdOf, openingOf, taskOf, type LegPlan } from '../summaries/leg.ts';
import { planFor, type Did, type Plan, type PlanRefusal, type Situation } from '../summaries/plan.ts';
import { decideReport, type Reporter } from '../summaries/report.ts';
import { withNotices } from '../summaries/notices.ts';
import type { Context } from '../context.ts';
import { decidedTrailOf } from '../secrets/warnings.ts';
import { findHandoff } from './find.ts';

export interface IngestRequest {
  readonly summary: Summary;
  readonly keys: BlockKeys;
  /** The text of the agent around its block, for the next agent. */
  readonly prose?: string;
  /** The content of all blocks of the same text. */
  readonly beside?: ReadonlySet<string>;
  /** The leg that the block names by id. */
  readonly leg?: string | null;
  /** What a blocked leg waits for, in words. */
  readonly waitsFor?: string | null;
  /** The handoff that the reporting worker command holds, and its acceptance. */
  readonly held?: { readonly id: HandoffId; readonly fence: number | null };
  /** The fence of the leg, if the agent claimed it by hand. */
  readonly fence?: number;
}

export interface Ingested {
  /**
   * `known`: it was ingested before, and nothing has changed. `offered`, `recorded`: a handoff in a legacy form, open or
   * already settled.
   */
  readonly did: Did | 'known' | 'offered' | 'recorded';
  /** The leg of the summary. For a draft: the draft. */
  readonly leg: HandoffId;
  readonly opened: HandoffId | null;
  readonly escalatedTo: AgentId | null;
  /** Notes for the user. */
  readonly says: readonly string[];
}

export type IngestRefusal =
  | LegRefusal
  | PlanRefusal
  | { readonly code: 'bad-name'; readonly name: string }
  | { readonly code: 'not-speaker'; readonly from: AgentId; readonly principal: string }
  | { readonly code: 'not-json'; readonly problem: JsonProblem };

type Answer = Result<Ingested, IngestRefusal>;

export async function ingest(ctx: Context, principal: Principal, request: IngestRequest): Promise<Answer> {
  const { summary } = request;
  const from = readAgentId(summary.from);
  if (from === null) return err({ code: 'bad-name', name: summary.from });
  const to = summary.to === null ? null : readAgentId(summary.to);
  if (to === null && summary.to !== null) return err({ code: 'bad-name', name: summary.to });
  const speaker = speakerOf(ctx, principal, from);
  if (speaker === null) return err({ code: 'not-speaker', from, principal: principalText(principal) });
  const parties: IngestParties = { principal, speaker, from, to };
  let answer = await knownBefore(ctx, request.keys);
  for (let round = 0; answer === null && round < ROUNDS_MAX; round += 1) {
    const tried = await once(ctx, parties, request);
    // Another process may have taken the leg or read the same block meanwhile: then the plan is made again.
    answer = tried.ok ? tried : await knownBefore(ctx, request.keys);
    if (answer === null && !tried.ok && tried.refusal.code !== 'contended') answer = tried;
  }
  return answer ?? err({ code: 'contended', id: (request.leg ?? '') as HandoffId });
}

/** The earlier result of the same block. Null: it is new. */
export async function knownBefore({ store }: Context, { all }: BlockKeys): Promise<Answer | null> {
  for (const request of all) {
    const { items } = await store.find({ by: 'request', request });
    if (items.length > 0) return ok(knownAs(items));
  }
  return null;
}

interface IngestParties {
  readonly principal: Principal;
  readonly speaker: Principal;
  readonly from: AgentId;
  readonly to: AgentId | null;
}

/** The principal that reports for `from`. Null: a token is for another agent. The local user may report for all. */
export function speakerOf({ rules }: Context, principal: Principal, from: AgentId): Principal | null {
  if (principal.kind === 'agent') return principal.agent === from ? principal : null;
  return principal.kind === 'operator' ? agentPrincipal(from, rules.rolesOf(from)) : null;
}

export function knownAs([leg, opened]: readonly Pick<Handoff, 'id'>[]): Ingested {
  const { id } = present(leg, 'a request is answered with something');
  return { did: 'known', leg: id, opened: opened?.id ?? null, escalatedTo: null, says: [] };
}

async function once(ctx: Context, parties: IngestParties, request: IngestRequest): Promise<Answer> {
  const { summary, prose = '', leg: named = null, held, waitsFor = null } = request;
  const belongs = await legFor(ctx, parties.speaker, summary, parties.from, {
    named,
    held: held?.id ?? null,
    ...(request.beside === undefined ? {} : { beside: request.beside }),
  });
  if (!belongs.ok) return belongs;
  const { key } = request.keys.request;
  const now: Situation = { summary, prose, from: parties.from, to: parties.to, leg: belongs.value, key, waitsFor };
  const plan = await planFor(ctx, now);
  if (!plan.ok) return plan;
  const done = await carryOut(ctx, parties, request, now, plan.value);
  // Without room under a limit the next leg waits, and the report on this leg still counts.
  const { next } = plan.value;
  const isFull = !done.ok && done.refusal.code === 'limit-reached' && next?.as === 'offer';
  const waiting: Plan = { ...plan.value, next: next === null ? null : { ...next, as: 'place' } };
  const answer = isFull ? await carryOut(ctx, parties, request, now, waiting) : done;
  if (answer.ok || answer.refusal.code !== 'known-id') return answer;
  const made = await madeBefore(ctx, parties.from, answer.refusal.id);
  return made === null ? answer : ok(knownAs([made]));
}

/** The id of a leg follows from its block: a leg with this id was made of this block, if it is from the same agent. */
export async function madeBefore(ctx: Context, from: AgentId, id: HandoffId): Promise<Handoff | null> {
  const handoff = await findHandoff(ctx, id);
  return handoff?.from === from ? handoff : null;
}

async function carryOut(
  ctx: Context,
  { principal, speaker }: IngestParties,
  { summary, keys, held, fence }: IngestRequest,
  now: Situation,
  plan: Plan,
): Promise<Answer> {
  const guard: Guard = { request: keys.request };
  const vouched = principalText(principal) === principalText(speaker) ? {} : { ingestedBy: principalText(principal) };
  const detail: JsonObject = { summary: summary as unknown as JsonObject, ...plan.detail, ...vouched };
  const next = plan.next === null ? null : openingFor(ctx, speaker, plan, plan.report === null ? detail : {});
  if (next !== null && !next.ok) return err({ code: 'not-json', problem: next.refusal });
  const newHandoffs = next === null ? [] : [next.value];
  const { leg } = now;
  if (plan.report === null) return inserted(ctx, newHandoffs, guard, plan);
  const voice: Reporter = { speaker, fenceOf: fenceBy(summary, held ?? null, leg === null ? null : (fence ?? null)) };
  const decide = withNotices(plan.notices, decideReport(voice, summary, plan.report, detail));
  if (leg === null) {
    const root = openingOf(ctx, speaker, rootPlan(now), decide);
    if (!root.ok) return err({ code: 'not-json', problem: root.refusal });
    return inserted(ctx, [root.value, ...newHandoffs], guard, plan);
  }
  const own = remembering(atRevision(leg.handoff.revision, decide));
  const relayed = await relay(ctx, leg.handoff, own.decide, newHandoffs, guard);
  if (!relayed.ok) return relayed;
  const all = [relayed.value.changed, ...relayed.value.inserted];
  return ok(own.isOwn(relayed.value.changed) ? doneAs(plan, all) : knownAs(all));
}

/** Shows whether a returned record was decided here: if another process was first, its records are returned. */
export function remembering<Given extends readonly unknown[]>(decide: (...given: Given) => Result<Decision, Refusal>) {
  const trails = new Set<string>();
  return {
    decide: (...given: Given): Result<Decision, Refusal> => {
      const decided = decide(...given);
      if (decided.ok) trails.add(decided.value.handoff.trail);
      return decided;
    },
    isOwn: (handoff: Handoff): boolean => trails.has(decidedTrailOf(handoff)),
  };
}

function openingFor(ctx: Context, speaker: Principal, { next }: Plan, detail: LegPlan['detail']) {
  const leg = present(next, 'there is a next leg');
  return openingOf(ctx, speaker, { ...leg, detail: { ...leg.detail, ...detail } });
}

async function inserted(
  ctx: Context,
  newHandoffs: readonly NewHandoff[],
  guard: Guard,
  plan: Plan,
): Promise<Result<Ingested, Refusal>> {
  const [first, ...others] = newHandoffs;
  const { decide, ...newHandoff } = present(first, 'there is something to insert');
  const own = remembering(decide);
  const answer = await ctx.store.insert([{ ...newHandoff, decide: own.decide }, ...others], guard);
  if (!answer.ok) return answer;
  await reconcileFolders(ctx, answer.value);
  const made = present(answer.value[0], 'something was inserted');
  return ok(own.isOwn(made) ? doneAs(plan, answer.value) : knownAs(answer.value));
}

function doneAs({ did, escalatedTo, says, report: word }: Plan, [leg, opened]: readonly Handoff[]): Ingested {
  const { id } = present(leg, 'something was written');
  return { did, leg: id, opened: word === null ? id : (opened?.id ?? null), escalatedTo, says };
}

/** The leg for reported work that no handoff asked for: from the agent to itself. */
function rootPlan({ summary, from, key }: Situation): LegPlan {
  return {
    id: legIdOf(key, 'root'),
    from,
    to: from,
    task: taskOf(summary),
    lineage: NO_LINEAGE,
    body: bodyOf({ ...summary, onFailure: null }, '', {}, {}),
    dependsOn: [],
    as: 'offer',
    detail: {},
  };
}

/**
 * The fence that a summary proves: that of the worker command it was written in, the one given with the text, or that of
 * its worker session. Without a fence a summary settles only what is held without a lease, because it may come from an
 * earlier holder.
 */
function fenceBy(summary: Summary, held: IngestRequest['held'] | null, named: number | null): Reporter['fenceOf'] {
  const session = 'session' in summary.source ? summary.source.session : null;
  return ({ id, custody, fence }) => {
    if (held?.id === id) return held.fence;
    if (named !== null) return named;
    return custody?.by === 'process' && custody.session === session ? fence : null;
  };
}
