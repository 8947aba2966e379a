/** Schedules, as a part of the contract with a database (`store.ts`). */
import type { JsonText } from '../foundation/json.ts';

export interface ScheduleRecord {
  /** The name that its owner gave it. */
  readonly id: string;
  /** When it is due next; null: never again. */
  readonly nextAt: number | null;
  /** What is sent and when. Never changes. */
  readonly spec: JsonText;
  /** The result of the newest occurrence. Null: there was none yet. */
  readonly last: JsonText | null;
}

export interface Schedules {
  /** False: the name is taken; nothing was written. */
  add(schedule: ScheduleRecord): Promise<boolean>;
  load(id: string): Promise<ScheduleRecord | null>;
  /** Schedules after the name `after`, by name. */
  list(max: number, after?: string): Promise<readonly ScheduleRecord[]>;
  /** Schedules whose next occurrence is due by the store's clock, oldest first. */
  due(max: number): Promise<readonly ScheduleRecord[]>;
  /** Moves the schedule that was read to its next occurrence. False: another process moved it, or it was removed. */
  advance(read: ScheduleRecord, next: Pick<ScheduleRecord, 'nextAt' | 'last'>): Promise<boolean>;
  /** False: there was none. */
  remove(id: string): Promise<boolean>;
}
