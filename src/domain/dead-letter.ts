/** The effect that makes a dead letter for the agent that the sender named in `onFailed`. */
import type { JsonText } from '../foundation/json.ts';
import { FAILURE_STATES } from './attention.ts';
import type { Effect } from './decision.ts';
import type { Fact } from './facts.ts';
import type { Handoff } from './handoff.ts';

export const DEAD_LETTER = 'dead-letter';

/** Null: no dead letter is due. */
export function deadLetterEffect({ id, terms }: Handoff, { from, to, revision }: Fact): Effect | null {
  if (terms.onFailed === undefined || from === to || !FAILURE_STATES.includes(to)) return null;
  return { key: `${id}:${revision}:${DEAD_LETTER}`, kind: DEAD_LETTER, payload: JSON.stringify({ id }) as JsonText };
}
