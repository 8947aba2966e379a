/** Rows that both databases read in the same way: effects, policies and schedules. */
import type { JsonText } from '../foundation/json.ts';
import type { DroppedEffect, DueEffect, PolicyRecord, ScheduleRecord } from './store.ts';

type Row = readonly unknown[];

export const EFFECT_COLUMNS = 'key, kind, payload, tries';
export const DROPPED_COLUMNS = `${EFFECT_COLUMNS}, dropped_at, dropped`;
export const POLICY_COLUMNS = 'version, policy, by, at';
export const SCHEDULE_COLUMNS = 'id, next_at, spec, last';

export function readEffect(row: Row): DueEffect {
  const [key, kind, payload, tries] = row as [string, string, JsonText, number];
  return tries === 0 ? { key, kind, payload } : { key, kind, payload, tries };
}

export function readDropped(row: Row): DroppedEffect {
  return { ...readEffect(row), droppedAt: row[4] as number, says: row[5] as string };
}

export function readPolicy(row: Row): PolicyRecord {
  const [version, policy, by, at] = row as [number, JsonText, string, number];
  return { version, policy, by, at };
}

export function readSchedule(row: Row): ScheduleRecord {
  const [id, nextAt, spec, last] = row as [string, number | null, JsonText, JsonText | null];
  return { id, nextAt, spec, last };
}
