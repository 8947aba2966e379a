/**
 * The audit trail: one fact per revision, each hashed together with the one before it, so that a trail from which
 * something was taken or in which something was changed no longer adds up.
 */
import { digestOf } from '../foundation/digest.ts';
import type { JsonObject } from '../foundation/json.ts';
import type { Handoff } from './handoff.ts';
import type { Move, State } from './lifecycle.ts';
import type { HandoffId } from './names.ts';

/** What happens to a record: the moves of the lifecycle, its creation, and what leaves the state as it is. */
export type Deed = Move | 'create' | 'renew' | 'progress';

export interface Fact {
  readonly handoff: HandoffId;
  readonly revision: number;
  readonly at: number;
  readonly by: string;
  readonly deed: Deed;
  readonly from: State | null;
  readonly to: State;
  readonly attempt: number;
  readonly fence: number;
  /** JSON text, or empty where there is nothing to tell. */
  readonly detail: string;
  readonly hash: string;
}

/** The trail before the first fact. */
export const NO_TRAIL = '';

export interface Witnessed {
  readonly handoff: Handoff;
  readonly fact: Fact;
}

/** Closes a step: counts the revision, makes its fact and moves the head of the chain. */
export function witness(
  before: Handoff | null,
  next: Handoff,
  deed: Deed,
  by: string,
  atMs: number,
  detail: JsonObject | null = null,
): Witnessed {
  const revision = (before?.revision ?? 0) + 1;
  const fact: Mutable<Fact> = {
    handoff: next.id,
    revision,
    at: atMs,
    by,
    deed,
    from: before?.state ?? null,
    to: next.state,
    attempt: next.attempt,
    fence: next.fence,
    detail: detail === null ? '' : JSON.stringify(detail),
    hash: '',
  };
  fact.hash = hashOf(fact, before?.trail ?? NO_TRAIL);
  return { handoff: witnessed(next, revision, fact.hash), fact };
}

/** Written out for the same reason as in `moves/step.ts`. */
function witnessed(handoff: Handoff, revision: number, trail: string): Handoff {
  return {
    id: handoff.id,
    revision,
    state: handoff.state,
    kind: handoff.kind,
    from: handoff.from,
    to: handoff.to,
    priority: handoff.priority,
    title: handoff.title,
    task: handoff.task,
    lineage: handoff.lineage,
    terms: handoff.terms,
    createdAt: handoff.createdAt,
    since: handoff.since,
    offeredAt: handoff.offeredAt,
    notBefore: handoff.notBefore,
    attempt: handoff.attempt,
    excused: handoff.excused,
    fence: handoff.fence,
    custody: handoff.custody,
    blockedOn: handoff.blockedOn,
    claims: handoff.claims,
    trail,
  };
}

type Mutable<Thing> = { -readonly [Key in keyof Thing]: Thing[Key] };

export function hashOf(fact: Omit<Fact, 'hash'>, previous: string): string {
  const { handoff, revision, at, by, deed, from, to, attempt, fence, detail } = fact;
  const [who, more] = [JSON.stringify(by), detail === '' ? '""' : JSON.stringify(detail)];
  const begins = from === null ? 'null' : `"${from}"`;
  // A list as JSON writes it, put together by hand: ids, digests and states hold nothing that would have to be escaped.
  return digestOf(
    `["${previous}","${handoff}",${revision},${at},${who},"${deed}",${begins},"${to}",${attempt},${fence},${more}]`,
  );
}

/** The first revision at which a trail (in order, from revision 1) does not add up; null when it does. */
export function brokenAt(trail: readonly Fact[]): number | null {
  let previous = NO_TRAIL;
  for (const [index, fact] of trail.entries()) {
    if (fact.revision !== index + 1 || fact.hash !== hashOf(fact, previous)) return index + 1;
    previous = fact.hash;
  }
  return null;
}
