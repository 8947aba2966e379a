/** Decisions over records that are there: all of a call are taken before any of them is written. */
import { refuse, yes, type Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Limits } from '../../domain/limits.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { rankOf } from '../../domain/priority.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { CLAIM_MAX, type Claimed } from '../store.ts';
import { heldBy } from './find.ts';
import { frozenCopy } from './frozen-copy.ts';
import { fullPlace } from './places.ts';
import { draftOver, type Draft, type Row, type Shelf } from './shelf.ts';
import { assertSound } from './sound.ts';

export interface Changed {
  readonly answers: readonly Result<Handoff, Refusal>[];
  readonly written: readonly Handoff[];
}

export function change(
  shelf: Shelf,
  targets: readonly (HandoffId | Handoff)[],
  decide: Decide,
  limits: Limits,
  nowMs: number,
): Changed {
  const draft = draftOver(shelf);
  const answers = targets.map((target) => changeOne(shelf, draft, target, decide, limits, nowMs));
  return { answers, written: draft.commit() };
}

export function changeOne(
  shelf: Shelf,
  draft: Draft,
  target: HandoffId | Handoff,
  decide: Decide,
  limits: Limits,
  nowMs: number,
): Result<Handoff, Refusal> {
  const id = typeof target === 'string' ? target : target.id;
  const row = draft.row(id);
  return row === undefined
    ? refuse<Refusal>({ code: 'no-such-handoff', id })
    : decideNext(shelf, draft, row, decide, limits, nowMs);
}

export interface ClaimedNow {
  readonly claimed: readonly Claimed[];
  readonly written: readonly Handoff[];
}

/** A decision that refuses leaves that one where it is; the others are claimed all the same. */
export function claim(
  shelf: Shelf,
  agent: AgentId,
  max: number,
  decide: Decide,
  limits: Limits,
  nowMs: number,
): ClaimedNow {
  const draft = draftOver(shelf);
  const claimed: Claimed[] = [];
  for (const row of readyFor(shelf, agent, nowMs).slice(0, Math.max(0, Math.min(max, CLAIM_MAX)))) {
    const decided = decideNext(shelf, draft, row, decide, limits, nowMs);
    if (decided.ok) claimed.push({ handoff: decided.value, body: row.body });
  }
  return { claimed, written: draft.commit() };
}

function readyFor(shelf: Shelf, agent: AgentId, nowMs: number): readonly Row[] {
  const ready = [...shelf.rows.values()].filter(
    ({ handoff }) => handoff.to === agent && handoff.state === 'offered' && handoff.notBefore <= nowMs,
  );
  // Sorting is stable, so equal ranks stay in order of insertion.
  return ready.toSorted((a, b) => rank(a) - rank(b));
}

function rank({ handoff }: Row): number {
  return rankOf(handoff.offeredAt, handoff.priority);
}

function decideNext(
  shelf: Shelf,
  draft: Draft,
  row: Row,
  decide: Decide,
  limits: Limits,
  nowMs: number,
): Result<Handoff, Refusal> {
  const before = row.handoff;
  const decided = decide(before, nowMs);
  if (!decided.ok) return decided;
  const decision = frozenCopy(decided.value);
  assertSound(before.id, before, decision);
  const { handoff, outcome = row.outcome } = decision;
  if (!mayHold(shelf, before, handoff)) {
    return refuse({ code: 'lease-lost', id: before.id, fence: null, state: before.state, newest: before.fence });
  }
  const full = fullPlace(draft, limits, before, handoff);
  if (full !== null) return refuse(full);
  draft.write({ handoff, body: row.body, outcome }, decision);
  return yes(handoff);
}

/** Nothing passes to a session that has ended: whoever gives back what such sessions held may have been there already. */
function mayHold(shelf: Shelf, before: Handoff, next: Handoff): boolean {
  const session = heldBy(next);
  if (session === null || session === heldBy(before)) return true;
  return shelf.sessions.get(session)?.ended === false;
}
