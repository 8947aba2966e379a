/** Assigns ready handoffs to waiting claims, lets each claim decide, and answers it with what was written. */
import { present } from '../../foundation/assert.ts';
import { orNull } from '../../foundation/or-null.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { assertValidRecord } from '../valid-record.ts';
import { readableOf } from '../column-codecs.ts';
import type { Claimed } from '../store.ts';
import type { Connection } from './connection.ts';
import type { NotifyChange } from './wake-waiters.ts';
import type { Row } from './driver.ts';
import { load, findOwnFacts } from './load.ts';
import { AFTER_ROW, readRow } from './rows.ts';
import type { ServerClock } from './server-clock.ts';
import { acquiringSession, ownFactOf, type Moved, type PlannedMove } from './write-moves.ts';

/** One call of `claim`. */
export interface Call {
  readonly max: number;
  readonly decide: Decide;
  readonly resolve: (claimed: readonly Claimed[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A call of `claim` that is not answered yet, with what it has claimed so far. */
export interface PendingClaim {
  readonly call: Call;
  left: number;
  readonly claimed: Claimed[];
  broken: unknown;
}

/** A handoff that can be claimed, with its position in the order of claims. */
export interface Ready {
  readonly handoff: Handoff;
  readonly rank: number;
  readonly n: number;
  /** The text of the notification that brought the record. Any role can notify, so the write compares it with the record. */
  readonly notified?: string;
}

export function leftIn(pendingClaims: readonly PendingClaim[]): number {
  return pendingClaims.reduce((sum, pending) => sum + pending.left, 0);
}

export interface ReadyRows {
  readonly ready: readonly Ready[];
  /** Ready handoffs that cannot be read. Claims skip them. */
  readonly damaged: readonly HandoffId[];
}

export function readReady(rows: readonly Row[], clock: ServerClock, sentAtMs: number): ReadyRows {
  const serverMs = rows[0]?.[AFTER_ROW + 2];
  // Keeps our reading of the server clock from being behind the time at which the server found these ready.
  if (typeof serverMs === 'number') clock.observe(serverMs, sentAtMs);
  const ready = readableOf(rows, readOne);
  if (ready.length === rows.length) return { ready, damaged: [] };
  const read = new Set(ready.map(({ handoff }) => handoff.id));
  return { ready, damaged: rows.map((row) => row[0] as HandoffId).filter((id) => !read.has(id)) };
}

function readOne(row: Row): Ready {
  return { handoff: readRow(row), rank: row[AFTER_ROW] as number, n: row[AFTER_ROW + 1] as number };
}

/** Null: the text is not a record that Baton has written. */
export function readNotified(notified: string): Ready | null {
  return orNull(() => ({ ...readOne(JSON.parse(notified) as Row), notified }));
}

export interface Taken {
  readonly pending: PendingClaim;
  readonly planned: PlannedMove;
}

/** Gives each call as many as it asked for and lets it decide. A handoff that it refuses stays offered. */
export function assignClaims(
  pendingClaims: readonly PendingClaim[],
  ready: readonly Ready[],
  nowMs: number,
): { readonly taken: readonly Taken[]; readonly refused: ReadonlySet<HandoffId> } {
  const taken: Taken[] = [];
  const refused = new Set<HandoffId>();
  let next = 0;
  for (const pending of pendingClaims) {
    const given = ready.slice(next, next + pending.left);
    next += given.length;
    try {
      const moves = given.map(({ handoff, notified }) => ({
        before: handoff,
        notified,
        decided: pending.call.decide(handoff, nowMs),
      }));
      for (const { before, decided } of moves) if (decided.ok) assertValidRecord(before.id, before, decided.value);
      for (const { before, notified, decided } of moves) {
        if (decided.ok) taken.push({ pending, planned: { before, decision: decided.value, taken: true, notified } });
        else refused.add(before.id);
      }
      pending.left -= given.length;
    } catch (error) {
      pending.broken = error;
      pending.left = 0;
    }
  }
  return { taken, refused };
}

export function plannedMovesOf(taken: readonly Taken[]): readonly PlannedMove[] {
  return taken.map(({ planned }) => planned);
}

/** Hands the written claims to their calls. Returns how many were lost: taken by others, or no longer the best. */
export async function answerClaims(
  { connection, notify }: { readonly connection: Connection; readonly notify: NotifyChange },
  taken: readonly Taken[],
  moving: Moved | Promise<Moved>,
): Promise<number> {
  const { moved, alive, bodies, maybeApplied } = await moving;
  const missed = plannedMovesOf(taken).filter(({ before }) => !moved.has(before.id));
  const ours =
    maybeApplied && missed.length > 0 ? await findOwnFacts(connection, missed.map(ownFactOf)) : new Set<HandoffId>();
  let lost = 0;
  for (const { pending, planned } of taken) {
    const { handoff } = planned.decision;
    const session = acquiringSession(planned.before, handoff);
    if (moved.has(handoff.id) || ours.has(handoff.id)) {
      const body = bodies.get(handoff.id) ?? (await load(connection, handoff.id))?.body;
      pending.claimed.push({ handoff, body: present(body, 'a claimed handoff has a body') });
      notify(planned.before, handoff);
    } else if (session === null || alive.has(session) || maybeApplied) {
      pending.left += 1;
      lost += 1;
    }
  }
  return lost;
}
