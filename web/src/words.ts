/** What the states are called and in which order they stand. */
import type { HandoffView } from './api.ts';

export type State = HandoffView['state'];

export interface Column {
  readonly name: string;
  readonly states: readonly State[];
  readonly teaches: string;
}

export const COLUMNS: readonly Column[] = [
  { name: 'Drafts', states: ['draft'], teaches: 'Documents begin here, and wait until their sender activates them.' },
  { name: 'Offered', states: ['offered'], teaches: 'Work that waits for its recipient to take it.' },
  { name: 'Blocked', states: ['blocked'], teaches: 'Waiting for another handoff, for a place, or for an answer.' },
  { name: 'Accepted', states: ['accepted'], teaches: 'Somebody is at work.' },
  { name: 'Delivered', states: ['delivered'], teaches: 'Done, says the doer; somebody else has to agree.' },
  { name: 'Completed', states: ['completed'], teaches: 'Done; each card says how far that is proven.' },
  {
    name: 'Ended otherwise',
    states: ['failed', 'rejected', 'expired', 'cancelled'],
    teaches: 'Failed, rejected, expired or cancelled.',
  },
];

/** Colour is never the only sign: every state has its mark. */
export const MARKS: Readonly<Record<State, string>> = {
  draft: '✎',
  offered: '○',
  blocked: '‖',
  accepted: '▶',
  delivered: '◐',
  completed: '●',
  failed: '✕',
  rejected: '⊘',
  expired: '⌛',
  cancelled: '–',
};

/** Only what is verified is ticked off. */
export function markOf({ state, assurance }: Pick<HandoffView, 'state' | 'assurance'>): string {
  return assurance === 'verified' ? '✓' : MARKS[state];
}

/** The class that colors it: what is completed and not verified is not green. */
export function stateClass({ state, assurance }: Pick<HandoffView, 'state' | 'assurance'>): string {
  return assurance === undefined || assurance === 'verified' ? `state-${state}` : `state-${state} not-verified`;
}
