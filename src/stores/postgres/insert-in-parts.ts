/**
 * Inserts many records of one call in one transaction of several statements: the server writes one part while this
 * process decides over the next.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Refusal } from '../../domain/refusals.ts';
import type { NewHandoff } from '../store.ts';
import { Conflict, type Connection, type LockingConnection } from './connection.ts';
import type { DecidePart } from './decide-inserts.ts';
import { insertOnce, type InsertRow } from './insert-statement.ts';

/**
 * A call with a thousand records has eight parts. With parts of 64 the server took 31 instead of 23 µs a record; with parts of
 * 250 the process waited twice as long for the first and the last.
 */
const PART = 125;

export function isWorthParts(newHandoffs: readonly NewHandoff[]): boolean {
  return newHandoffs.length >= 2 * PART;
}

export type InsertedInParts =
  | { readonly end: 'written'; readonly newRows: readonly InsertRow[] }
  | { readonly end: 'refused'; readonly refusal: Refusal; readonly upTo: number }
  /** The id of one of these is taken. */
  | { readonly end: 'taken'; readonly newRows: readonly InsertRow[] }
  /** No answer came: they may be written. */
  | { readonly end: 'lost'; readonly newRows: readonly InsertRow[] }
  | { readonly end: 'undone' };

/** Thrown to roll back the transaction. */
class RollBack extends Error {
  readonly inserted: InsertedInParts;

  constructor(inserted: InsertedInParts) {
    super('the transaction is rolled back');
    this.inserted = inserted;
  }
}

export async function insertInParts(
  locking: LockingConnection,
  decide: DecidePart,
  count: number,
): Promise<InsertedInParts> {
  const newRows: InsertRow[] = [];
  try {
    const { end } = await locking.transaction((on) => writeParts(on, decide, count, newRows));
    if (end === 'undone' || (end === 'lost' && newRows.length < count)) return { end: 'undone' };
    return { end: end === 'done' ? 'written' : 'lost', newRows };
  } catch (error) {
    if (error instanceof RollBack) return error.inserted;
    if (error instanceof Conflict) return { end: 'taken', newRows };
    throw error;
  }
}

async function writeParts(on: Connection, decide: DecidePart, count: number, newRows: InsertRow[]): Promise<void> {
  const sent: Promise<void>[] = [];
  let failed: { readonly error: unknown } | null = null;
  for (let from = 0; from < count && failed === null; from += PART) {
    const decided = decide(from, Math.min(count, from + PART));
    if (!decided.ok) throw new RollBack({ end: 'refused', refusal: decided.refusal, upTo: decided.upTo });
    newRows.push(...decided.newRows);
    const writing = insertOnce(on, decided.newRows).then(({ written }) => {
      // Another process has added limit counters: the insert without parts finds and updates them.
      if (!written) throw new RollBack({ end: 'undone' });
    });
    // Only the first error tells the cause: later statements fail because the transaction has failed.
    sent.push(writing.catch((error: unknown) => void (failed ??= { error })));
    // Lets the driver send the statement.
    await nextTurn();
  }
  await Promise.all(sent);
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- set by what was waited for
  if (failed !== null) throw (failed as { readonly error: unknown }).error;
}
