/** Events from the hooks of an agent, in one form for all vendors, and what they say about its present state. */

export type AgentEvent = {
  readonly at: number;
  readonly conversation: string | null;
  /** The file in which the agent keeps the conversation, if the hook named it. */
  readonly transcript?: string;
} & (
  | { readonly kind: 'started'; readonly source: string }
  /** The agent accepted a line as input of its user. `turn` need not be the turn that answers it. */
  | { readonly kind: 'prompt'; readonly turn: string | null; readonly text: string }
  | { readonly kind: 'turn-ended'; readonly turn: string | null; readonly background: boolean }
  | { readonly kind: 'turn-failed'; readonly turn: string | null; readonly error: string; readonly says: string }
  /** The agent asks its user something: a key that is pressed now answers that question. */
  | { readonly kind: 'dialog'; readonly says: string }
  | { readonly kind: 'compacting' }
  | { readonly kind: 'ended'; readonly reason: string }
);

/** The index of the newest prompt that contains the mark; null: there is none. */
export function promptWith(events: readonly AgentEvent[], mark: string): number | null {
  const at = events.findLastIndex((event) => event.kind === 'prompt' && event.text.includes(mark));
  return at < 0 ? null : at;
}

/** Whether the newest event of the agent's hooks is a question to its user. */
export function hasDialog(events: readonly AgentEvent[]): boolean {
  const last = events.findLast(({ kind }) => kind !== 'compacting');
  return last?.kind === 'dialog';
}

/** The last end of a turn after this index; null: no turn has ended since. */
export function turnEndAfter(
  events: readonly AgentEvent[],
  place: number,
): Extract<AgentEvent, { readonly kind: 'turn-ended' | 'turn-failed' }> | null {
  const later = events.slice(place + 1);
  return later.findLast((event) => event.kind === 'turn-ended' || event.kind === 'turn-failed') ?? null;
}

export function hasStarted(events: readonly AgentEvent[]): boolean {
  return events.some(({ kind }) => kind === 'started' || kind === 'prompt');
}

/** The newest conversation id that the agent reported: a cleared session continues under another id. */
export function conversationIn(events: readonly AgentEvent[]): string | null {
  return events.findLast(({ conversation }) => conversation !== null)?.conversation ?? null;
}

export function transcriptIn(events: readonly AgentEvent[]): string | null {
  return events.findLast(({ transcript }) => transcript !== undefined)?.transcript ?? null;
}
