/** The common part of every move: ask the table, leave the old state behind. */
import { refuse, yes, type Result } from '../../foundation/result.ts';
import type { Custody, Handoff } from '../handoff.ts';
import { after, type Move } from '../lifecycle.ts';
import type { Refusal } from '../refusals.ts';

export type Moved = Result<Handoff, Refusal>;

/** What a move may change besides the state. */
type Changes = Partial<
  Pick<Handoff, 'custody' | 'blockedOn' | 'attempt' | 'excused' | 'fence' | 'notBefore' | 'offeredAt' | 'claims'>
>;
const NO_CHANGES: Changes = {};

/**
 * Custody and reason of blocking end with the state they belong to, unless `changes` carries them over.
 * All are named one by one, because merging two objects is the dearest way of making a third, and every move makes one.
 */
export function step(handoff: Handoff, move: Move, nowMs: number, changes: Changes = NO_CHANGES): Moved {
  const state = after(handoff.state, move);
  if (state === undefined) {
    return refuse({ code: 'move-not-allowed', id: handoff.id, state: handoff.state, move });
  }
  return yes({
    id: handoff.id,
    revision: handoff.revision,
    state,
    kind: handoff.kind,
    from: handoff.from,
    to: handoff.to,
    priority: handoff.priority,
    title: handoff.title,
    task: handoff.task,
    lineage: handoff.lineage,
    terms: handoff.terms,
    createdAt: handoff.createdAt,
    since: nowMs,
    offeredAt: changes.offeredAt ?? handoff.offeredAt,
    notBefore: changes.notBefore ?? handoff.notBefore,
    attempt: changes.attempt ?? handoff.attempt,
    excused: changes.excused ?? handoff.excused,
    fence: changes.fence ?? handoff.fence,
    custody: changes.custody ?? null,
    blockedOn: changes.blockedOn ?? null,
    claims: changes.claims ?? handoff.claims,
    trail: handoff.trail,
  });
}

/**
 * Whoever settles must hold the newest acceptance and shows its fence. Without a fence, an earlier holder could settle
 * what another one holds now. Only custody that never runs out may be settled without one: a document that a person
 * holds passes to nobody else by time. A fence for a handoff that is no longer held is lost, whatever became of it.
 */
export function holdsFence(handoff: Handoff, fence: number | null): Result<true, Refusal> {
  const { id, state } = handoff;
  if (fence === null) {
    return state === 'accepted' && runsOut(handoff.custody) ? refuse({ code: 'fence-needed', id }) : yes(true);
  }
  const held = state === 'accepted' && handoff.custody !== null && fence === handoff.fence;
  return held ? yes(true) : refuse({ code: 'lease-lost', id, fence, state, newest: handoff.fence });
}

/** By session or by a lease in time: the handoff can pass to another holder while this one still works. */
function runsOut(custody: Custody | null): boolean {
  return custody?.by !== 'hand' || custody.untilAt !== null;
}
