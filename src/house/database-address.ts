/** Where the database is: a file of SQLite, or a server of PostgreSQL. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };
