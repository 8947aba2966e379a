/**
 * Migrates the schema to our version, one version after the other, each in a transaction under an advisory lock. A newer
 * schema is refused.
 */
import { StoreFault } from '../store.ts';
import type { Driver } from './driver.ts';
import { MIGRATIONS, SCHEMA_VERSION } from './schema.ts';
import { ConnectionError } from './connection-error.ts';

/** 'BATN' as a number, so that the lock differs from those of other programs. */
const LOCK = 0x4241544e;
/** Raised when another process was faster. PostgreSQL does not use this code itself. */
const NOT_OUR_TURN = 'BT001';

/** Selects the version. Fails where there is no schema of ours. */
export const VERSION_SQL = 'select version from baton.schema_version';

export async function migrate(link: Driver, where: string): Promise<void> {
  for (let found = await versionOf(link); found !== SCHEMA_VERSION; found = await versionOf(link)) {
    if (found > SCHEMA_VERSION) throw wrongVersion(where, found);
    try {
      await link.runScript(scriptFor(found));
    } catch (error) {
      // The failed transaction is still open; ending it makes the connection usable again.
      if (link.alive) await link.runScript('rollback');
      if (error instanceof ConnectionError && error.code === NOT_OUR_TURN) continue;
      if (error instanceof ConnectionError && error.code === '42501') throw mayNot(where, error);
      throw error;
    }
  }
}

export function wrongVersion(where: string, found: number): StoreFault {
  const advice =
    found > SCHEMA_VERSION
      ? 'install a newer Baton; the database was left as it is'
      : 'restart this Baton, which then brings it up to date';
  return new StoreFault(
    `${where} has schema version ${found}, this Baton knows version ${SCHEMA_VERSION}: ${advice}`,
    'unchanged',
  );
}

async function versionOf(link: Driver): Promise<number> {
  try {
    const [rows] = await link.runScript(VERSION_SQL);
    return Number(rows?.[0]?.[0] ?? 0);
  } catch (error) {
    if (error instanceof ConnectionError && error.kind === 'no-schema') return 0;
    throw error;
  }
}

/** Has no statement timeout: changing a large table takes long. */
function scriptFor(found: number): string {
  const next = found + 1;
  return `
    begin;
    set local statement_timeout = 0;
    set local lock_timeout = '30s';
    set local client_min_messages = warning;
    select pg_advisory_xact_lock(${LOCK}, hashtext(current_database() || 'baton.'));
    do $make$ begin
      -- IF NOT EXISTS would ask for the right to create one even where it exists.
      if to_regclass('baton.schema_version') is null then create schema if not exists baton; end if;
    end $make$;
    create table if not exists baton.schema_version
      (one boolean primary key default true check (one), version integer not null);
    insert into baton.schema_version (version) values (0) on conflict do nothing;
    do $turn$ begin
      if (select version from baton.schema_version) <> ${found} then
        raise exception 'another process was faster' using errcode = '${NOT_OUR_TURN}';
      end if;
    end $turn$;
    ${MIGRATIONS[found] ?? ''}
    update baton.schema_version set version = ${next};
    commit;`;
}

function mayNot(where: string, cause: Error): StoreFault {
  return new StoreFault(
    `the user of ${where} may not create the tables: let its owner start Baton once, or grant CREATE on the database`,
    'unchanged',
    { cause },
  );
}
