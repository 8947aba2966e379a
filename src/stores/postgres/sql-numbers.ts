/** Stored numbers that appear in SQL statements. */
import { KINDS } from '../../domain/handoff.ts';
import { FINAL_STATES } from '../../domain/lifecycle.ts';
import { BLOCKED_REASONS, stateNumber } from '../stored-numbers.ts';

export const OFFERED = stateNumber('offered');
export const ACCEPTED = stateNumber('accepted');
export const BLOCKED = stateNumber('blocked');
export const COMPLETED = stateNumber('completed');
export const FINAL_NUMBERS: readonly number[] = FINAL_STATES.map(stateNumber);

export const DOCUMENT = KINDS.indexOf('document');
export const FOR_DEPENDENCY = BLOCKED_REASONS.indexOf('dependency');
export const FOR_ANSWER = BLOCKED_REASONS.indexOf('question');
export const FOR_PLACE = BLOCKED_REASONS.indexOf('place');
