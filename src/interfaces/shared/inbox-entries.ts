/** What an inbox shows in one list: what its agent was told, and the work that waits for it. */
import type { JsonObject } from '../../foundation/json.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Results } from '../../operations/operation.ts';
import { waitingText } from './waiting-text.ts';

/** The key is for those who put entries away one by one. */
export function withoutKey({ key, ...rest }: Results['inbox']['entries'][number]): JsonObject {
  void key;
  return rest;
}

/** In the form of what is told; nobody puts it away, because it goes with the work. */
export function waitingEntry(handoff: Handoff): JsonObject {
  const { id, state, from, to, title, task, since, revision } = handoff;
  const reason = waitingText(handoff);
  return {
    event: 'waiting',
    handoff: id,
    revision,
    state,
    from: `@${from}`,
    to: `@${to}`,
    title,
    task,
    at: new Date(since).toISOString(),
    detail: { reason: reason === null ? state : `${state}: ${reason}` },
  };
}
