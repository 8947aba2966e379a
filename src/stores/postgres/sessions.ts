/** Worker sessions. Silence is measured only by the server's clock. */
import { assert } from '../../foundation/assert.ts';
import type { AgentId, SessionId } from '../../domain/names.ts';
import type { ProcessIdentity, RunningGroup, Sessions } from '../store.ts';
import { BEAT_SQL } from './heartbeat.ts';
import type { Connection } from './connection.ts';
import { ACCEPTED } from './sql-numbers.ts';

const HOLDS = `exists (select from baton.handoff h where h.state = ${ACCEPTED} and h.session = s.id)`;
const SILENT_MS = "greatest(0, floor(date_part('epoch', clock_timestamp() - s.beat_at) * 1000))::bigint";

/** May be repeated after a lost answer. An ended session stays ended. */
const OPEN_SQL = `insert into baton.session as s (id, agent, process, lease_ms)
values ($1::text, $2::text, $3::text, $4::bigint)
on conflict (id) do update set beat_at = clock_timestamp() where not s.ended`;

const RUNNING_SQL = 'update baton.session set groups = $2::text where id = $1::text';

export const LIST_SQL = `select s.id, s.agent, s.process, s.groups, ${SILENT_MS}, s.ended, s.lease_ms
from baton.session s where not s.ended or ${HOLDS} order by s.n`;

/**
 * `for update` waits for statements that are taking a handoff for this session; later ones find it ended. The silence is
 * computed from the locked row, so an earlier heartbeat keeps the session. An unknown session counts as ended.
 */
const END_SQL = `with judged as materialized (
  select s.id, s.ended or clock_timestamp() - s.beat_at >= $2::text::interval as ends
  from baton.session s where s.id = $1::text for update),
ended as (update baton.session s set ended = true from judged where s.id = judged.id and judged.ends)
select coalesce((select ends from judged), true)`;

const FORGET_SQL = `with gone as (delete from baton.session s where s.id = $1::text and s.ended and not ${HOLDS} returning true)
select ${HOLDS} from (select $1::text as id) s`;

export function sessionsOf(connection: Connection): Sessions {
  return {
    open: async ({ id, agent, process, leaseMs }) => {
      await connection.write(OPEN_SQL, [id, agent, JSON.stringify(process), leaseMs]);
    },
    beat: async (id) => (await connection.write(BEAT_SQL, [id])).rows.length > 0,
    running: async (id, groups) => {
      await connection.write(RUNNING_SQL, [id, JSON.stringify(groups)]);
    },
    list: async () =>
      (await connection.read(LIST_SQL)).map((row) => ({
        id: row[0] as SessionId,
        agent: row[1] as AgentId,
        process: JSON.parse(row[2] as string) as ProcessIdentity,
        groups: JSON.parse(row[3] as string) as readonly RunningGroup[],
        leaseMs: row[6] as number,
        silentForMs: row[4] as number,
        ended: row[5] as boolean,
      })),
    end: async (id, silentForMs) =>
      (await connection.write(END_SQL, [id, `${silentForMs} milliseconds`])).rows[0]?.[0] === true,
    forget: async (id) => {
      const { rows } = await connection.write(FORGET_SQL, [id]);
      assert(rows[0]?.[0] !== true, `session ${id} holds nothing any more`);
    },
  };
}
