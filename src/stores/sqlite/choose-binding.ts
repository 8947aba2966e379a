/**
 * Which SQLite this process uses: Node's own where it is stable and new enough (Node 24 and later, Bun, Deno), the
 * prebuilt package `@photostructure/sqlite` elsewhere. Both have the API of `node:sqlite`.
 */
import type { DatabaseSync } from '@photostructure/sqlite';
import { ownModule } from '../../foundation/own-module.ts';
import { StoreFault } from '../store.ts';

const SOURCES = ['node', 'package'] as const;
type Source = (typeof SOURCES)[number];
interface SqliteModule {
  readonly DatabaseSync: typeof DatabaseSync;
}

export interface Binding extends SqliteModule {
  readonly source: Source;
  /** Of SQLite itself. */
  readonly version: string;
}

/** Older versions of SQLite can damage a database when several processes checkpoint. */
const VERSION_MIN = '3.51.3';
/** In Node 22 `node:sqlite` is experimental and prints a warning. */
const STABLE_SINCE = 24;
const PACKAGE = '@photostructure/sqlite';
/** For tests, and to avoid a defect of one binding. */
const VARIABLE = 'BATON_SQLITE';

let chosen: Binding | null = null;

/** @throws StoreFault where there is no SQLite, or only one that is too old. */
export function chooseBinding(): Binding {
  chosen ??= checked(wantedSource() ?? (isNodesUsable() ? 'node' : 'package'));
  return chosen;
}

/** For `baton doctor`. */
export function bindingText({ source, version }: Binding): string {
  return `SQLite ${version} of ${source === 'node' ? `Node ${process.versions.node} itself` : `the package ${PACKAGE}`}`;
}

function wantedSource(): Source | null {
  const text = process.env[VARIABLE] ?? '';
  const wanted = SOURCES.find((source) => source === text) ?? null;
  if (wanted === null && text !== '') throw fault(`${VARIABLE} is "${text}"; it can be ${SOURCES.join(' or ')}`);
  return wanted;
}

function isNodesUsable(): boolean {
  const { node, sqlite } = process.versions;
  return Number.parseInt(node, 10) >= STABLE_SINCE && sqlite !== undefined && isNewEnough(sqlite);
}

function checked(source: Source): Binding {
  const sqlite = load(source);
  // Node of some distributions uses the SQLite of the system, so only SQLite knows the version that runs.
  const memory = new sqlite.DatabaseSync(':memory:');
  const row = memory.prepare('SELECT sqlite_version() AS version').get() as { readonly version: string };
  memory.close();
  const binding = { DatabaseSync: sqlite.DatabaseSync, source, version: row.version };
  if (isNewEnough(row.version)) return binding;
  throw fault(
    `${bindingText(binding)} is too old: before ${VERSION_MIN} SQLite can damage a database that several processes ` +
      'use. Nothing was opened. Use a newer Node, or PostgreSQL (--database postgres://…)',
  );
}

function load(source: Source): SqliteModule {
  if (source === 'node') {
    const own = process.getBuiltinModule('node:sqlite') as SqliteModule | undefined;
    if (own === undefined) throw fault(`Node ${process.versions.node} has no SQLite of its own (${VARIABLE}=node)`);
    return own;
  }
  try {
    // `createRequire` is not imported: webpack breaks an imported one whose argument it cannot evaluate.
    return process.getBuiltinModule('node:module').createRequire(ownModule())('@photostructure/sqlite') as SqliteModule;
  } catch (error) {
    throw fault(
      `Node ${process.versions.node} has no stable SQLite of its own that is new enough, and the optional package ` +
        `${PACKAGE} cannot be loaded (${error instanceof Error ? error.message.split('\n')[0] : String(error)}). ` +
        `Install it (npm install ${PACKAGE}), use Node ${STABLE_SINCE} or newer, or use PostgreSQL`,
      error,
    );
  }
}

export function isNewEnough(version: string): boolean {
  const [found, wanted] = [version, VERSION_MIN].map((text) => text.split('.').map(Number));
  const differing = wanted?.findIndex((part, index) => found?.[index] !== part) ?? -1;
  return differing === -1 || (found?.[differing] ?? 0) > (wanted?.[differing] ?? 0);
}

function fault(says: string, cause?: unknown): StoreFault {
  return new StoreFault(says, 'unchanged', { cause });
}
