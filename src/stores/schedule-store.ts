/** Schedules, as a part of the contract with a database (`store.ts`). */
import type { JsonText } from '../foundation/json.ts';

export interface ScheduleRecord {
  /** The name that its owner gave it. */
  readonly id: string;
  /** When it is due next; null: never again. */
  readonly nextAt: number | null;
  /** What is sent and when; it never changes. */
  readonly spec: JsonText;
  /** What became of the newest occurrence; null: there was none yet. */
  readonly last: JsonText | null;
}

export interface Schedules {
  /** False: there is one of this name, and nothing was written. */
  add(schedule: ScheduleRecord): Promise<boolean>;
  load(id: string): Promise<ScheduleRecord | null>;
  /** By name; those after `after`. */
  list(max: number, after?: string): Promise<readonly ScheduleRecord[]>;
  /** Those whose next occurrence has come by the store's clock, oldest first. */
  due(max: number): Promise<readonly ScheduleRecord[]>;
  /** Moves the schedule that was read to its next occurrence. False: another process has, or it is gone. */
  advance(read: ScheduleRecord, next: Pick<ScheduleRecord, 'nextAt' | 'last'>): Promise<boolean>;
  /** False: there was none. */
  remove(id: string): Promise<boolean>;
}
