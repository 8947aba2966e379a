/**
 * States, deeds and the steps between them as the numbers under which both databases know them. Written out, because a
 * number that has been stored means the same for ever: these lists only grow, at their ends.
 */
import type { Deed } from '../domain/facts.ts';
import type { BlockedOn } from '../domain/handoff.ts';
import { STATES, type State } from '../domain/lifecycle.ts';
import { isLegalStep } from '../domain/trail.ts';

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
] as const satisfies readonly Deed[];

export const BLOCKED_REASONS = [
  'dependency',
  'place',
  'question',
  'artifact',
] as const satisfies readonly BlockedOn['reason'][];

export function stateNumber(state: State): number {
  return STATES.indexOf(state);
}

/** Where there was nothing before. */
const NOTHING = 15;

/** What happened, from where and to where, as one number: that is what the checks on facts are about. */
export function stepNumber(deed: Deed, from: State | null, to: State): number {
  const fromNumber = from === null ? NOTHING : stateNumber(from);
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
