/** Deals ready handoffs out to those who asked for some, lets them decide, and gives out what was written. */
import { present } from '../../foundation/assert.ts';
import { orNull } from '../../foundation/or-null.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { assertValidRecord } from '../valid-record.ts';
import { readableOf } from '../column-codecs.ts';
import type { Claimed } from '../store.ts';
import type { Connection } from './connection.ts';
import type { NotifySettled } from './wake-waiters.ts';
import type { Row } from './driver.ts';
import { load, traces } from './load.ts';
import { AFTER_ROW, readRow } from './rows.ts';
import type { ServerClock } from './server-clock.ts';
import { joins, traceOf, type Moved, type Piece } from './write-moves.ts';

/** One caller who asked for some. */
export interface Call {
  readonly max: number;
  readonly decide: Decide;
  readonly resolve: (claimed: readonly Claimed[]) => void;
  readonly reject: (error: unknown) => void;
}

/** What one call has been given so far. */
export interface ClaimWindow {
  readonly call: Call;
  left: number;
  readonly claimed: Claimed[];
  broken: unknown;
}

/** One that can be taken, and its place in the line. */
export interface Ready {
  readonly handoff: Handoff;
  readonly rank: number;
  readonly n: number;
  /** As a notification told of it. Anybody can notify: it is made sure of when it is written. */
  readonly told?: string;
}

export function leftIn(hands: readonly ClaimWindow[]): number {
  return hands.reduce((sum, hand) => sum + hand.left, 0);
}

export interface Look {
  readonly ready: readonly Ready[];
  /** Those that stand in the line and cannot be read: nobody takes them, and nobody waits behind them. */
  readonly damaged: readonly HandoffId[];
}

export function readReady(rows: readonly Row[], clock: ServerClock, sentAtMs: number): Look {
  const serverMs = rows[0]?.[AFTER_ROW + 2];
  // What the server found ready must not be too early by our reading of its clock.
  if (typeof serverMs === 'number') clock.heard(serverMs, sentAtMs);
  const ready = readableOf(rows, readOne);
  if (ready.length === rows.length) return { ready, damaged: [] };
  const read = new Set(ready.map(({ handoff }) => handoff.id));
  return { ready, damaged: rows.map((row) => row[0] as HandoffId).filter((id) => !read.has(id)) };
}

function readOne(row: Row): Ready {
  return { handoff: readRow(row), rank: row[AFTER_ROW] as number, n: row[AFTER_ROW + 1] as number };
}

/** Null: not of our making. */
export function readTold(told: string): Ready | null {
  return orNull(() => ({ ...readOne(JSON.parse(told) as Row), told }));
}

export interface Taken {
  readonly hand: ClaimWindow;
  readonly piece: Piece;
}

/** Each call gets as many as it asked for and decides over them; what it refuses is left where it is. */
export function assignClaims(
  hands: readonly ClaimWindow[],
  ready: readonly Ready[],
  nowMs: number,
): { readonly taken: readonly Taken[]; readonly refused: ReadonlySet<HandoffId> } {
  const taken: Taken[] = [];
  const refused = new Set<HandoffId>();
  let next = 0;
  for (const hand of hands) {
    const given = ready.slice(next, next + hand.left);
    next += given.length;
    try {
      const pieces = given.map(({ handoff, told }) => ({
        before: handoff,
        told,
        decided: hand.call.decide(handoff, nowMs),
      }));
      for (const { before, decided } of pieces) if (decided.ok) assertValidRecord(before.id, before, decided.value);
      for (const { before, told, decided } of pieces) {
        if (decided.ok) taken.push({ hand, piece: { before, decision: decided.value, taken: true, told } });
        else refused.add(before.id);
      }
      hand.left -= given.length;
    } catch (error) {
      hand.broken = error;
      hand.left = 0;
    }
  }
  return { taken, refused };
}

export function piecesOf(taken: readonly Taken[]): readonly Piece[] {
  return taken.map(({ piece }) => piece);
}

/** Gives out what was written and answers how many could not be had: taken by others, or not the best any more. */
export async function answerClaims(
  { connection, tell }: { readonly connection: Connection; readonly tell: NotifySettled },
  taken: readonly Taken[],
  moving: Moved | Promise<Moved>,
): Promise<number> {
  const { moved, alive, bodies, doubtful } = await moving;
  const missed = piecesOf(taken).filter(({ before }) => !moved.has(before.id));
  const ours = doubtful && missed.length > 0 ? await traces(connection, missed.map(traceOf)) : new Set<HandoffId>();
  let lost = 0;
  for (const { hand, piece } of taken) {
    const { handoff } = piece.decision;
    const session = joins(piece.before, handoff);
    if (moved.has(handoff.id) || ours.has(handoff.id)) {
      const body = bodies.get(handoff.id) ?? (await load(connection, handoff.id))?.body;
      hand.claimed.push({ handoff, body: present(body, 'what was taken has a body') });
      tell(piece.before, handoff);
    } else if (session === null || alive.has(session) || doubtful) {
      hand.left += 1;
      lost += 1;
    }
  }
  return lost;
}
