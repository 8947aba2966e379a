/**
 * States, fact types and steps as the numbers that both databases store. A stored number never changes its meaning: no
 * number is reused, and the lists only grow at their ends.
 */
import { FACT_TYPE_NAMES, type FactType } from '../domain/fact-types.ts';
import type { BlockedOn } from '../domain/handoff.ts';
import { FINAL_STATES, STATES, type State } from '../domain/lifecycle.ts';

export const BLOCKED_REASONS = [
  'dependency',
  'place',
  'question',
  'artifact',
] as const satisfies readonly BlockedOn['reason'][];

// oxfmt-ignore
const STATE_NUMBERS: Readonly<Record<State, number>> = {
  draft: 0, offered: 1, blocked: 2, accepted: 3, delivered: 4,
  completed: 5, failed: 6, rejected: 7, expired: 8, cancelled: 9,
};

const STATE_BY_NUMBER = new Map(STATES.map((state) => [STATE_NUMBERS[state], state]));

export function stateNumber(state: State): number {
  return STATE_NUMBERS[state];
}

export function stateOfNumber(number: number): State | undefined {
  return STATE_BY_NUMBER.get(number);
}

/** In place of the previous state of a new handoff. */
const NO_STATE = 15;

/** Fact type, previous state and next state as one number, which the CHECK constraints on facts compare. */
export function stepNumber(deed: FactType, from: State | null, to: State): number {
  const fromNumber = from === null ? NO_STATE : stateNumber(from);
  return FACT_TYPE_NAMES.indexOf(deed) * 256 + fromNumber * 16 + stateNumber(to);
}

export function readStep(step: number): { readonly deed: FactType; readonly from: State | null; readonly to: State } {
  return {
    deed: FACT_TYPE_NAMES[step >> 8] as FactType,
    from: stateOfNumber((step >> 4) & 15) ?? null,
    to: stateOfNumber(step & 15) as State,
  };
}

/** The steps of all erasures. */
export const ERASE_STEPS: readonly number[] = FINAL_STATES.map((state) => stepNumber('erase', state, state));
