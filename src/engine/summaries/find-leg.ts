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
import type { Context } from '../context.ts';
import { factsOf } from '../handoffs/read.ts';
import { summaryIn } from './detail.ts';
import { isOf, projectIn } from './held-legs.ts';

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
  | { readonly code: 'several-legs'; readonly from: AgentId; readonly legs: readonly HandoffId[] };

export interface Clues {
  /** The id that the block itself names. */
  readonly named: string | null;
  /** What the one who reports has in hand. */
  readonly held: HandoffId | null;
}

/** Null: none, so it is the beginning of something. */
export async function legFor(
  ctx: Context,
  speaker: Principal,
  summary: Summary,
  from: AgentId,
  { named, held }: Clues,
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
  const ofSession = await acceptedBySession(ctx, summary, from);
  if (ofSession !== null) return ok(ofSession);
  return onlyOpen(ctx, summary, from);
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
  // A draft is not on offer yet; but whoever reports on work has begun it.
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

/** Whoever holds by hand left no session behind, but what it said before in the same session is in the trail. */
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
