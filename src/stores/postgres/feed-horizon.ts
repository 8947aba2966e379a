/**
 * The transaction number before which no fact can appear any more, found from the locks on Baton's own tables.
 *
 * `pg_snapshot_xmin` is cheaper and right, but it waits for every writing transaction of every database on the server.
 * A transaction that writes facts holds a lock on a table of our schema from before it gets its number until after it
 * has become visible. So a number that was in progress when the snapshot was taken, and whose transaction holds no such
 * lock when the locks are read afterwards, belongs either to another program or to a transaction that has ended, which
 * the next statement sees. See docs/decisions/012.
 */
import type { FeedHolder } from '../store.ts';
import type { Connection } from './connection.ts';

/**
 * A transaction that only reads holds AccessShareLock and cannot add a fact without a stronger lock.
 * A number comes from the backend itself, because its lock (`transactionid`) is taken a moment after the number is
 * given out; a prepared transaction has no backend, and its number is known by that lock only.
 */
const WRITERS = `ours as materialized (
  select pid, virtualtransaction from pg_locks
  where locktype = 'relation' and mode <> 'AccessShareLock'
    and database = (select oid from pg_database where datname = current_database())
    and relation in (select oid from pg_class
      where relnamespace = (select relnamespace from pg_class where oid = 'baton.fact'::regclass))
), numbers as materialized (
  select backend_xid as xid from pg_stat_activity
    where backend_xid is not null and pid in (select pid from ours)
  union all
  select transactionid from pg_locks
    where locktype = 'transactionid' and mode = 'ExclusiveLock'
      and virtualtransaction in (select virtualtransaction from ours)
), writers as materialized (
  select x as xid from pg_snapshot_xip(pg_current_snapshot()) x where x::xid in (select xid from numbers)
)`;

const HORIZON_SQL = `with ${WRITERS}
select coalesce((select xid from writers order by xid limit 1), pg_snapshot_xmax(pg_current_snapshot()))::text`;

/** Writers that hold back facts from the feed. */
const HOLDERS_SQL = `with ${WRITERS}
select w.xid::text, a.pid, a.application_name, p.gid, current_database(),
  floor(date_part('epoch', clock_timestamp() - coalesce(p.prepared, a.xact_start)) * 1000)::bigint
from writers w
left join pg_stat_activity a on a.backend_xid = w.xid::xid
left join pg_prepared_xacts p on p.transaction = w.xid::xid
where w.xid < (select xid from baton.fact order by xid desc, seq desc limit 1)
order by w.xid limit $1::integer`;

const HOLDERS_MAX = 20;

/** A statement that is sent after this one is answered sees all facts with a smaller number. */
export async function feedHorizon(connection: Connection): Promise<string> {
  const [row] = await connection.read(HORIZON_SQL);
  return row?.[0] as string;
}

export async function feedHolders(connection: Connection): Promise<readonly FeedHolder[]> {
  const rows = await connection.read(HOLDERS_SQL, [HOLDERS_MAX]);
  return rows.map((row) => ({
    transaction: row[0] as string,
    pid: row[1] as number | null,
    application: row[2] === '' ? null : (row[2] as string | null),
    preparedAs: row[3] as string | null,
    database: row[4] as string,
    openForMs: row[5] as number | null,
  }));
}
