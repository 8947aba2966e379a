/** How the queue represents a state: folder, status, and failure code if the state has only one. */
import type { Handoff } from '../../domain/handoff.ts';
import type { State } from '../../domain/lifecycle.ts';

export type QueueFolderName = 'waiting' | 'pending' | 'in-progress' | 'completed' | 'failed';
type QueueStatus = 'pending' | 'in_progress' | 'completed' | 'failed';

interface QueueWord {
  readonly place: QueueFolderName;
  readonly status: QueueStatus;
  /** The code if the outcome has none. */
  readonly code?: string;
}

/** Total: a new state does not compile until it is added here. */
export const QUEUE_WORDS: Record<State, QueueWord> = {
  draft: { place: 'waiting', status: 'pending' },
  offered: { place: 'pending', status: 'pending' },
  blocked: { place: 'waiting', status: 'pending' },
  accepted: { place: 'in-progress', status: 'in_progress' },
  delivered: { place: 'in-progress', status: 'in_progress' },
  completed: { place: 'completed', status: 'completed' },
  failed: { place: 'failed', status: 'failed', code: 'PROCESSING_ERROR' },
  rejected: { place: 'failed', status: 'failed', code: 'REJECTED' },
  expired: { place: 'failed', status: 'failed', code: 'TIMEOUT' },
  cancelled: { place: 'failed', status: 'failed', code: 'CANCELLED' },
};

/** An offered handoff that cannot be accepted yet stays in waiting/, where foreign programs do not look. */
export function folderFor({ state, notBefore }: Pick<Handoff, 'state' | 'notBefore'>, nowMs: number): QueueFolderName {
  return state === 'offered' && nowMs < notBefore ? 'waiting' : QUEUE_WORDS[state].place;
}
