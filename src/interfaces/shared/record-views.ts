/** Pauses, schedules, undelivered notifications and prunes as programs see them. */
import { instantOrNull, instantText } from '../../foundation/instant-text.ts';
import { recurrenceText, type Missed } from '../../domain/schedule.ts';
import type { Pruned } from '../../engine/retention/prune.ts';
import type { KnownSchedule } from '../../engine/schedules.ts';
import type { DroppedEffect, PauseRecord } from '../../stores/store.ts';

/** A pause of an agent. */
export interface PauseView {
  readonly agent: string;
  readonly at: string;
  /** Who paused the agent. */
  readonly by: string;
  readonly reason: string | null;
  /** Null while the pause lasts. */
  readonly endedAt: string | null;
  readonly endedBy: string | null;
}

export function pauseView({ agent, at, by, reason, endedAt, endedBy }: PauseRecord): PauseView {
  return {
    agent: `@${agent}`,
    at: instantText(at),
    by,
    reason,
    endedAt: instantOrNull(endedAt),
    endedBy,
  };
}

/** A schedule. The handoffs that it has sent show what it sends each time. */
export interface ScheduleView {
  readonly name: string;
  /** Like `every 15m` or `0 9 * * 1-5 (Europe/Berlin)`. */
  readonly when: string;
  readonly missed: Missed;
  readonly from: string;
  readonly to: string;
  readonly title: string | null;
  /** Who made the schedule. */
  readonly by: string;
  readonly createdAt: string;
  /** Null: the schedule is over. */
  readonly next: string | null;
  /** The newest occurrence; null: there was none yet. */
  readonly last: { readonly at: string; readonly handoff?: string; readonly refused?: string } | null;
}

export function scheduleView(schedule: KnownSchedule): ScheduleView {
  const { name, recurrence, missed, from, to, by, createdAt, nextAt, last, request } = schedule;
  return {
    name,
    when: recurrenceText(recurrence),
    missed,
    from: `@${from}`,
    to: `@${to}`,
    title: request.title ?? null,
    by,
    createdAt: instantText(createdAt),
    next: instantOrNull(nextAt),
    last: last === null ? null : { ...last, at: instantText(last.at) },
  };
}

/** A notification that Baton has given up. */
export interface UndeliveredView {
  readonly key: string;
  /** `webhook` or `desktop`. */
  readonly kind: string;
  /** The name of the webhook; null: the notification goes elsewhere. */
  readonly target: string | null;
  readonly event: string | null;
  /** The handoff that the notification is about. */
  readonly handoff: string | null;
  /** Why Baton has given up. */
  readonly says: string;
  readonly at: string;
}

export function undeliveredView({ key, kind, payload, says, droppedAt }: DroppedEffect): UndeliveredView {
  const { target, event, body, id } = (JSON.parse(payload) ?? {}) as Readonly<Record<string, unknown>>;
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    key,
    kind,
    target: text(target),
    event: text(event),
    handoff: text(fields['handoff']) ?? text(id),
    says,
    at: instantText(droppedAt),
  };
}

/** What `prune` answers. */
export interface PrunedHandoffs {
  readonly dryRun: boolean;
  /** ISO 8601. */
  readonly settledBefore: string;
  /** How many were removed, or would be. */
  readonly handoffs: number;
  /** The first of them. */
  readonly ids: readonly string[];
  /** Archived, but needed again before the removal: these stay. */
  readonly kept: number;
  /** Names of the archives that were written, oldest first. */
  readonly archives: readonly string[];
  /** Records that the database cannot read: these stay. */
  readonly damaged: readonly { readonly id: string; readonly says: string }[];
  readonly stopped: boolean;
}

export function prunedView({ settledBefore, ...pruned }: Pruned): PrunedHandoffs {
  return { ...pruned, settledBefore: instantText(settledBefore) };
}
