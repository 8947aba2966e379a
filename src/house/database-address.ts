/** Where the database is: a file of SQLite, or a server of PostgreSQL. */
import { resolve } from 'node:path';

export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

export const DATABASE_RULE = 'postgres://… or the path of a SQLite file';

/** Null: an address of something else, which must not become a file of that name. */
export function readDatabaseAddress(text: string): DatabaseAddress | null {
  if (/^postgres(?:ql)?:\/\//.test(text)) return { kind: 'postgres', url: text };
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(text) ? null : { kind: 'sqlite', path: resolve(text) };
}
