/** Work that is sent again and again. */
import { ok } from '../foundation/result.ts';
import { MISSED, SCHEDULE_NAME, SCHEDULE_NAME_RULE, type Recurrence } from '../domain/schedule.ts';
import { addSchedule as add, removeSchedule as remove, schedulesFor } from '../engine/schedules.ts';
import { choice, duration, integer, required, text, withDefault, type InputOf } from './field.ts';
import { defineOperation } from './operation.ts';
import { inputTwice, send, sendRequestOf, type SendInput } from './send.ts';

const YEAR_SECONDS = 366 * 24 * 60 * 60;
const LISTED_MAX = 1_000;

/** What belongs to one handoff alone. */
const ONE_HANDOFF_ONLY = [
  'requestId',
  'notBefore',
  'parent',
  'dependsOn',
  'onDependencyFailure',
  'allowUnknown',
  'waitForCapacity',
] as const;
/** What makes the schedule; everything else is sent. */
const SCHEDULE_ONLY = ['name', 'everyMs', 'cron', 'zone', 'missed'] as const;

function without<Thing extends object, const Key extends keyof Thing & string>(
  thing: Thing,
  keys: readonly Key[],
): Omit<Thing, Key> {
  const kept = Object.entries(thing).filter(([key]) => !keys.some((each) => each === key));
  return Object.fromEntries(kept) as unknown as Omit<Thing, Key>;
}

const input = {
  name: required(text('What the schedule is called')),
  everyMs: duration({ maxSeconds: YEAR_SECONDS }, 'At this distance, such as 15m, 2h or 1d; the first after as long'),
  cron: text('At these times: minute, hour, day, month and day of the week, such as "0 9 * * 1-5"'),
  zone: text('The time zone of --cron (default: that of this machine)'),
  missed: choice(MISSED, 'What was due while nobody was there: one handoff for all of it (default), none, or all'),
  ...without(send.input, ONE_HANDOFF_ONLY),
} as const;

export const addSchedule = defineOperation({
  name: 'schedule add',
  summary: 'Send the same work again and again',
  about:
    'Each occurrence is sent exactly once, by whichever process has the duty: baton serve or any worker. Occurrences that are more than a minute late count as missed. The same schedule again changes nothing.',
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
    return inputTwice(asked, nameOf);
  },
  speaker: ({ from }) => from,
  run: async (ctx, principal, given) => {
    const { name, missed = 'once' } = given;
    const request = sendRequestOf(ctx, without(given, SCHEDULE_ONLY) satisfies SendInput);
    return add(ctx, principal, { name, missed, recurrence: recurrenceOf(given), request });
  },
});

function recurrenceOf({ everyMs, cron, zone }: InputOf<typeof input>): Recurrence {
  if (cron === undefined) return { everyMs: everyMs ?? 0 };
  return { cron, zone: zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone };
}

export const schedules = defineOperation({
  name: 'schedule list',
  summary: 'Schedules: what is sent when, when next, and what came of the last time',
  about: 'You see those that send in your name or to you.',
  example: 'schedule list',
  permission: 'read',
  route: { method: 'get', path: '/api/schedules' },
  input: { limit: withDefault(integer(1, LISTED_MAX, 'How many are looked at'), 100) },
  result: 'schedules',
  run: async (ctx, principal, { limit }) => ok(await schedulesFor(ctx, principal, limit)),
});

export const removeSchedule = defineOperation({
  name: 'schedule remove',
  summary: 'Take a schedule away; what it has sent stays',
  example: 'schedule remove nightly',
  permission: 'create',
  subject: 'name',
  route: { method: 'post', path: '/api/schedules/{name}/remove' },
  input: { name: required(text('The schedule')) },
  result: 'schedule',
  run: (ctx, principal, { name }) => remove(ctx, principal, name),
});
