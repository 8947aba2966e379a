/** The folders below `handoffs/` through which the file of a handoff moves, in this order. */
export const QUEUE_FOLDERS = ['waiting', 'pending', 'in-progress', 'completed', 'failed'] as const;
export type QueueFolder = (typeof QUEUE_FOLDERS)[number];
/** Those that hold what is open, and so may be listed; the others grow for ever. */
export const OPEN_QUEUE_FOLDERS = ['waiting', 'pending', 'in-progress'] as const satisfies readonly QueueFolder[];
export type OpenQueueFolder = (typeof OPEN_QUEUE_FOLDERS)[number];
