/** The entries of an inbox: notifications, and work that waits for the agent. */
import type { JsonObject } from '../../foundation/json.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Results } from '../../operations/operation.ts';
import { waitingText } from './waiting-text.ts';

/** The key serves only to clear single entries. */
export function withoutKey({ key, ...rest }: Results['inbox']['entries'][number]): JsonObject {
  void key;
  return rest;
}

/** Work in the form of a notification. It leaves the inbox when the work is done. */
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
