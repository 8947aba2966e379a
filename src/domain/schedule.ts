/** Schedules: work that is sent repeatedly, at a fixed interval or by a cron expression. */
import { UNIT_MS } from './duration.ts';
import type { AgentId } from './names.ts';

export const SCHEDULE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const SCHEDULE_NAME_RULE = '1 to 64 letters, digits, ".", "_" or "-", and begins with a letter or digit';

/** When a schedule is due. `zone`: the time zone of the cron expression. */
export type Recurrence =
  | { readonly everyMs: number }
  /** Five cron fields: minute, hour, day, month, day of the week. */
  | { readonly cron: string; readonly zone: string };

/**
 * What happens to occurrences while no process ran: `once` sends one handoff for all of them, `skip` none, `all` one for
 * each.
 */
export const MISSED = ['once', 'skip', 'all'] as const;
export type Missed = (typeof MISSED)[number];

export interface Schedule<Request = unknown> {
  readonly name: string;
  readonly recurrence: Recurrence;
  readonly missed: Missed;
  /** The principal that made it. */
  readonly by: string;
  readonly createdAt: number;
  readonly from: AgentId;
  readonly to: AgentId;
  /** What is sent each time. */
  readonly request: Request;
}

/** The outcome of the newest occurrence. */
export interface LastOccurrence {
  readonly at: number;
  readonly handoff?: string;
  /** Why nothing was sent. */
  readonly refused?: string;
}

/** An older occurrence counts as missed. */
const LATE_MS = 60_000;

/** The next instant of a schedule after this one; null: there is none. */
export type NextAfter = (afterMs: number) => number | null;

export interface DueOccurrence {
  /** The occurrence to send now; null: none. */
  readonly occurrence: number | null;
  /** The next due time. */
  readonly nextAt: number | null;
}

/**
 * Decides which occurrence of a schedule that is due since `dueAt` is sent. Occurrences of the last minute are sent one by
 * one; older ones were missed. Two calls shortly after each other return occurrences of the same series.
 */
export function dueOccurrence(dueAt: number, missed: Missed, nowMs: number, nextAfter: NextAfter): DueOccurrence {
  const lateBefore = nowMs - LATE_MS;
  if (missed === 'all' || dueAt >= lateBefore) return { occurrence: dueAt, nextAt: nextAfter(dueAt) };
  const first = nextAfter(lateBefore - 1);
  const isOnTime = first !== null && first <= nowMs;
  if (isOnTime) return { occurrence: first, nextAt: nextAfter(first) };
  return { occurrence: missed === 'once' ? dueAt : null, nextAt: first };
}

/** Occurrences at a fixed interval since the schedule was made. */
export function everyAfter(everyMs: number, beganAt: number): NextAfter {
  return (afterMs) => beganAt + (Math.max(0, Math.floor((afterMs - beganAt) / everyMs)) + 1) * everyMs;
}

/** Like `every 15m`. */
export function recurrenceText(recurrence: Recurrence): string {
  if ('cron' in recurrence) return `${recurrence.cron} (${recurrence.zone})`;
  const largest = Object.entries(UNIT_MS).findLast(([, ms]) => recurrence.everyMs % ms === 0);
  const [name, size] = largest ?? ['ms', 1];
  return `every ${recurrence.everyMs / size}${name}`;
}
