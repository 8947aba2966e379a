/**
 * Schedules: work that is sent repeatedly. Each occurrence is a request whose key is made of the schedule and its instant
 * and is stored for ever. So an occurrence that two processes send, or that is sent again after a crash, is one handoff.
 */
import type { JsonText } from '../foundation/json.ts';
import { err, ok, type Result } from '../foundation/result.ts';
import { principalText, SYSTEM, type Principal } from '../domain/principal.ts';
import {
  everyAfter,
  dueOccurrence,
  type LastOccurrence,
  type NextAfter,
  type Recurrence,
  type Schedule,
} from '../domain/schedule.ts';
import type { ScheduleRecord, Store } from '../stores/store.ts';
import type { Context } from './context.ts';
import { prepare } from './handoffs/prepare-send.ts';
import { send, type SendRefusal, type SendRequest } from './handoffs/send.ts';

export type SendSchedule = Schedule<SendRequest>;

export type ScheduleRefusal =
  | SendRefusal
  | { readonly code: 'schedule-known'; readonly name: string }
  | { readonly code: 'no-such-schedule'; readonly name: string }
  | { readonly code: 'not-yours'; readonly says: string }
  | { readonly code: 'bad-cron'; readonly field: 'cron' | 'zone'; readonly given: string; readonly allowed: string };

/** A schedule with what is known of its occurrences. */
export interface KnownSchedule extends SendSchedule {
  readonly nextAt: number | null;
  readonly last: LastOccurrence | null;
}

/** Schedules per sweep; the next sweep takes the rest. */
const DUE_MAX = 50;
/** Occurrences per schedule and sweep: missed ones are sent one by one. */
const TURNS_MAX = 100;
const SWEEP_MS = 500;

/** Adding the same schedule again changes nothing. Its request is checked as if it were sent now. */
export async function addSchedule(
  ctx: Context,
  principal: Principal,
  asked: Pick<SendSchedule, 'name' | 'recurrence' | 'missed' | 'request'>,
): Promise<Result<KnownSchedule, ScheduleRefusal>> {
  const { from, to } = asked.request;
  const sendable = await prepare(ctx, principal, asked.request, new Set());
  if (!sendable.ok) return sendable;
  const createdAt = ctx.store.nowMs();
  const next = await nextOf(asked.recurrence, createdAt);
  if (!next.ok) return next;
  const nextAt = next.value(createdAt);
  const schedule: SendSchedule = { ...asked, by: principalText(principal), createdAt, from, to };
  const record: ScheduleRecord = { id: asked.name, nextAt, spec: JSON.stringify(schedule) as JsonText, last: null };
  if (await ctx.store.schedules.add(record)) return ok(knownOf(record));
  const stored = await ctx.store.schedules.load(asked.name);
  const known = stored === null ? null : knownOf(stored);
  const isSame = known !== null && contentOf(known) === contentOf(schedule);
  return isSame ? ok(known) : err({ code: 'schedule-known', name: asked.name });
}

function contentOf({ recurrence, missed, request }: SendSchedule): string {
  return JSON.stringify([recurrence, missed, request]);
}

/** The schedules that a principal owns or that send to it. The operator sees all. */
export async function schedulesFor(ctx: Context, principal: Principal, max: number): Promise<readonly KnownSchedule[]> {
  const all = (await ctx.store.schedules.list(max)).map(knownOf);
  return all.filter((schedule) => mayRead(principal, schedule));
}

export async function removeSchedule(
  ctx: Context,
  principal: Principal,
  name: string,
): Promise<Result<KnownSchedule, ScheduleRefusal>> {
  const record = await ctx.store.schedules.load(name);
  const schedule = record === null ? null : knownOf(record);
  if (schedule === null || !mayRead(principal, schedule)) return err({ code: 'no-such-schedule', name });
  if (principal.kind !== 'operator' && !(principal.kind === 'agent' && principal.agent === schedule.from)) {
    return err({ code: 'not-yours', says: `the schedule ${name} is that of @${schedule.from}` });
  }
  await ctx.store.schedules.remove(name);
  return ok(schedule);
}

function mayRead(principal: Principal, { from, to }: SendSchedule): boolean {
  if (principal.kind === 'operator' || principal.kind === 'system') return true;
  return principal.kind === 'agent' && (principal.agent === from || principal.agent === to);
}

const sweptAtMs = new WeakMap<Store, number>();

/** Sends all due occurrences. */
export async function sweepSchedules(ctx: Context): Promise<number> {
  const atMs = ctx.clock.monotonicMs();
  if (atMs - (sweptAtMs.get(ctx.store) ?? Number.NEGATIVE_INFINITY) < SWEEP_MS) return 0;
  sweptAtMs.set(ctx.store, atMs);
  let sent = 0;
  for (const record of await ctx.store.schedules.due(DUE_MAX)) sent += await sendDue(ctx, record);
  return sent;
}

async function sendDue(ctx: Context, due: ScheduleRecord): Promise<number> {
  const schedule = knownOf(due);
  const next = await nextOf(schedule.recurrence, schedule.createdAt);
  // The expression was valid when the schedule was added; a newer package may disagree.
  if (!next.ok) return 0;
  let record = due;
  let sent = 0;
  for (let turns = 0; turns < TURNS_MAX && record.nextAt !== null; turns += 1) {
    const nowMs = ctx.store.nowMs();
    if (record.nextAt > nowMs) break;
    const { occurrence, nextAt } = dueOccurrence(record.nextAt, schedule.missed, nowMs, next.value);
    const result = occurrence === null ? null : await sendOccurrence(ctx, schedule, occurrence);
    const last = result === null ? record.last : (JSON.stringify(result) as JsonText);
    if (result !== null) sent += 1;
    // Another process was faster: it has sent the same occurrence and continues.
    if (!(await ctx.store.schedules.advance(record, { nextAt, last }))) break;
    record = { ...record, nextAt, last };
  }
  return sent;
}

async function sendOccurrence(ctx: Context, schedule: SendSchedule, occurrence: number): Promise<LastOccurrence> {
  const { name, createdAt, request, by } = schedule;
  const at = new Date(occurrence).toISOString();
  const answer = await send(ctx, SYSTEM, {
    ...request,
    // A recipient at its limit gets it when there is room.
    waitForCapacity: true,
    occurrence: { schedule: name, at, by, key: `${name} of ${createdAt} at ${at}` },
  });
  return answer.ok ? { at: occurrence, handoff: answer.value.id } : { at: occurrence, refused: answer.refusal.code };
}

async function nextOf(recurrence: Recurrence, createdAt: number): Promise<Result<NextAfter, ScheduleRefusal>> {
  if ('everyMs' in recurrence) return ok(everyAfter(recurrence.everyMs, createdAt));
  const { cron, zone } = recurrence;
  // Loaded here, because nearly no command needs the package.
  const { CRON_RULE, readCron, ZONE_RULE } = await import('../formats/schedule/cron.ts');
  const read = readCron(cron, zone);
  if (!read.ok) {
    const [given, allowed] = read.refusal === 'zone' ? [zone, ZONE_RULE] : [cron, CRON_RULE];
    return err({ code: 'bad-cron', field: read.refusal, given, allowed });
  }
  if (read.value(createdAt) === null) {
    return err({ code: 'bad-cron', field: 'cron', given: cron, allowed: 'a time that comes at all' });
  }
  return ok(read.value);
}

function knownOf({ spec, last, nextAt }: ScheduleRecord): KnownSchedule {
  const schedule = JSON.parse(spec) as SendSchedule;
  return { ...schedule, nextAt, last: last === null ? null : (JSON.parse(last) as LastOccurrence) };
}
