/** The address of the database: a SQLite file or a PostgreSQL server. */
import { resolve } from 'node:path';
import { ConfigurationProblem } from './configuration-problem.ts';
import type { ConfigurationText } from './configuration-shape.ts';
import type { Workspace } from './workspace.ts';

export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

export const DATABASE_RULE = 'postgres://… or the path of a SQLite file';

/** An in-memory database would lose what a command has just done. */
export const IN_MEMORY = ':memory:';

/** Null: another kind of address, which must not become a file name. */
export function readDatabaseAddress(text: string, folder = '.'): DatabaseAddress | null {
  if (text === IN_MEMORY) return null;
  if (/^postgres(?:ql)?:\/\//.test(text)) return { kind: 'postgres', url: text };
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(text) ? null : { kind: 'sqlite', path: resolve(folder, text) };
}

/**
 * The database that `baton.yaml` names. A workspace for PostgreSQL never falls back to a file: a missing environment variable
 * is an error.
 */
export function databaseOfWorkspace(
  { folder, databasePath, configurationPath }: Workspace,
  { database }: Pick<ConfigurationText, 'database'>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): DatabaseAddress {
  if (database === undefined) return { kind: 'sqlite', path: databasePath };
  const text = database.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = environment[name] ?? '';
    if (value !== '') return value;
    throw new ConfigurationProblem(
      `${configurationPath}: database: the variable ${name} is not set; set it, or use --database`,
    );
  });
  const address = readDatabaseAddress(text, folder);
  if (address !== null) return address;
  throw new ConfigurationProblem(`${configurationPath}: database: expected ${DATABASE_RULE}`);
}
