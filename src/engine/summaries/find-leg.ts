/** Finds the leg that a summary reports on. */
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
import { isOf, projectIn } from './task-dependencies.ts';
import { taskOf } from './leg.ts';

const OPEN_LEG: readonly State[] = ['offered', 'accepted', 'blocked'];
const OPEN_OR_DRAFT: readonly State[] = [...OPEN_LEG, 'draft'];
/** The most open legs of one agent that are read. */
const LEGS_MAX = 50;

export interface LoadedLeg {
  readonly handoff: Handoff;
  readonly body: Body;
}

export type LegRefusal =
  | Refusal
  | { readonly code: 'several-legs'; readonly from: AgentId; readonly legs: readonly HandoffId[] }
  /** `open`: the leg that the summary would have to name. */
  | {
      readonly code: 'leg-settled';
      readonly from: AgentId;
      readonly settled: HandoffId;
      readonly open: HandoffId | null;
    };

export interface LegHints {
  /** The id in the block. */
  readonly named: string | null;
  /** The handoff that the reporting worker holds. */
  readonly held: HandoffId | null;
  /** The contents (`contentOf`) of all blocks of the same text. */
  readonly beside?: ReadonlySet<string>;
}

/** Null: no leg, so the summary begins a chain. */
export async function legFor(
  ctx: Context,
  speaker: Principal,
  summary: Summary,
  from: AgentId,
  { named, held, beside = new Set() }: LegHints,
): Promise<Result<LoadedLeg | null, LegRefusal>> {
  if (named !== null) {
    const id = readHandoffId(named);
    const leg = id === null ? null : await loaded(ctx, id);
    if (leg === null) return err({ code: 'no-such-handoff', id: named as HandoffId });
    // The next leg gets the context of this one, so only its parties may continue it.
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

/** How many of an agent's last legs are checked for a repeated summary. */
const RECENT = 8;
const SETTLED: readonly State[] = ['delivered', 'completed', 'failed'];

/**
 * The settled leg that this summary repeats in other words, if any. An agent that has settled a leg may repeat itself, and
 * that must not settle another open leg.
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
    if (open !== null && (await existedBefore(ctx, open.id, last.cursor))) return leg.id;
    const isAsked = open === null ? leg.from === from : rootOf(open) === rootOf(leg);
    if (!isAsked && isRepeated(summary, last.summary, beside)) return leg.id;
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

/** Compares by cursor: two facts may have the same millisecond, and clocks may be set back. */
async function existedBefore({ store }: Context, handoff: HandoffId, cursor: string): Promise<boolean> {
  const [made] = await store.facts({ handoff, max: 1 });
  return made !== undefined && made.cursor !== cursor && laterCursor(made.cursor, cursor) === cursor;
}

function rootOf({ id, lineage }: Handoff): HandoffId {
  return lineage.root ?? id;
}

/** Whether the summary is from the same conversation, or from a document in which the earlier block was rewritten. */
function isRepeated({ source }: Summary, before: Summary, beside: ReadonlySet<string>): boolean {
  if ('session' in source) return 'session' in before.source && before.source.session === source.session;
  const isSameFile = 'file' in before.source && before.source.file === source.file;
  return isSameFile && !beside.has(contentOf(withoutFences(before.text)));
}

function withoutFences(text: string): string {
  return text.replace(/^[`~]{3,}[^\n]*\n/, '').replace(/\n[ \t]*[`~]{3,}[ \t]*$/, '');
}

async function acceptedBySession(ctx: Context, { source }: Summary, from: AgentId): Promise<LoadedLeg | null> {
  if (!('session' in source)) return null;
  const { items } = await ctx.store.find({ by: 'session', session: source.session as SessionId, max: LEGS_MAX });
  const [only, ...others] = items.filter((handoff) => isOpenFor(from, handoff));
  return only === undefined || others.length > 0 ? null : loaded(ctx, only.id);
}

async function onlyOpen(ctx: Context, summary: Summary, from: AgentId): Promise<Result<LoadedLeg | null, LegRefusal>> {
  const legs = await legsOf(ctx, summary.project, from);
  const open = legs.filter(({ handoff }) => handoff.state !== 'draft');
  const [only, second] = open;
  // A draft is not offered yet, but an agent that reports on it works on it.
  if (only === undefined) return ok(legs.length === 1 ? (legs[0] ?? null) : null);
  if (second === undefined) return ok(only);
  const reported = await reportedInSession(ctx, summary, open);
  if (reported !== null) return ok(reported);
  return err({ code: 'several-legs', from, legs: open.map(({ handoff }) => handoff.id) });
}

async function legsOf(ctx: Context, project: string, from: AgentId): Promise<readonly LoadedLeg[]> {
  const query = { by: 'filter', to: from, max: LEGS_MAX } as const;
  const all = await ctx.store.find({ ...query, states: OPEN_OR_DRAFT });
  // If there are too many drafts, only open legs are read.
  const { items } = all.next === null ? all : await ctx.store.find({ ...query, states: OPEN_LEG });
  const legs: LoadedLeg[] = [];
  for (const { id } of items) {
    const leg = await loaded(ctx, id);
    if (leg !== null && OPEN_OR_DRAFT.includes(leg.handoff.state) && isOf(project, projectIn(leg.body))) legs.push(leg);
  }
  return legs;
}

/** A holder without a worker session is recognized by its earlier summaries of the same conversation. */
async function reportedInSession(
  ctx: Context,
  { source }: Summary,
  legs: readonly LoadedLeg[],
): Promise<LoadedLeg | null> {
  if (!('session' in source)) return null;
  const own: LoadedLeg[] = [];
  for (const leg of legs) {
    const sources = (await factsOf(ctx, leg.handoff.id)).map((fact) => summaryIn(fact)?.source);
    if (sources.some((each) => each !== undefined && 'session' in each && each.session === source.session))
      own.push(leg);
  }
  return own.length === 1 ? (own[0] ?? null) : null;
}

function isOpenFor(from: AgentId, { to, state }: Handoff): boolean {
  return to === from && OPEN_LEG.includes(state);
}

async function loaded({ store }: Context, id: HandoffId): Promise<LoadedLeg | null> {
  const whole = await store.load(id);
  return whole === null ? null : { handoff: whole.handoff, body: JSON.parse(whole.body) as Body };
}
