/** The numbers that this store's statements are written with. */
import { KINDS } from '../../domain/handoff.ts';
import { FINAL_STATES, STATES } from '../../domain/lifecycle.ts';
import { BLOCKED_REASONS, stateNumber } from '../numbers.ts';

export const OFFERED = stateNumber('offered');
export const ACCEPTED = stateNumber('accepted');
export const BLOCKED = stateNumber('blocked');
export const DELIVERED = stateNumber('delivered');
export const COMPLETED = stateNumber('completed');
export const FINAL_NUMBERS: readonly number[] = FINAL_STATES.map(stateNumber);

export const DOCUMENT = KINDS.indexOf('document');
export const FOR_DEPENDENCY = BLOCKED_REASONS.indexOf('dependency');
export const FOR_ANSWER = BLOCKED_REASONS.indexOf('question');
export const FOR_PLACE = BLOCKED_REASONS.indexOf('place');

/**
 * In these a handoff rests: seldom entered, or for good. They have one index together, which costs the others nothing;
 * offered and accepted, through which everything passes, have their own, and completed has none.
 */
export const RESTING_NUMBERS: readonly number[] = STATES.map(stateNumber).filter(
  (number) => ![OFFERED, ACCEPTED, COMPLETED].includes(number),
);
