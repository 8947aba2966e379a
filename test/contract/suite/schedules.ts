/** Schedules are kept, found when they are due, and moved on by one of those who try. */
import { describe, expect, it } from 'vitest';
import type { JsonText } from '../../../src/foundation/json.ts';
import type { ScheduleRecord } from '../../../src/stores/store.ts';
import { FAR_AHEAD, LONG_AGO } from '../builders.ts';
import type { OpenStore } from '../store-under-test.ts';

function schedule(id: string, nextAt: number | null, spec = '{}'): ScheduleRecord {
  return { id, nextAt, spec: spec as JsonText, last: null };
}

export function describeSchedules(open: OpenStore): void {
  describe('schedules', () => {
    it('are kept under their names, once', async () => {
      const { store, reopen } = await open();
      const { schedules } = store;
      expect(await schedules.add(schedule('b', FAR_AHEAD, '{"x":1}'))).toBe(true);
      expect(await schedules.add(schedule('a', null))).toBe(true);
      expect(await schedules.add(schedule('b', null))).toBe(false);
      expect(await schedules.load('b')).toEqual(schedule('b', FAR_AHEAD, '{"x":1}'));
      expect(await schedules.load('c')).toBeNull();
      const elsewhere = reopen === null ? schedules : (await reopen()).schedules;
      expect((await elsewhere.list(10)).map(({ id }) => id)).toEqual(['a', 'b']);
      expect((await elsewhere.list(10, 'a')).map(({ id }) => id)).toEqual(['b']);
      expect((await elsewhere.list(1)).map(({ id }) => id)).toEqual(['a']);
      expect(await schedules.remove('a')).toBe(true);
      expect(await schedules.remove('a')).toBe(false);
      expect((await elsewhere.list(10)).map(({ id }) => id)).toEqual(['b']);
    });

    it('are due when their time has come, oldest first', async () => {
      const { schedules } = (await open()).store;
      await schedules.add(schedule('later', FAR_AHEAD));
      await schedules.add(schedule('never', null));
      await schedules.add(schedule('second', LONG_AGO + 1));
      await schedules.add(schedule('first', LONG_AGO));
      expect((await schedules.due(10)).map(({ id }) => id)).toEqual(['first', 'second']);
      expect((await schedules.due(1)).map(({ id }) => id)).toEqual(['first']);
    });

    it('are moved on by one of those who read the same', async () => {
      const { store, reopen } = await open();
      const other = reopen === null ? store : await reopen();
      await store.schedules.add(schedule('a', LONG_AGO));
      const read = await Promise.all([store.schedules.due(1), other.schedules.due(1)]);
      const next = { nextAt: FAR_AHEAD, last: '{"at":1}' as JsonText };
      const [mine, theirs] = read.map(([each]) => each as ScheduleRecord);
      expect(await store.schedules.advance(mine as ScheduleRecord, next)).toBe(true);
      expect(await other.schedules.advance(theirs as ScheduleRecord, next)).toBe(false);
      expect(await other.schedules.load('a')).toEqual({ ...schedule('a', FAR_AHEAD), last: next.last });
      // Another one of the same name, made in between, is not moved by whoever has read the old one.
      await store.schedules.remove('a');
      await store.schedules.add(schedule('a', LONG_AGO, '{"other":true}'));
      expect(await other.schedules.advance(mine as ScheduleRecord, next)).toBe(false);
    });
  });
}
