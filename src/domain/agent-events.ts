/** What an agent's hooks tell, in the same words for all agents, and what follows from it about the agent now. */

export type AgentEvent = {
  readonly at: number;
  readonly conversation: string | null;
  /** The file in which the agent keeps the conversation, where it said so. */
  readonly transcript?: string;
} & (
  | { readonly kind: 'started'; readonly source: string }
  /** The agent took a line as its user's. `turn` need not be the turn in which the line is answered. */
  | { readonly kind: 'prompt'; readonly turn: string | null; readonly text: string }
  | { readonly kind: 'turn-ended'; readonly turn: string | null; readonly background: boolean }
  | { readonly kind: 'turn-failed'; readonly turn: string | null; readonly error: string; readonly says: string }
  /** The agent asks its user something: a key that is pressed now answers that question. */
  | { readonly kind: 'dialog'; readonly says: string }
  | { readonly kind: 'compacting' }
  | { readonly kind: 'ended'; readonly reason: string }
);

/** The place of the newest prompt that holds the mark; null: there is none. */
export function promptWith(events: readonly AgentEvent[], mark: string): number | null {
  const at = events.findLastIndex((event) => event.kind === 'prompt' && event.text.includes(mark));
  return at < 0 ? null : at;
}

/** Whether the newest event of the agent's hooks is a question to its user. */
export function hasDialog(events: readonly AgentEvent[]): boolean {
  const last = events.findLast(({ kind }) => kind !== 'compacting');
  return last?.kind === 'dialog';
}

/** What the end of a turn was, after this place; null: no turn has ended since. */
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

/** The newest conversation id that the agent reported: a cleared session goes on under another id. */
export function conversationIn(events: readonly AgentEvent[]): string | null {
  return events.findLast(({ conversation }) => conversation !== null)?.conversation ?? null;
}

export function transcriptIn(events: readonly AgentEvent[]): string | null {
  return events.findLast(({ transcript }) => transcript !== undefined)?.transcript ?? null;
}
