/**
 * Checks that a record and its facts are consistent: that Baton could have written them.
 *
 * An import checks this first, because a record in an impossible state would stay forever.
 */
import { assuranceAfter } from './assurance.ts';
import { kindOf, type FactType } from './fact-types.ts';
import { firstBrokenRevision, type Fact } from './facts.ts';
import type { Handoff } from './handoff.ts';
import { nextState, type Move, type State } from './lifecycle.ts';
import { flawOfSeals } from './seal.ts';

const INITIAL_STATES: readonly State[] = ['draft', 'offered', 'blocked'];
/** The states from which a document continues after a `supersede`. */
export const RESUMABLE_STATES = ['draft', 'offered', 'accepted'] as const satisfies readonly State[];

/** The lifecycle, and beside it the facts that keep the state, that create a handoff or that overrule a document. */
export function isLegalStep(deed: FactType, from: State | null, to: State): boolean {
  if (from === null) return deed === 'create' && INITIAL_STATES.includes(to);
  if (deed === 'supersede') return (RESUMABLE_STATES as readonly State[]).includes(to);
  const within = kindOf(deed)?.within;
  if (within !== undefined) return to === from && within.includes(from);
  return deed !== 'create' && nextState(from, deed as Move) === to;
}

/** What is wrong, in words; null: record and facts are consistent. */
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
  const broken = firstBrokenRevision(facts);
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
