/** Times of a calendar, as cron writes them. `croner` knows time zones, and what happens when clocks are changed. */
import { Cron } from 'croner';
import { orNull } from '../../foundation/or-null.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { NextAfter } from '../../domain/schedule.ts';

export const CRON_RULE =
  'five fields: minute (0-59) hour (0-23) day (1-31) month (1-12) day of the week (0-7), for example "0 9 * * 1-5"';
export const ZONE_RULE = 'the name of a time zone, for example Europe/Berlin or UTC';

/** A refusal says which of the two is wrong. */
export function readCron(cron: string, zone: string): Result<NextAfter, 'cron' | 'zone'> {
  if (orNull(() => new Intl.DateTimeFormat('en', { timeZone: zone })) === null) return err('zone');
  const pattern = orNull(() => new Cron(cron, { timezone: zone, mode: '5-part', paused: true }));
  if (pattern === null) return err('cron');
  return ok((afterMs) => pattern.nextRun(new Date(afterMs))?.getTime() ?? null);
}
