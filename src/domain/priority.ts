/**
 * Who is served first: the smaller rank.
 *
 * A priority is worth a head start in time, so age lifts the rest by itself: nothing has to be updated while it waits,
 * and the least urgent handoff is at most the largest head start behind one that is offered now.
 */
export const HEAD_START_MS = {
  urgent: 2 * 60 * 60_000,
  high: 30 * 60_000,
  normal: 10 * 60_000,
  low: 0,
} as const satisfies Record<string, number>;

export type Priority = keyof typeof HEAD_START_MS;

/** A priority's place in this list is its number in both databases. */
export const PRIORITIES = Object.keys(HEAD_START_MS) as readonly Priority[];

export function rankOf(offeredAt: number, priority: Priority): number {
  return offeredAt - HEAD_START_MS[priority];
}
