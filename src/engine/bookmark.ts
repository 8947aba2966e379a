/** Where a folder adapter continues to read the facts: the name of the database and a cursor in it, kept in a file. */
import { BadCursor } from '../stores/store.ts';
import type { Context } from './context.ts';

/** Null: there is no bookmark, it belongs to another database, or it is damaged. Reading then starts over. */
export async function cursorIn(ctx: Context, bookmark: string | null): Promise<string | null> {
  const [name = '', cursor = ''] = (bookmark ?? '').split(' ');
  if (cursor === '' || name !== (await databaseName(ctx))) return null;
  try {
    await ctx.store.facts({ after: cursor, max: 1 });
    return cursor;
  } catch (error) {
    if (error instanceof BadCursor) return null;
    throw error;
  }
}

export async function bookmarkAt(ctx: Context, cursor: string): Promise<string> {
  return `${await databaseName(ctx)} ${cursor}`;
}

/** The hash of its first fact: no two databases have the same. */
async function databaseName({ store }: Context): Promise<string> {
  const [first] = await store.facts({ max: 1 });
  return first?.fact.hash ?? '';
}
