/**
 * Whether a record and its facts belong together: only what Baton itself could have written does.
 *
 * An import asks here first, because a record that no move leads to would stay for ever.
 */
import { assuranceAfter } from './assurance.ts';
import { brokenAt, type FactType, type Fact } from './facts.ts';
import type { Handoff } from './handoff.ts';
import { isFinal, nextState, type State } from './lifecycle.ts';
import { flawOfSeals } from './seal.ts';

const BEGINNINGS: readonly State[] = ['draft', 'offered', 'blocked'];
/** From where the shared history of a document goes on after a `supersede`. */
export const RESUMED = ['draft', 'offered', 'accepted'] as const satisfies readonly State[];

/**
 * The lifecycle, with what stands beside it: a beginning, deeds that leave an accepted handoff accepted or a blocked one
 * blocked, what the shared history of a document overrules, and the erasure of what is over.
 */
export function isLegalStep(deed: FactType, from: State | null, to: State): boolean {
  if (from === null) return deed === 'create' && BEGINNINGS.includes(to);
  if (deed === 'create') return false;
  if (deed === 'supersede') return (RESUMED as readonly State[]).includes(to);
  if (deed === 'reblock') return from === 'blocked' && to === from;
  if (deed === 'erase') return isFinal(from) && to === from;
  return deed === 'renew' || deed === 'progress' ? from === 'accepted' && to === from : nextState(from, deed) === to;
}

/** What is wrong, in words; null when all of it adds up. */
export function flawOf(handoff: Handoff, facts: readonly Fact[], body: string): string | null {
  return (
    flawOfTrail(handoff, facts) ??
    flawOfRecord(handoff) ??
    flawOfSeals(handoff, facts, body) ??
    flawOfAssurance(handoff, facts)
  );
}

function flawOfAssurance(handoff: Handoff, facts: readonly Fact[]): string | null {
  const last = facts.at(-1);
  const derived = last === undefined ? null : assuranceAfter(handoff, last);
  if (derived === handoff.assurance) return null;
  return `it is called ${handoff.assurance ?? 'unverified'}, its trail makes it ${derived ?? 'unverified'}`;
}

function flawOfTrail(handoff: Handoff, facts: readonly Fact[]): string | null {
  const last = facts.at(-1);
  if (last === undefined) return 'it has no facts';
  if (facts.some((fact) => fact.handoff !== handoff.id)) return 'a fact is about another handoff';
  if (facts.length !== handoff.revision) return `it has ${facts.length} facts at revision ${handoff.revision}`;
  const broken = brokenAt(facts);
  if (broken !== null) return `its trail does not add up at revision ${broken}`;
  let state: State | null = null;
  for (const { deed, from, to, revision } of facts) {
    if (from !== state || !isLegalStep(deed, from, to)) {
      return `revision ${revision} says ${deed} from ${from ?? 'nothing'} to ${to}, after ${state ?? 'nothing'}`;
    }
    state = to;
  }
  if (last.hash !== handoff.trail) return 'its trail ends elsewhere than the record says';
  if (last.to !== handoff.state) return `it is ${handoff.state}, its last fact says ${last.to}`;
  const counts = last.attempt === handoff.attempt && last.fence === handoff.fence;
  return counts ? null : 'its last fact counts other attempts than the record';
}

function flawOfRecord({ state, custody, blockedOn, attempt, excused }: Handoff): string | null {
  if ((blockedOn !== null) !== (state === 'blocked')) return `it is ${state} and blocked by ${blockedOn?.reason}`;
  if (state === 'accepted' && custody === null) return 'it is accepted and nobody has it';
  const mayRemember = state === 'delivered' && custody?.by === 'hand';
  if (state !== 'accepted' && custody !== null && !mayRemember) return `it is ${state} and @${custody.holder} has it`;
  return excused > attempt ? `${excused} of its ${attempt} attempts are excused` : null;
}
