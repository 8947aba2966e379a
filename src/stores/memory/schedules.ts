import type { Clock } from '../../foundation/clock.ts';
import type { ScheduleRecord, Schedules } from '../schedule-store.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { Tables } from './tables.ts';

export function openSchedules({ schedules }: Tables, clock: Clock): Schedules {
  const byName = (): readonly ScheduleRecord[] => [...schedules.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return {
    async add(schedule) {
      if (schedules.has(schedule.id)) return false;
      schedules.set(schedule.id, frozenCopy(schedule));
      return true;
    },
    load: async (id) => schedules.get(id) ?? null,
    async list(max, after = '') {
      return byName()
        .filter(({ id }) => id > after)
        .slice(0, max);
    },
    async due(max) {
      const dueAt = ({ nextAt }: ScheduleRecord): number => nextAt ?? Infinity;
      return byName()
        .filter((each) => dueAt(each) <= clock.nowMs())
        .toSorted((a, b) => dueAt(a) - dueAt(b))
        .slice(0, max);
    },
    async advance(read, next) {
      const known = schedules.get(read.id);
      if (known === undefined || known.nextAt !== read.nextAt || known.spec !== read.spec) return false;
      schedules.set(read.id, frozenCopy({ ...known, ...next }));
      return true;
    },
    remove: async (id) => schedules.delete(id),
  };
}
