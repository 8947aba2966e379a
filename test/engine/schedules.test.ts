/** What is scheduled is sent: each occurrence once, whoever sends it and however often that is interrupted. */
import { describe, expect, it } from 'vitest';
import { agentPrincipal, OPERATOR } from '../../src/domain/principal.ts';
import { everyAfter, dueOccurrence, type Missed } from '../../src/domain/schedule.ts';
import type { Context } from '../../src/engine/context.ts';
import { examineSchedules } from '../../src/engine/health-checks.ts';
import { addSchedule, removeSchedule, schedulesFor, sweepSchedules } from '../../src/engine/schedules.ts';
import { readCron } from '../../src/formats/schedule/cron.ts';
import { OPERATIONS } from '../../src/operations/index.ts';
import { DEV, engineWorld, made, ME, STORES, type EngineWorld } from './engine-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const me = agentPrincipal(ME);

async function add(world: EngineWorld, more: object = {}): Promise<void> {
  const asked = { name: 'hourly', everyMs: HOUR, from: ME, to: DEV, text: 'check the links', ...more } as never;
  made(await OPERATIONS.addSchedule.run(world.ctx, me, asked, {}));
}

/** The instants of what was sent, oldest first, as the trail has them. */
async function occurrences({ ctx }: EngineWorld): Promise<readonly string[]> {
  const facts = await ctx.store.facts({ max: 10_000 });
  return facts.flatMap(({ fact: { deed, detail } }) => {
    const { occurrence } = deed === 'create' ? (JSON.parse(detail) as { occurrence?: string }) : {};
    return occurrence === undefined ? [] : [occurrence];
  });
}

const at = (world: EngineWorld, ms: number): string => new Date(world.clock.nowMs() + ms).toISOString();

describe.each(STORES)('a schedule, on %s', (kind) => {
  it('is sent once at each occurrence by two duty holders, also when one dies before it could write that it had', async () => {
    const world = engineWorld(kind);
    await add(world);
    const expected = [at(world, HOUR), at(world, 2 * HOUR), at(world, 3 * HOUR)];
    /** A process that is ended after it has sent, and before the schedule is moved on. */
    const dying = (): Context => {
      const ctx = world.another();
      const { schedules } = ctx.store;
      const advance = async (): Promise<boolean> => Promise.reject(new Error('killed'));
      return { ...ctx, store: { ...ctx.store, schedules: { ...schedules, advance } } };
    };
    for (let hour = 0; hour < 3; hour += 1) {
      world.clock.advance(HOUR);
      await expect(sweepSchedules(dying())).rejects.toThrow('killed');
      const [one, two] = [world.another(), world.another()];
      await Promise.all([sweepSchedules(one), sweepSchedules(two)]);
      await sweepSchedules(world.another());
    }
    expect(await occurrences(world)).toEqual(expected);
    const { items } = await world.ctx.store.find({ by: 'filter', max: 100 });
    expect(items).toHaveLength(3);
    const [known] = await schedulesFor(world.ctx, OPERATOR, 10);
    expect(known?.last).toEqual({ at: Date.parse(expected[2] ?? ''), handoff: items[0]?.id });
    expect(await world.ctx.store.upkeep.audit()).toEqual([]);
  });

  it('is sent by the sweep, in the name of whoever made it, and says where it comes from', async () => {
    const world = engineWorld(kind);
    await add(world, { title: 'Links' });
    await world.sweep();
    expect(await occurrences(world)).toEqual([]);
    world.clock.advance(HOUR);
    await world.sweep();
    const [handoff] = (await world.ctx.store.find({ by: 'filter', max: 10 })).items;
    expect(handoff).toMatchObject({ from: ME, to: DEV, title: 'Links', state: 'offered' });
    const [created] = await world.ctx.store.facts({ max: 1 });
    expect(created?.fact.by).toBe('system');
    expect(JSON.parse(created?.fact.detail ?? '')).toMatchObject({ schedule: 'hourly', scheduledBy: '@me' });
  });

  it.each([
    ['once', [1]],
    ['skip', []],
    ['all', [1, 2, 3, 4, 5]],
  ] as const)('after five hours in which nobody was there, %s sends %j', async (missed: Missed, hours) => {
    const world = engineWorld(kind);
    await add(world, { missed });
    const expected = hours.map((hour) => at(world, hour * HOUR));
    const after = at(world, 6 * HOUR);
    world.clock.advance(5.5 * HOUR);
    await sweepSchedules(world.another());
    expect(await occurrences(world)).toEqual(expected);
    world.clock.advance(HOUR / 2);
    await sweepSchedules(world.another());
    expect(await occurrences(world)).toEqual([...expected, after]);
  });

  it('is refused a second time under its name unless it is the same, and removed by its sender alone', async () => {
    const world = engineWorld(kind);
    await add(world);
    await add(world);
    const recurrence = { everyMs: 2 * HOUR };
    const request = { from: ME, to: DEV, input: {} };
    const other = { name: 'hourly', recurrence, missed: 'once', request } as const;
    expect(await addSchedule(world.ctx, me, other)).toMatchObject({ refusal: { code: 'schedule-known' } });
    expect(await schedulesFor(world.ctx, agentPrincipal(DEV), 10)).toHaveLength(1);
    const stranger = agentPrincipal('stranger' as typeof DEV);
    expect(await schedulesFor(world.ctx, stranger, 10)).toEqual([]);
    expect(await removeSchedule(world.ctx, stranger, 'hourly')).toMatchObject({
      refusal: { code: 'no-such-schedule' },
    });
    expect(await removeSchedule(world.ctx, agentPrincipal(DEV), 'hourly')).toMatchObject({
      refusal: { code: 'not-yours' },
    });
    made(await removeSchedule(world.ctx, me, 'hourly'));
    world.clock.advance(2 * HOUR);
    await sweepSchedules(world.another());
    expect(await occurrences(world)).toEqual([]);
  });

  it('needs the rights of its sender, and an input that could be sent', async () => {
    const world = engineWorld(kind);
    const request = { from: ME, to: DEV, input: {} };
    const asked = { name: 'x', recurrence: { everyMs: HOUR }, missed: 'once', request } as const;
    expect(await addSchedule(world.ctx, agentPrincipal(DEV), asked)).toMatchObject({
      refusal: { code: 'not-entitled' },
    });
    const cron = { cron: '61 * * * *', zone: 'UTC' };
    expect(await addSchedule(world.ctx, me, { ...asked, recurrence: cron })).toMatchObject({
      refusal: { code: 'bad-cron', field: 'cron', given: '61 * * * *' },
    });
    const zone = { cron: '0 9 * * *', zone: 'Europe/Nowhere' };
    expect(await addSchedule(world.ctx, me, { ...asked, recurrence: zone })).toMatchObject({
      refusal: { code: 'bad-cron', field: 'zone', given: 'Europe/Nowhere' },
    });
    const never = { cron: '0 0 30 2 *', zone: 'UTC' };
    expect(await addSchedule(world.ctx, me, { ...asked, recurrence: never })).toMatchObject({
      refusal: { code: 'bad-cron', field: 'cron' },
    });
    expect(await examineSchedules(world.ctx)).toMatchObject({ verdict: 'ok', says: '0 schedules' });
  });
});

describe('the times of a schedule', () => {
  it('follow the calendar of a time zone over the days on which clocks are changed', () => {
    const next = made(readCronOrSay('30 9 * * *', 'Europe/Berlin'));
    const noon = Date.UTC(2026, 2, 28, 12);
    expect(new Date(next(noon) ?? 0).toISOString()).toBe('2026-03-29T07:30:00.000Z');
    expect(new Date(next(Date.UTC(2026, 9, 24, 12)) ?? 0).toISOString()).toBe('2026-10-25T08:30:00.000Z');
  });

  it('come once on the day that has an hour less, and once on the day that has one more', () => {
    const next = made(readCronOrSay('30 2 * * *', 'Europe/Berlin'));
    const days = (fromMs: number, untilMs: number): readonly number[] => {
      const found: number[] = [];
      for (let each = next(fromMs); each !== null && each < untilMs; each = next(each)) found.push(each);
      return found;
    };
    expect(days(Date.UTC(2026, 2, 28, 12), Date.UTC(2026, 2, 29, 12))).toHaveLength(1);
    expect(days(Date.UTC(2026, 9, 24, 12), Date.UTC(2026, 9, 25, 12))).toHaveLength(1);
  });

  it('are the same whoever asks when: an occurrence of the last minute is sent, an older one was missed', () => {
    const next = everyAfter(HOUR, 0);
    expect(dueOccurrence(HOUR, 'once', HOUR, next)).toEqual({ occurrence: HOUR, nextAt: 2 * HOUR });
    expect(dueOccurrence(HOUR, 'once', HOUR + MINUTE, next)).toEqual({ occurrence: HOUR, nextAt: 2 * HOUR });
    expect(dueOccurrence(HOUR, 'skip', HOUR + MINUTE + 1, next)).toEqual({ occurrence: null, nextAt: 2 * HOUR });
    expect(dueOccurrence(HOUR, 'once', 2 * HOUR + 1, next)).toEqual({ occurrence: 2 * HOUR, nextAt: 3 * HOUR });
    expect(dueOccurrence(HOUR, 'all', 5 * HOUR, next)).toEqual({ occurrence: HOUR, nextAt: 2 * HOUR });
  });
});

function readCronOrSay(cron: string, zone: string): ReturnType<typeof readCron> & { refusal?: never } {
  return readCron(cron, zone) as never;
}
