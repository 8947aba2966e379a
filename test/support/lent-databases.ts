/**
 * Databases with our tables, lent to one test each: made once, emptied when they are given back, and lent again. To
 * empty one takes a hundredth of the time that it takes to make one.
 */
import { systemRandom } from '../../src/foundation/random.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { openPostgresStore } from '../../src/stores/postgres/open-postgres-store.ts';
import type { PrivatePostgres } from './private-postgres.ts';

export interface LentDatabase {
  readonly name: string;
  readonly url: string;
  /** May be called twice. Whoever still holds a lock in it keeps it, and nobody is lent it again. */
  giveBack(): Promise<void>;
}

export function lentDatabases(server: () => PrivatePostgres): () => Promise<LentDatabase> {
  const free: string[] = [];
  let count = 0;
  const make = async (): Promise<string> => {
    const name = `lent_${(count += 1)}`;
    const url = await server().createDatabase(name);
    await (await openPostgresStore({ url, limits: NO_LIMITS, random: systemRandom })).close();
    await server().sql(name).unsafe(KEEP_THE_BEGINNING);
    return name;
  };
  return async () => {
    const name = free.pop() ?? (await make());
    let isLent = true;
    return {
      name,
      url: server().url(name),
      giveBack: async () => {
        if (!isLent) return;
        isLent = false;
        await server()
          .sql(name)
          .unsafe(BACK_TO_THE_BEGINNING)
          .then(
            () => free.push(name),
            () => undefined,
          );
      },
    };
  };
}

/** What the migrations have put into the tables. */
const KEEP_THE_BEGINNING = `
do $keep$ declare each record; begin
  create schema beginning;
  for each in select tablename as name from pg_tables where schemaname = 'baton' loop
    execute format('create table beginning.%I as table baton.%I', each.name, each.name);
  end loop;
end $keep$`;

/**
 * Without triggers and references: all of it goes at once. A sequence of which connections keep numbers in store goes
 * on: a pooler has such connections for longer than a test lasts.
 */
const BACK_TO_THE_BEGINNING = `
do $back$ declare each record; begin
  set local lock_timeout = '5s';
  set local session_replication_role = replica;
  for each in select tablename as name from pg_tables where schemaname = 'baton' loop
    execute format('delete from baton.%I', each.name);
    execute format('insert into baton.%I overriding system value table beginning.%I', each.name, each.name);
  end loop;
  perform setval(format('%I.%I', schemaname, sequencename), 1, false) from pg_sequences
    where schemaname = 'baton' and cache_size = 1;
end $back$`;
