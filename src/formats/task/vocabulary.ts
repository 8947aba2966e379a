/** How a task says what has become of the handoff it was given with. */
import type { State } from '../../domain/lifecycle.ts';

export const TASK_STATUSES = ['Open', 'Assigned', 'In-Progress', 'Review', 'Blocked', 'Complete'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Whose it is then. */
export interface TaskStanding {
  readonly status: TaskStatus;
  readonly owner: 'sender' | 'recipient';
}

const GIVEN_BACK: TaskStanding = { status: 'Assigned', owner: 'sender' };
const GIVEN: TaskStanding = { status: 'Assigned', owner: 'recipient' };

/** Null leaves the task as it is: nobody has been told of a draft yet. */
export const STANDING_FOR: Record<State, TaskStanding | null> = {
  draft: null,
  offered: GIVEN,
  blocked: GIVEN,
  accepted: { status: 'In-Progress', owner: 'recipient' },
  delivered: { status: 'Review', owner: 'recipient' },
  completed: { status: 'Complete', owner: 'recipient' },
  failed: GIVEN_BACK,
  rejected: GIVEN_BACK,
  expired: GIVEN_BACK,
  cancelled: GIVEN_BACK,
};

/** The sender has it again and cannot simply hand it on: somebody has to learn or to be found first. */
export const WANTS_SKILL: TaskStanding = { status: 'Blocked', owner: 'sender' };
