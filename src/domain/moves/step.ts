/** The common part of every move: checks the lifecycle and enters the next state. */
import { err, ok, type Result } from '../../foundation/result.ts';
import { copyOf, type Custody, type Handoff } from '../handoff.ts';
import { nextState, type Move } from '../lifecycle.ts';
import { flawOfRecord, refuseValue } from '../record-values.ts';
import type { Refusal } from '../refusals.ts';

export type Moved = Result<Handoff, Refusal>;

/** What a move may change besides the state. */
type Changes = Partial<Omit<Handoff, 'id' | 'revision' | 'state' | 'since' | 'trail'>>;

/** Custody and block reason end with their state, unless `changes` sets them. */
export function step(handoff: Handoff, move: Move, nowMs: number, changes: Changes = {}): Moved {
  const state = nextState(handoff.state, move);
  if (state === undefined) {
    const { id, custody } = handoff;
    const holder = custody === null ? {} : { holder: custody.holder };
    return err({ code: 'move-not-allowed', id, state: handoff.state, move, ...holder });
  }
  return ok(Object.assign(copyOf(handoff), { state, since: nowMs, custody: null, blockedOn: null }, changes));
}

/**
 * Settling a handoff needs the fence of the newest acceptance: otherwise an earlier holder could settle what another one
 * holds now. Only custody that never expires needs no fence: a document that a person holds cannot pass to another holder
 * by time. If the handoff is no longer held, the fence is lost, whatever the state.
 */
export function holdsFence(handoff: Handoff, fence: number | null): Result<true, Refusal> {
  const { id, state } = handoff;
  if (fence === null) {
    return state === 'accepted' && runsOut(handoff.custody) ? err({ code: 'fence-needed', id }) : ok(true);
  }
  const held = state === 'accepted' && handoff.custody !== null && fence === handoff.fence;
  return held ? ok(true) : err({ code: 'lease-lost', id, fence, state, newest: handoff.fence });
}

/** A move of the holder, checked by its fence. */
export function heldStep(handoff: Handoff, fence: number | null, move: Move, nowMs: number, changes?: Changes): Moved {
  const held = holdsFence(handoff, fence);
  return held.ok ? step(handoff, move, nowMs, changes) : held;
}

/** Refuses a record with a value that a store cannot keep. */
export function storable(moved: Moved): Moved {
  const flaw = moved.ok ? flawOfRecord(moved.value) : null;
  return flaw === null ? moved : refuseValue(flaw);
}

/** Whether the handoff can pass to another holder while this one still works. */
function runsOut(custody: Custody | null): boolean {
  return custody?.by !== 'hand' || custody.untilAt !== null;
}
