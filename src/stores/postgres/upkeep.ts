/** The duty of a place, and the maintenance of this database. */
import { JUMP_MS } from '../../foundation/clock.ts';
import { identityText, placeOf } from '../../foundation/process-identity.ts';
import type { ProcessIdentity, Upkeep } from '../store.ts';
import { audit } from './audit.ts';
import type { Connection } from './connection.ts';
import { feedHolders } from './feed-horizon.ts';
import { NOW_MS } from './schema.ts';
import { forgetAllExpired } from './requests.ts';
import type { WordIndex } from './text-index.ts';

const SILENT_MS = `greatest(0, floor(date_part('epoch', clock_timestamp() - d.beat_at) * 1000))::bigint`;

const HOLDER_SQL = `select d.process, ${SILENT_MS} from baton.duty d where d.host = $1::text`;

/**
 * Keeps the duty, or takes it from the holder that was found gone, unless that one has sent a heartbeat since. Also
 * deletes rows of places without activity for an hour: every boot and every container is a place of its own.
 */
const TAKE_SQL = `with forgotten as (
  delete from baton.duty o where o.beat_at < clock_timestamp() - interval '1 hour' and o.host <> $1::text)
insert into baton.duty as d (host, process, beat_at) values ($1::text, $2::text, clock_timestamp())
on conflict (host) do update set process = excluded.process, beat_at = excluded.beat_at
where d.process = excluded.process or (d.process = $3::text and ${SILENT_MS} >= $4::bigint)
returning true`;

const LEAVE_SQL = 'delete from baton.duty where host = $1::text and process = $2::text';

/** `nextClockMark` in one statement, so that reading and writing are atomic. */
const CLOCK_SQL = `with own as (select $1::text as boot, $2::bigint as monotonic_ms, ${NOW_MS} as wall_ms),
before as materialized (select boot, monotonic_ms, wall_ms from baton.clock),
look as (
  insert into baton.clock as c (n, boot, monotonic_ms, wall_ms, steady_since_ms)
  select 1, boot, monotonic_ms, wall_ms, wall_ms from own
  on conflict (n) do update set boot = excluded.boot, monotonic_ms = excluded.monotonic_ms, wall_ms = excluded.wall_ms,
    steady_since_ms = case when abs(excluded.wall_ms - c.wall_ms - case
      when c.boot = excluded.boot and c.boot <> '' then excluded.monotonic_ms - c.monotonic_ms else 0 end) <= ${JUMP_MS}
      then c.steady_since_ms else excluded.wall_ms end
  returning c.wall_ms, c.steady_since_ms)
select look.wall_ms - look.steady_since_ms,
  exists (select from before b join own o on b.boot = o.boot and b.boot <> ''
    where abs(o.wall_ms - b.wall_ms - (o.monotonic_ms - b.monotonic_ms)) > ${JUMP_MS})
from look`;

/** Audits read much, so they have a connection of their own. */
export function upkeepOf(connection: Connection, auditConnection: Connection, words: WordIndex): Upkeep {
  return {
    dutyHolder: async (process) => {
      const [row] = await connection.read(HOLDER_SQL, [placeOf(process)]);
      if (row === undefined) return null;
      return { process: JSON.parse(row[0] as string) as ProcessIdentity, silentForMs: row[1] as number };
    },
    takeDuty: async (process, instead) => {
      const judged = instead === null ? null : identityText(instead.process);
      const silentForMs = Math.floor(instead?.silentForMs ?? 0);
      const given = [placeOf(process), identityText(process), judged, silentForMs];
      const { rows } = await connection.write(TAKE_SQL, given);
      return rows.length > 0;
    },
    leaveDuty: async (process) => {
      await connection.write(LEAVE_SQL, [placeOf(process), identityText(process)]);
    },
    checkClock: async ({ boot, monotonicMs }) => {
      const { rows } = await connection.write(CLOCK_SQL, [boot, Math.floor(monotonicMs)]);
      return { steadyMs: (rows[0]?.[0] as number | undefined) ?? 0, wasSet: rows[0]?.[1] === true };
    },
    maintain: async () => {
      await forgetAllExpired(connection);
      await words.update();
    },
    audit: () => audit(auditConnection),
    feedHolders: () => feedHolders(auditConnection),
  };
}
