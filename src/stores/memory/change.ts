/** Decisions over records that are there: all of a call are taken before any of them is written. */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Limits } from '../../domain/limits.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { rankOf } from '../../domain/priority.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { CLAIM_MAX, type Claimed } from '../store.ts';
import { heldBy } from './find.ts';
import { frozenCopy } from './frozen-copy.ts';
import { fullPlace } from './limits.ts';
import { isPaused } from './pauses.ts';
import { draftOver, type Draft, type Row, type Tables } from './tables.ts';
import { assertValidTables } from './valid-tables.ts';

export interface Changed {
  readonly answers: readonly Result<Handoff, Refusal>[];
  readonly written: readonly Handoff[];
}

export function change(
  shelf: Tables,
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
  shelf: Tables,
  draft: Draft,
  target: HandoffId | Handoff,
  decide: Decide,
  limits: Limits,
  nowMs: number,
): Result<Handoff, Refusal> {
  const id = typeof target === 'string' ? target : target.id;
  const row = draft.row(id);
  return row === undefined
    ? err<Refusal>({ code: 'no-such-handoff', id })
    : decideNext(shelf, draft, row, decide, limits, nowMs);
}

export interface ClaimedNow {
  readonly claimed: readonly Claimed[];
  readonly written: readonly Handoff[];
}

/** A decision that refuses leaves that one where it is; the others are claimed all the same. */
export function claim(
  shelf: Tables,
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

function readyFor(shelf: Tables, agent: AgentId, nowMs: number): readonly Row[] {
  if (isPaused(shelf, agent)) return [];
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
  shelf: Tables,
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
  assertValidTables(before.id, before, decision);
  const { handoff, outcome = row.outcome, body = row.body } = decision;
  if (!mayHold(shelf, before, handoff)) {
    return err({ code: 'lease-lost', id: before.id, fence: null, state: before.state, newest: before.fence });
  }
  const full = decision.overLimits === true ? null : fullPlace(draft, limits, before, handoff);
  if (full !== null) return err(full);
  draft.write({ handoff, body, outcome }, decision);
  return ok(handoff);
}

/** Nothing passes to a session that has ended: whoever gives back what such sessions held may have been there already. */
function mayHold(shelf: Tables, before: Handoff, next: Handoff): boolean {
  const session = heldBy(next);
  if (session === null || session === heldBy(before)) return true;
  return shelf.sessions.get(session)?.ended === false;
}
