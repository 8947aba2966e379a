/** The common part of every move: ask the table, leave the old state behind. */
import { err, ok, type Result } from '../../foundation/result.ts';
import { copyOf, type Custody, type Handoff } from '../handoff.ts';
import { nextState, type Move } from '../lifecycle.ts';
import { flawOfRecord, refuseValue } from '../record-values.ts';
import type { Refusal } from '../refusals.ts';

export type Moved = Result<Handoff, Refusal>;

/** What a move may change besides the state. */
type Changes = Partial<
  Pick<Handoff, 'custody' | 'blockedOn' | 'attempt' | 'excused' | 'fence' | 'notBefore' | 'offeredAt' | 'claims'>
>;
const NO_CHANGES: Changes = {};

/** Custody and reason of blocking end with the state they belong to, unless `changes` carries them over. */
export function step(handoff: Handoff, move: Move, nowMs: number, changes: Changes = NO_CHANGES): Moved {
  const state = nextState(handoff.state, move);
  if (state === undefined) {
    const { id, custody } = handoff;
    const holder = custody === null ? {} : { holder: custody.holder };
    return err({ code: 'move-not-allowed', id, state: handoff.state, move, ...holder });
  }
  const next = copyOf(handoff);
  next.state = state;
  next.since = nowMs;
  next.custody = changes.custody ?? null;
  next.blockedOn = changes.blockedOn ?? null;
  if (changes.offeredAt !== undefined) next.offeredAt = changes.offeredAt;
  if (changes.notBefore !== undefined) next.notBefore = changes.notBefore;
  if (changes.attempt !== undefined) next.attempt = changes.attempt;
  if (changes.excused !== undefined) next.excused = changes.excused;
  if (changes.fence !== undefined) next.fence = changes.fence;
  if (changes.claims !== undefined) next.claims = changes.claims;
  return ok(next);
}

/**
 * To settle a handoff takes the newest acceptance, shown by its fence. Without the fence, an earlier holder could settle
 * what another one holds now. Only custody that never runs out may be settled without a fence: a document that a person
 * holds passes to nobody else by time. The fence of a handoff that is no longer held is lost, whatever its state is.
 */
export function holdsFence(handoff: Handoff, fence: number | null): Result<true, Refusal> {
  const { id, state } = handoff;
  if (fence === null) {
    return state === 'accepted' && runsOut(handoff.custody) ? err({ code: 'fence-needed', id }) : ok(true);
  }
  const held = state === 'accepted' && handoff.custody !== null && fence === handoff.fence;
  return held ? ok(true) : err({ code: 'lease-lost', id, fence, state, newest: handoff.fence });
}

/** A step of the holder, who shows the fence. */
export function heldStep(handoff: Handoff, fence: number | null, move: Move, nowMs: number, changes?: Changes): Moved {
  const held = holdsFence(handoff, fence);
  return held.ok ? step(handoff, move, nowMs, changes) : held;
}

/** The record of a move, unless it holds a value that no store can keep. */
export function storable(moved: Moved): Moved {
  const flaw = moved.ok ? flawOfRecord(moved.value) : null;
  return flaw === null ? moved : refuseValue(flaw);
}

/** By session or by a lease in time: the handoff can pass to another holder while this one still works. */
function runsOut(custody: Custody | null): boolean {
  return custody?.by !== 'hand' || custody.untilAt !== null;
}
