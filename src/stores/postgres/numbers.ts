/** States, deeds and the steps between them as the numbers under which the database knows them. */
import type { Deed } from '../../domain/facts.ts';
import { KINDS, type BlockedOn } from '../../domain/handoff.ts';
import { FINAL_STATES, MOVES, STATES, type State } from '../../domain/lifecycle.ts';
import { isLegalStep } from '../sound.ts';

/** A deed's place in this list is its number in the database, so the list only grows at its end. */
const DEEDS: readonly Deed[] = ['create', 'renew', 'progress', ...MOVES];

export function stateNumber(state: State): number {
  return STATES.indexOf(state);
}

export const OFFERED = stateNumber('offered');
export const ACCEPTED = stateNumber('accepted');
export const BLOCKED = stateNumber('blocked');
export const DELIVERED = stateNumber('delivered');
export const COMPLETED = stateNumber('completed');
export const FINAL_NUMBERS: readonly number[] = FINAL_STATES.map(stateNumber);

export const DOCUMENT = KINDS.indexOf('document');
/** In this order, which only grows. */
export const REASONS = ['dependency', 'place', 'question'] as const satisfies readonly BlockedOn['reason'][];
export const FOR_DEPENDENCY = REASONS.indexOf('dependency');
export const FOR_PLACE = REASONS.indexOf('place');

/**
 * In these a handoff rests: seldom entered, or for good. They have one index together, which costs the others nothing;
 * offered and accepted, through which everything passes, have their own, and completed has none.
 */
export const RESTING_NUMBERS: readonly number[] = STATES.map(stateNumber).filter(
  (number) => ![OFFERED, ACCEPTED, COMPLETED].includes(number),
);

/** What happened, from where and to where, as one number: that is what the check on facts is about. */
export function stepNumber(deed: Deed, from: State | null, to: State): number {
  const fromNumber = from === null ? 15 : stateNumber(from);
  return DEEDS.indexOf(deed) * 256 + fromNumber * 16 + stateNumber(to);
}

export function readStep(step: number): { readonly deed: Deed; readonly from: State | null; readonly to: State } {
  return {
    deed: DEEDS[step >> 8] as Deed,
    from: STATES[(step >> 4) & 15] ?? null,
    to: STATES[step & 15] as State,
  };
}

/** Every step that the lifecycle knows. */
export function legalSteps(): readonly number[] {
  return DEEDS.flatMap((deed) =>
    [null, ...STATES].flatMap((from) =>
      STATES.filter((to) => isLegalStep(deed, from, to)).map((to) => stepNumber(deed, from, to)),
    ),
  );
}
