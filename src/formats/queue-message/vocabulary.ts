/** How the queue says a state: the folder its file lies in, the word inside, and the code where there is only one. */
import type { Handoff } from '../../domain/handoff.ts';
import type { State } from '../../domain/lifecycle.ts';

export type QueueFolderName = 'waiting' | 'pending' | 'in-progress' | 'completed' | 'failed';
type QueueStatus = 'pending' | 'in_progress' | 'completed' | 'failed';

interface Said {
  readonly place: QueueFolderName;
  readonly status: QueueStatus;
  /** Where the outcome has no code of its own. */
  readonly code?: string;
}

/** Total: a new state does not compile until this dialect has decided how to say it. */
export const QUEUE_WORDS: Record<State, Said> = {
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

/** What is on offer but not yet to be had lies where neither a naive worker nor a naive waiter looks. */
export function folderFor({ state, notBefore }: Pick<Handoff, 'state' | 'notBefore'>, nowMs: number): QueueFolderName {
  return state === 'offered' && nowMs < notBefore ? 'waiting' : QUEUE_WORDS[state].place;
}
