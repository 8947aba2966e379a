/** Schedules: work that is sent repeatedly. */
import { ok } from '../foundation/result.ts';
import { MISSED, SCHEDULE_NAME, SCHEDULE_NAME_RULE, type Recurrence } from '../domain/schedule.ts';
import { addSchedule as add, removeSchedule as remove, schedulesFor } from '../engine/schedules.ts';
import { choice, duration, integer, required, text, withDefault, type InputOf } from './field.ts';
import { defineOperation } from './operation.ts';
import { inputGivenTwice, send, sendRequestOf, type SendInput } from './send.ts';

const YEAR_SECONDS = 366 * 24 * 60 * 60;
const LISTED_MAX = 1_000;

/** Fields of `send` that make sense for a single handoff only. */
const ONE_HANDOFF_ONLY = [
  'requestId',
  'notBefore',
  'parent',
  'dependsOn',
  'onDependencyFailure',
  'allowUnknown',
  'waitForCapacity',
] as const;
/** Fields of the schedule itself; all other fields are those of the handoffs that it sends. */
const SCHEDULE_ONLY = ['name', 'everyMs', 'cron', 'zone', 'missed'] as const;

function omitKeys<Thing extends object, const Key extends keyof Thing & string>(
  thing: Thing,
  keys: readonly Key[],
): Omit<Thing, Key> {
  const kept = Object.entries(thing).filter(([key]) => !keys.some((each) => each === key));
  return Object.fromEntries(kept) as unknown as Omit<Thing, Key>;
}

const input = {
  name: required(text('The name of the schedule')),
  everyMs: duration(
    { maxSeconds: YEAR_SECONDS },
    'The interval, such as 15m, 2h or 1d; the first occurrence is one interval from now',
  ),
  cron: text('The times as a cron expression: minute, hour, day, month and day of the week, such as "0 9 * * 1-5"'),
  zone: text('The time zone of the cron expression (default: that of this machine)'),
  missed: choice(
    MISSED,
    'What to send for occurrences that were missed while no process ran: one handoff (default), none, or all',
  ),
  ...omitKeys(send.input, ONE_HANDOFF_ONLY),
} as const;

export const addSchedule = defineOperation({
  name: 'schedule add',
  summary: 'Send the same work on a schedule',
  about:
    'Each occurrence is sent exactly once, by the process that has the duty: baton serve or any worker. Occurrences that are more than a minute late count as missed. Adding the same schedule again changes nothing.',
  example: "schedule add nightly --cron '0 2 * * *' --zone UTC --from @me --to @react --text 'Check the links'",
  permission: 'create',
  subject: 'name',
  route: { method: 'post', path: '/api/schedules' },
  input,
  result: 'schedule',
  check: (asked, nameOf) => {
    const { name, everyMs, cron, zone } = asked;
    if (!SCHEDULE_NAME.test(name)) return `the name ${JSON.stringify(name)}: ${SCHEDULE_NAME_RULE}`;
    if ((everyMs === undefined) === (cron === undefined)) return `say either ${nameOf('everyMs')} or ${nameOf('cron')}`;
    if (zone !== undefined && cron === undefined) return `${nameOf('zone')} belongs to ${nameOf('cron')}`;
    return inputGivenTwice(asked, nameOf);
  },
  defaultCaller: ({ from }) => from,
  run: async (ctx, principal, given) => {
    const { name, missed = 'once' } = given;
    const request = sendRequestOf(ctx, omitKeys(given, SCHEDULE_ONLY) satisfies SendInput);
    return add(ctx, principal, { name, missed, recurrence: recurrenceOf(given), request });
  },
});

function recurrenceOf({ everyMs, cron, zone }: InputOf<typeof input>): Recurrence {
  if (cron === undefined) return { everyMs: everyMs ?? 0 };
  return { cron, zone: zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone };
}

export const schedules = defineOperation({
  name: 'schedule list',
  summary: 'List schedules with their next and their last occurrence',
  about: 'You see the schedules that send in your name or to you.',
  example: 'schedule list',
  permission: 'read',
  route: { method: 'get', path: '/api/schedules' },
  input: { limit: withDefault(integer(1, LISTED_MAX, 'How many to read'), 100) },
  result: 'schedules',
  run: async (ctx, principal, { limit }) => ok(await schedulesFor(ctx, principal, limit)),
});

export const removeSchedule = defineOperation({
  name: 'schedule remove',
  summary: 'Remove a schedule; the handoffs that it has sent stay',
  example: 'schedule remove nightly',
  permission: 'create',
  subject: 'name',
  route: { method: 'post', path: '/api/schedules/{name}/remove' },
  input: { name: required(text('The schedule')) },
  result: 'schedule',
  run: (ctx, principal, { name }) => remove(ctx, principal, name),
});
