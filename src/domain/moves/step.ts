/** The common part of every move: ask the table, leave the old state behind. */
import { refuse, yes, type Result } from '../../foundation/result.ts';
import type { Handoff } from '../handoff.ts';
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
 * Whoever settles must hold the newest acceptance. By hand the number may be left out, but a wrong one is still wrong;
 * and who shows a number for what is no longer held has lost it, whatever became of it since.
 */
export function holdsFence(handoff: Handoff, fence: number | null): Result<true, Refusal> {
  const { custody, state } = handoff;
  const held =
    state === 'accepted'
      ? custody !== null && (fence === null ? custody.by === 'hand' : fence === handoff.fence)
      : fence === null;
  return held ? yes(true) : refuse({ code: 'lease-lost', id: handoff.id, fence, state, newest: handoff.fence });
}
