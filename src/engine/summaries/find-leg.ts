/** Which leg a summary is about. */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Body } from '../../domain/body.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { State } from '../../domain/lifecycle.ts';
import { readHandoffId, type AgentId, type HandoffId, type SessionId } from '../../domain/names.ts';
import type { Summary } from '../../domain/summary.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { may } from '../../domain/rights.ts';
import { summaryIn } from '../../domain/summary-in-fact.ts';
import type { Context } from '../context.ts';
import { laterCursor } from '../../stores/store.ts';
import { factsOf, factsReadOf } from '../handoffs/read.ts';
import { contentOf } from '../../formats/summary-block/identity.ts';
import { isOf, projectIn } from './held-legs.ts';
import { taskOf } from './leg.ts';

const OPEN_LEG: readonly State[] = ['offered', 'accepted', 'blocked'];
const OPEN_OR_DRAFT: readonly State[] = [...OPEN_LEG, 'draft'];
/** More open legs of one agent than anybody would choose from. */
const LEGS_MAX = 50;

export interface LegAtHand {
  readonly handoff: Handoff;
  readonly body: Body;
}

export type LegRefusal =
  | Refusal
  | { readonly code: 'several-legs'; readonly from: AgentId; readonly legs: readonly HandoffId[] }
  /** `open`: the leg that it would have to name. */
  | {
      readonly code: 'leg-settled';
      readonly from: AgentId;
      readonly settled: HandoffId;
      readonly open: HandoffId | null;
    };

export interface Clues {
  /** The id that the block itself names. */
  readonly named: string | null;
  /** The handoff that the reporting worker holds. */
  readonly held: HandoffId | null;
  /** What the blocks of the same text say, as `contentOf` knows them. */
  readonly beside?: ReadonlySet<string>;
}

/** Null: none, so it is the beginning of something. */
export async function legFor(
  ctx: Context,
  speaker: Principal,
  summary: Summary,
  from: AgentId,
  { named, held, beside = new Set() }: Clues,
): Promise<Result<LegAtHand | null, LegRefusal>> {
  if (named !== null) {
    const id = readHandoffId(named);
    const leg = id === null ? null : await loaded(ctx, id);
    if (leg === null) return err({ code: 'no-such-handoff', id: named as HandoffId });
    // What follows from a leg carries its context on: that is for its parties.
    const entitled = may(speaker, 'follow', leg.handoff);
    return entitled.ok ? ok(leg) : entitled;
  }
  const own = held === null ? null : await loaded(ctx, held);
  if (own !== null && isOpenFor(from, own.handoff)) return ok(own);
  if (own !== null && own.handoff.to === from)
    return err({ code: 'leg-settled', from, settled: own.handoff.id, open: null });
  const ofSession = await acceptedBySession(ctx, summary, from);
  if (ofSession !== null) return ok(ofSession);
  const only = await onlyOpen(ctx, summary, from);
  if (!only.ok) return only;
  const settled = await settledBefore(ctx, summary, from, only.value?.handoff ?? null, beside);
  return settled === null ? only : err({ code: 'leg-settled', from, settled, open: only.value?.handoff.id ?? null });
}

/** So many of an agent's last legs are looked at: what is said again was said not long ago. */
const RECENT = 8;
const SETTLED: readonly State[] = ['delivered', 'completed', 'failed'];

/**
 * The leg that this summary says again in other words, if any. An agent that has settled a leg repeats itself, and must
 * not settle another leg by that: one that was open beside the first, or that nobody has taken up in this conversation.
 */
async function settledBefore(
  ctx: Context,
  summary: Summary,
  from: AgentId,
  open: Handoff | null,
  beside: ReadonlySet<string>,
): Promise<HandoffId | null> {
  const settles = summary.status === 'complete' || summary.status === 'failed' || summary.status === 'retry';
  const task = taskOf(summary);
  if (!settles || (open !== null && (open.attempt > 0 || (task !== null && task === open.task)))) return null;
  const { items } = await ctx.store.find({ by: 'filter', to: from, states: SETTLED, max: RECENT });
  for (const leg of items) {
    if (task !== null && leg.task !== null && task !== leg.task) continue;
    const last = await lastSummaryBy(ctx, from, leg.id);
    if (last === null || last.summary.project !== summary.project) continue;
    if (open !== null && (await wasThereBefore(ctx, open.id, last.cursor))) return leg.id;
    const isAsked = open === null ? leg.from === from : rootOf(open) === rootOf(leg);
    if (!isAsked && isSaidAgain(summary, last.summary, beside)) return leg.id;
  }
  return null;
}

async function lastSummaryBy(
  ctx: Context,
  agent: AgentId,
  handoff: HandoffId,
): Promise<{ readonly summary: Summary; readonly cursor: string } | null> {
  for (const { fact, cursor } of (await factsReadOf(ctx, handoff)).toReversed()) {
    const summary = summaryIn(fact);
    if (summary?.from === agent) return { summary, cursor };
  }
  return null;
}

/** By the order of the facts: two of them may have the same millisecond, and clocks are set back. */
async function wasThereBefore({ store }: Context, handoff: HandoffId, cursor: string): Promise<boolean> {
  const [made] = await store.facts({ handoff, max: 1 });
  return made !== undefined && made.cursor !== cursor && laterCursor(made.cursor, cursor) === cursor;
}

function rootOf({ id, lineage }: Handoff): HandoffId {
  return lineage.root ?? id;
}

/** In the same conversation, or in a document in which the block that was read before has been rewritten. */
function isSaidAgain({ source }: Summary, before: Summary, beside: ReadonlySet<string>): boolean {
  if ('session' in source) return 'session' in before.source && before.source.session === source.session;
  const isSameFile = 'file' in before.source && before.source.file === source.file;
  return isSameFile && !beside.has(contentOf(withoutFences(before.text)));
}

function withoutFences(text: string): string {
  return text.replace(/^[`~]{3,}[^\n]*\n/, '').replace(/\n[ \t]*[`~]{3,}[ \t]*$/, '');
}

async function acceptedBySession(ctx: Context, { source }: Summary, from: AgentId): Promise<LegAtHand | null> {
  if (!('session' in source)) return null;
  const { items } = await ctx.store.find({ by: 'session', session: source.session as SessionId, max: LEGS_MAX });
  const [only, ...others] = items.filter((handoff) => isOpenFor(from, handoff));
  return only === undefined || others.length > 0 ? null : loaded(ctx, only.id);
}

async function onlyOpen(ctx: Context, summary: Summary, from: AgentId): Promise<Result<LegAtHand | null, LegRefusal>> {
  const legs = await legsOf(ctx, summary.project, from);
  const open = legs.filter(({ handoff }) => handoff.state !== 'draft');
  const [only, second] = open;
  // A draft is not offered yet, but an agent that reports on it has begun it.
  if (only === undefined) return ok(legs.length === 1 ? (legs[0] ?? null) : null);
  if (second === undefined) return ok(only);
  const told = await toldInSession(ctx, summary, open);
  if (told !== null) return ok(told);
  return err({ code: 'several-legs', from, legs: open.map(({ handoff }) => handoff.id) });
}

async function legsOf(ctx: Context, project: string, from: AgentId): Promise<readonly LegAtHand[]> {
  const query = { by: 'filter', to: from, max: LEGS_MAX } as const;
  const all = await ctx.store.find({ ...query, states: OPEN_OR_DRAFT });
  // So many drafts may hide what is open.
  const { items } = all.next === null ? all : await ctx.store.find({ ...query, states: OPEN_LEG });
  const legs: LegAtHand[] = [];
  for (const { id } of items) {
    const leg = await loaded(ctx, id);
    if (leg !== null && OPEN_OR_DRAFT.includes(leg.handoff.state) && isOf(project, projectIn(leg.body))) legs.push(leg);
  }
  return legs;
}

/** A holder by hand has no worker session, but the trail has its earlier summaries of the same conversation. */
async function toldInSession(ctx: Context, { source }: Summary, legs: readonly LegAtHand[]): Promise<LegAtHand | null> {
  if (!('session' in source)) return null;
  const own: LegAtHand[] = [];
  for (const leg of legs) {
    const told = (await factsOf(ctx, leg.handoff.id)).map((fact) => summaryIn(fact)?.source);
    if (told.some((each) => each !== undefined && 'session' in each && each.session === source.session)) own.push(leg);
  }
  return own.length === 1 ? (own[0] ?? null) : null;
}

function isOpenFor(from: AgentId, { to, state }: Handoff): boolean {
  return to === from && OPEN_LEG.includes(state);
}

async function loaded({ store }: Context, id: HandoffId): Promise<LegAtHand | null> {
  const whole = await store.load(id);
  return whole === null ? null : { handoff: whole.handoff, body: JSON.parse(whole.body) as Body };
}
