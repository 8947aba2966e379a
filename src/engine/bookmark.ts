/** Where a folder adapter continues to read the facts: the name of the database and a cursor in it, kept in a file. */
import { BadCursor } from '../stores/store.ts';
import type { Surroundings } from './surroundings.ts';

/** Null: there is no bookmark, it belongs to another database, or it is damaged. Reading then starts over. */
export async function cursorIn(around: Surroundings, bookmark: string | null): Promise<string | null> {
  const [name = '', cursor = ''] = (bookmark ?? '').split(' ');
  if (cursor === '' || name !== (await databaseName(around))) return null;
  try {
    await around.store.facts({ after: cursor, max: 1 });
    return cursor;
  } catch (error) {
    if (error instanceof BadCursor) return null;
    throw error;
  }
}

export async function bookmarkAt(around: Surroundings, cursor: string): Promise<string> {
  return `${await databaseName(around)} ${cursor}`;
}

/** The hash of its first fact: no two databases have the same. */
async function databaseName({ store }: Surroundings): Promise<string> {
  const [first] = await store.facts({ max: 1 });
  return first?.fact.hash ?? '';
}
