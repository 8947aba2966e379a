import { instantText } from '../../foundation/instant-text.ts';
import type { Missed } from '../../domain/schedule.ts';
import { recurrenceText } from '../../domain/schedule.ts';
import type { KnownSchedule } from '../../engine/schedules.ts';

/** A schedule as others see it; what it sends each time is in `request` of its maker, and in the handoffs. */
export interface ScheduleView {
  readonly name: string;
  /** Like `every 15m` or `0 9 * * 1-5 (Europe/Berlin)`. */
  readonly when: string;
  readonly missed: Missed;
  readonly from: string;
  readonly to: string;
  readonly title: string | null;
  /** In whose name it was made. */
  readonly by: string;
  readonly createdAt: string;
  /** Null: it is not due any more. */
  readonly next: string | null;
  /** What became of the newest occurrence; null: there was none yet. */
  readonly last: { readonly at: string; readonly handoff?: string; readonly refused?: string } | null;
}

export function scheduleView(schedule: KnownSchedule): ScheduleView {
  const { name, recurrence, missed, from, to, by, createdAt, nextAt, last, request } = schedule;
  return {
    name,
    when: recurrenceText(recurrence),
    missed,
    from: `@${from}`,
    to: `@${to}`,
    title: request.title ?? null,
    by,
    createdAt: instantText(createdAt),
    next: nextAt === null ? null : instantText(nextAt),
    last: last === null ? null : { ...last, at: instantText(last.at) },
  };
}
