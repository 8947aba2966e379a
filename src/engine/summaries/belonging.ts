/** Which leg a summary is about. */
import { refuse, yes, type Result } from '../../foundation/result.ts';
import type { Body } from '../../domain/body.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { State } from '../../domain/lifecycle.ts';
import { readHandoffId, type AgentId, type HandoffId, type SessionId } from '../../domain/names.ts';
import type { Summary } from '../../domain/summary.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { may } from '../../domain/rights.ts';
import type { Surroundings } from '../surroundings.ts';
import { factsOf } from '../verbs/look.ts';
import { summaryIn } from './detail.ts';
import { isOf, projectIn } from './held.ts';

const OPEN_LEG: readonly State[] = ['offered', 'accepted', 'blocked'];
const OPEN_OR_DRAFT: readonly State[] = [...OPEN_LEG, 'draft'];
/** More open legs of one agent than anybody would choose from. */
const LEGS_MAX = 50;

export interface LegAtHand {
  readonly handoff: Handoff;
  readonly body: Body;
}

export type BelongingRefusal =
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
  around: Surroundings,
  speaker: Principal,
  summary: Summary,
  from: AgentId,
  { named, held }: Clues,
): Promise<Result<LegAtHand | null, BelongingRefusal>> {
  if (named !== null) {
    const id = readHandoffId(named);
    const leg = id === null ? null : await loaded(around, id);
    if (leg === null) return refuse({ code: 'no-such-handoff', id: named as HandoffId });
    // What follows from a leg carries its context on: that is for its parties.
    const entitled = may(speaker, 'follow', leg.handoff);
    return entitled.ok ? yes(leg) : entitled;
  }
  const own = held === null ? null : await loaded(around, held);
  if (own !== null && isOpenFor(from, own.handoff)) return yes(own);
  const ofSession = await acceptedBySession(around, summary, from);
  if (ofSession !== null) return yes(ofSession);
  return onlyOpen(around, summary, from);
}

async function acceptedBySession(around: Surroundings, { source }: Summary, from: AgentId): Promise<LegAtHand | null> {
  if (!('session' in source)) return null;
  const { items } = await around.store.find({ by: 'session', session: source.session as SessionId, max: LEGS_MAX });
  const [only, ...others] = items.filter((handoff) => isOpenFor(from, handoff));
  return only === undefined || others.length > 0 ? null : loaded(around, only.id);
}

async function onlyOpen(
  around: Surroundings,
  summary: Summary,
  from: AgentId,
): Promise<Result<LegAtHand | null, BelongingRefusal>> {
  const legs = await legsOf(around, summary.project, from);
  const open = legs.filter(({ handoff }) => handoff.state !== 'draft');
  const [only, second] = open;
  // A draft is not on offer yet; but whoever reports on work has begun it.
  if (only === undefined) return yes(legs.length === 1 ? (legs[0] ?? null) : null);
  if (second === undefined) return yes(only);
  const told = await toldInSession(around, summary, open);
  if (told !== null) return yes(told);
  return refuse({ code: 'several-legs', from, legs: open.map(({ handoff }) => handoff.id) });
}

async function legsOf(around: Surroundings, project: string, from: AgentId): Promise<readonly LegAtHand[]> {
  const query = { by: 'filter', to: from, max: LEGS_MAX } as const;
  const all = await around.store.find({ ...query, states: OPEN_OR_DRAFT });
  // So many drafts may hide what is open.
  const { items } = all.next === null ? all : await around.store.find({ ...query, states: OPEN_LEG });
  const legs: LegAtHand[] = [];
  for (const { id } of items) {
    const leg = await loaded(around, id);
    if (leg !== null && OPEN_OR_DRAFT.includes(leg.handoff.state) && isOf(project, projectIn(leg.body))) legs.push(leg);
  }
  return legs;
}

/** Whoever holds by hand left no session behind, but what it said before in the same session is in the trail. */
async function toldInSession(
  around: Surroundings,
  { source }: Summary,
  legs: readonly LegAtHand[],
): Promise<LegAtHand | null> {
  if (!('session' in source)) return null;
  const own: LegAtHand[] = [];
  for (const leg of legs) {
    const told = (await factsOf(around, leg.handoff.id)).map((fact) => summaryIn(fact)?.source);
    if (told.some((each) => each !== undefined && 'session' in each && each.session === source.session)) own.push(leg);
  }
  return own.length === 1 ? (own[0] ?? null) : null;
}

function isOpenFor(from: AgentId, { to, state }: Handoff): boolean {
  return to === from && OPEN_LEG.includes(state);
}

async function loaded({ store }: Surroundings, id: HandoffId): Promise<LegAtHand | null> {
  const whole = await store.load(id);
  return whole === null ? null : { handoff: whole.handoff, body: JSON.parse(whole.body) as Body };
}
