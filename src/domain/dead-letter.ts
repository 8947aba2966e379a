/** The effect that sends a handoff which ended without completion to the agent that its sender named for that. */
import type { JsonText } from '../foundation/json.ts';
import { ENDED_BADLY } from './attention.ts';
import type { Effect } from './decision.ts';
import type { Fact } from './facts.ts';
import type { Handoff } from './handoff.ts';

export const DEAD_LETTER = 'dead-letter';

/** Null for nearly every handoff: it names nobody. */
export function deadLetterEffect({ id, terms }: Handoff, { from, to, revision }: Fact): Effect | null {
  if (terms.onFailed === undefined || from === to || !ENDED_BADLY.includes(to)) return null;
  return { key: `${id}:${revision}:${DEAD_LETTER}`, kind: DEAD_LETTER, payload: JSON.stringify({ id }) as JsonText };
}
