/** The checks of `baton doctor` on a running workspace. They write nothing; each result says what to do. */
import { dueAtOf } from '../domain/deadlines.ts';
import type { LastOccurrence } from '../domain/schedule.ts';
import { flawOf } from '../domain/trail.ts';
import type { DamagedRecord } from '../stores/store.ts';
import { DUTY_LEASE_MS } from './duty.ts';
import { effectiveHandoffs, dependencyStatus } from './handoffs/dependencies.ts';
import type { Context } from './context.ts';
import { allCopies } from './transfer/all-copies.ts';
import { counted } from '../foundation/count-text.ts';

export interface HealthCheck {
  readonly name: string;
  readonly verdict: 'ok' | 'warning' | 'problem';
  readonly says: string;
  /** Null where there is nothing to do. */
  readonly todo: string | null;
}

export function healthy(name: string, says: string): HealthCheck {
  return { name, verdict: 'ok', says, todo: null };
}

export function warning(name: string, says: string, todo: string): HealthCheck {
  return { name, verdict: 'warning', says, todo };
}

export function problem(name: string, says: string, todo: string): HealthCheck {
  return { name, verdict: 'problem', says, todo };
}

/** How many are named: a thousand findings have one cause. */
const NAMED_MAX = 5;
const RESTORE = 'stop all workers, keep a copy of the database, and restore a backup or an export';
/** A running duty holder sends a due effect within this time. */
const EFFECT_PATIENCE_MS = 1_500;
const EFFECTS_MAX = 1_000;
const STUCK_MAX = 1_000;
const SCHEDULES_MAX = 1_000;
/** A tolerable difference between the clocks of two machines. */
const CLOCK_APART_MS = 5_000;

export async function examineDamage({ store }: Context): Promise<HealthCheck> {
  const findings = await store.upkeep.audit();
  if (findings.length === 0) return healthy('audit', 'counters, trails and files agree');
  const onlySettings = findings.every(({ what }) => what === 'setting');
  const todo = onlySettings ? 'change the settings of the server' : RESTORE;
  return problem('audit', listed(findings.map(({ says }) => says)), todo);
}

export async function examineTrails(
  { store }: Context,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: (count: number) => void },
): Promise<HealthCheck> {
  const flaws: string[] = [];
  let facts = 0;
  let count = 0;
  const onDamaged = ({ id, says }: DamagedRecord): number => flaws.push(`${id}: ${says}`);
  for await (const copy of allCopies(store, null, onDamaged)) {
    if (signal.aborted) return warning('trails', `stopped after ${count}`, 'run it again');
    const flaw = flawOf(copy.handoff, copy.facts, copy.body);
    if (flaw !== null) flaws.push(`${copy.handoff.id}: ${flaw}`);
    facts += copy.facts.length;
    count += 1;
    progress(count);
  }
  if (flaws.length > 0) return problem('trails', listed(flaws), RESTORE);
  const says = `${counted(count, 'trail')} with ${counted(facts, 'fact')} ${count === 1 ? 'adds' : 'add'} up`;
  return healthy('trails', says);
}

export async function examineSessions(ctx: Context): Promise<HealthCheck> {
  const sessions = await ctx.store.sessions.list();
  const lost = sessions.filter(({ ended, process, leaseMs, silentForMs }) => {
    return ended || ctx.liveness.of(process) === 'gone' || silentForMs > leaseMs;
  });
  if (lost.length === 0) return healthy('workers', `${sessions.length} at work, none of them lost`);
  const says = lost.map(({ agent, process, ended }) =>
    ended
      ? `a session of @${agent} has ended and still holds work`
      : `@${agent}, process ${process.pid} on ${process.host}, is gone or hangs`,
  );
  const todo = 'what they hold is taken back by the next baton work or baton wait on that host';
  return warning('workers', listed(says), todo);
}

export async function examineDuty({ store, liveness }: Context): Promise<HealthCheck> {
  const holder = await store.upkeep.dutyHolder(liveness.self);
  if (holder === null) return healthy('duty', 'no worker runs on this host; the next process that starts sweeps');
  const { process, silentForMs } = holder;
  if (liveness.of(process) === 'gone')
    return healthy('duty', `process ${process.pid} is gone; the next process that starts sweeps`);
  if (silentForMs <= DUTY_LEASE_MS) return healthy('duty', `process ${process.pid} sweeps`);
  const says = `process ${process.pid} has the duty and has been silent for ${Math.round(silentForMs / 1000)} s`;
  return problem('duty', says, `look at it, and end it: kill ${process.pid}`);
}

export async function examineDependencies(ctx: Context): Promise<HealthCheck> {
  const { items } = await ctx.store.find({ by: 'waiting', on: 'failed', max: STUCK_MAX });
  const dependencies = items.flatMap(({ terms }) => terms.dependsOn);
  const effective = await effectiveHandoffs(ctx, dependencies);
  const stuck = items.flatMap(({ id, terms }) => {
    const { failed } = dependencyStatus(terms, effective);
    return failed === null ? [] : [{ id, failed }];
  });
  const [first] = stuck;
  if (first === undefined) return healthy('dependencies', 'nothing waits for what did not succeed');
  const says = stuck.map(({ id, failed }) => `${id} waits for ${failed.id}, which is ${failed.state}`);
  const todo = `retry it with: baton retry ${first.failed.id}; or give it up with: baton cancel ${first.id}`;
  return warning('dependencies', listed(says), todo);
}

export async function examineSchedules({ store }: Context): Promise<HealthCheck> {
  const all = await store.schedules.list(SCHEDULES_MAX);
  const refused = all.flatMap(({ id, last }) => {
    const { refused: why } = last === null ? {} : (JSON.parse(last) as LastOccurrence);
    return why === undefined ? [] : [`${id} was refused: ${why}`];
  });
  if (refused.length === 0) return healthy('schedules', counted(all.length, 'schedule'));
  const todo = 'correct it: baton schedule remove NAME, then baton schedule add NAME …';
  return warning('schedules', listed(refused), todo);
}

/** An effect that is due now may be sent in a moment, so this checks twice. */
export async function examineEffects({ store, timers }: Context, signal: AbortSignal): Promise<HealthCheck> {
  const due = new Set((await store.outbox.due(EFFECTS_MAX)).map(({ key }) => key));
  if (due.size > 0) await timers.sleep(EFFECT_PATIENCE_MS, signal);
  const left = due.size === 0 ? [] : (await store.outbox.due(EFFECTS_MAX)).filter(({ key }) => due.has(key));
  if (left.length === 0) return healthy('outbox', 'nothing is overdue');
  const kinds = [...new Set(left.map(({ kind }) => kind))];
  const says = `${counted(left.length, 'effect')}${left.length === EFFECTS_MAX ? ' or more' : ''} not done yet: ${listed(kinds)}`;
  return warning('outbox', says, 'start a worker, which also does these');
}

const OVERDUE_MAX = 1_000;
/** A sweep runs every second or so. */
const OVERDUE_PATIENCE_MS = 5_000;

/** Handoffs whose time is up and that no sweep has marked, because no process runs. */
export async function examineOverdue({ store }: Context): Promise<HealthCheck> {
  const nowMs = store.nowMs();
  const { items } = await store.find({ by: 'overdue', max: OVERDUE_MAX });
  const late = items.filter((handoff) => (dueAtOf(handoff) ?? nowMs) < nowMs - OVERDUE_PATIENCE_MS);
  if (late.length === 0) return healthy('deadlines', 'nothing is overdue');
  const says = late.map((handoff) => {
    const dueAt = new Date(dueAtOf(handoff) ?? 0).toISOString().replace(/\.\d{3}Z$/, 'Z');
    return `${handoff.id} is ${handoff.state}, and its time was up at ${dueAt}`;
  });
  return warning('deadlines', listed(says), 'mark them with: baton sync; baton work does it by itself');
}

export async function examineClock({ store, clock }: Context): Promise<HealthCheck> {
  const apartMs = store.nowMs() - clock.nowMs();
  if (Math.abs(apartMs) > CLOCK_APART_MS) {
    const says = `the clock of the database is ${Math.round(Math.abs(apartMs) / 1000)} s ${apartMs > 0 ? 'ahead of' : 'behind'} ours`;
    return warning('clock', says, 'let both machines set their clocks over the network');
  }
  const [newest] = (await store.find({ by: 'filter', max: 1 })).items;
  const aheadMs = (newest?.createdAt ?? 0) - store.nowMs();
  if (aheadMs <= CLOCK_APART_MS) return healthy('clock', 'in step with the records');
  const says = `the newest handoff was created ${Math.round(aheadMs / 1000)} s from now`;
  return warning('clock', says, 'check the clock: it was set back, or it was ahead');
}

export function listed(all: readonly string[]): string {
  const rest = all.length > NAMED_MAX ? [`and ${all.length - NAMED_MAX} more`] : [];
  return [...all.slice(0, NAMED_MAX), ...rest].join('; ');
}
