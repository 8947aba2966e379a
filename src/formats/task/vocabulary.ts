/** The status and owner of a task for each state of its handoff. */
import type { State } from '../../domain/lifecycle.ts';

export const TASK_STATUSES = ['Open', 'Assigned', 'In-Progress', 'Review', 'Blocked', 'Complete'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export interface TaskFields {
  readonly status: TaskStatus;
  readonly owner: 'sender' | 'recipient';
}

const GIVEN_BACK: TaskFields = { status: 'Assigned', owner: 'sender' };
const GIVEN: TaskFields = { status: 'Assigned', owner: 'recipient' };

/** Null: the task stays as it is, because nobody knows of a draft yet. */
export const TASK_FIELDS_FOR: Record<State, TaskFields | null> = {
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

/** For a handoff that was rejected for a missing skill: the sender first has to find an agent that has it. */
export const WANTS_SKILL: TaskFields = { status: 'Blocked', owner: 'sender' };
