/**
 * The order of claims: the smallest rank first.
 *
 * A priority is a head start in time, so waiting handoffs move up without updates, and no handoff waits longer than the
 * largest head start behind one that is offered now.
 */
export const HEAD_START_MS = {
  urgent: 2 * 60 * 60_000,
  high: 30 * 60_000,
  normal: 10 * 60_000,
  low: 0,
} as const satisfies Record<string, number>;

export type Priority = keyof typeof HEAD_START_MS;

/** The index in this list is the number of the priority in both databases. */
export const PRIORITIES = Object.keys(HEAD_START_MS) as readonly Priority[];

export function rankOf(offeredAt: number, priority: Priority): number {
  return offeredAt - HEAD_START_MS[priority];
}
