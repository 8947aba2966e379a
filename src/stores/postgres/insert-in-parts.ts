/**
 * Many new records of one call, in one transaction of several statements: the server writes one part while this process
 * decides over the next, so that a call takes as long as the slower of the two and not as both.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Refusal } from '../../domain/refusals.ts';
import type { Opening } from '../store.ts';
import { Conflict, type Connection, type LockingConnection } from './connection.ts';
import type { DecidePart } from './decide-openings.ts';
import { insertOnce, type InsertRow } from './insert-statement.ts';

/** Eight parts of a call with a thousand records. Other sizes were not compared. */
const PART = 125;

export function isWorthParts(openings: readonly Opening[]): boolean {
  return openings.length >= 2 * PART;
}

export type InsertedInParts =
  | { readonly end: 'written'; readonly newcomers: readonly InsertRow[] }
  | { readonly end: 'refused'; readonly refusal: Refusal; readonly upTo: number }
  /** The id of one of these is taken. */
  | { readonly end: 'taken'; readonly newcomers: readonly InsertRow[] }
  /** No answer came: they may be written. */
  | { readonly end: 'lost'; readonly newcomers: readonly InsertRow[] }
  | { readonly end: 'undone' };

/** Thrown, so that the transaction is undone. */
class Undo extends Error {
  readonly inserted: InsertedInParts;

  constructor(inserted: InsertedInParts) {
    super('the transaction is undone');
    this.inserted = inserted;
  }
}

export async function insertInParts(
  locking: LockingConnection,
  decide: DecidePart,
  count: number,
): Promise<InsertedInParts> {
  const newcomers: InsertRow[] = [];
  try {
    const { end } = await locking.wholly((on) => writeParts(on, decide, count, newcomers));
    if (end === 'undone' || (end === 'lost' && newcomers.length < count)) return { end: 'undone' };
    return { end: end === 'done' ? 'written' : 'lost', newcomers };
  } catch (error) {
    if (error instanceof Undo) return error.inserted;
    if (error instanceof Conflict) return { end: 'taken', newcomers };
    throw error;
  }
}

async function writeParts(on: Connection, decide: DecidePart, count: number, newcomers: InsertRow[]): Promise<void> {
  const sent: Promise<void>[] = [];
  let failed: { readonly error: unknown } | null = null;
  for (let from = 0; from < count && failed === null; from += PART) {
    const decided = decide(from, Math.min(count, from + PART));
    if (!decided.ok) throw new Undo({ end: 'refused', refusal: decided.refusal, upTo: decided.upTo });
    newcomers.push(...decided.newcomers);
    const writing = insertOnce(on, decided.newcomers).then(({ written }) => {
      // Somebody has begun to count: whoever inserts without parts finds out and adds to the counters.
      if (!written) throw new Undo({ end: 'undone' });
    });
    // The first to fail tells why; those behind it fail because the transaction has failed.
    sent.push(writing.catch((error: unknown) => void (failed ??= { error })));
    // What was handed in is sent now.
    await nextTurn();
  }
  await Promise.all(sent);
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- set by what was waited for
  if (failed !== null) throw (failed as { readonly error: unknown }).error;
}
