/**
 * States, fact types and steps as the numbers that both databases store. A stored number never changes its meaning: no
 * number is reused, and the lists only grow at their ends.
 */
import type { FactType } from '../domain/facts.ts';
import type { BlockedOn } from '../domain/handoff.ts';
import { FINAL_STATES, STATES, type State } from '../domain/lifecycle.ts';

const DEEDS = [
  'create',
  'renew',
  'progress',
  'offer',
  'expire',
  'cancel',
  'accept',
  'reject',
  'block',
  'fail',
  'unblock',
  'deliver',
  'retry',
  'release',
  'verify',
  'rework',
  'reoffer',
  'supersede',
  'complete',
  'reblock',
  'revise',
  'erase',
] as const satisfies readonly FactType[];

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

/** Where there was nothing before. */
const NOTHING = 15;

/** What happened, from where and to where, as one number: that is what the checks on facts are about. */
export function stepNumber(deed: FactType, from: State | null, to: State): number {
  const fromNumber = from === null ? NOTHING : stateNumber(from);
  return DEEDS.indexOf(deed) * 256 + fromNumber * 16 + stateNumber(to);
}

export function readStep(step: number): { readonly deed: FactType; readonly from: State | null; readonly to: State } {
  return {
    deed: DEEDS[step >> 8] as FactType,
    from: stateOfNumber((step >> 4) & 15) ?? null,
    to: stateOfNumber(step & 15) as State,
  };
}

/** Every step that erases. */
export const ERASE_STEPS: readonly number[] = FINAL_STATES.map((state) => stepNumber('erase', state, state));
