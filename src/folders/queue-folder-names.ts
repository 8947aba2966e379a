/** The folders below `handoffs/` through which the file of a handoff moves, in this order. */
export const QUEUE_FOLDERS = ['waiting', 'pending', 'in-progress', 'completed', 'failed'] as const;
export type QueueFolder = (typeof QUEUE_FOLDERS)[number];
/** The folders with open work. Only these are listed, because the others grow forever. */
export const OPEN_QUEUE_FOLDERS = ['waiting', 'pending', 'in-progress'] as const satisfies readonly QueueFolder[];
export type OpenQueueFolder = (typeof OPEN_QUEUE_FOLDERS)[number];

export function isFinished(place: QueueFolder): boolean {
  return place === 'completed' || place === 'failed';
}
