/** The duty of a host, which one process has at a time, and the little housekeeping that this database needs. */
import type { ProcessIdentity, Upkeep } from '../store.ts';
import { audit } from './audit.ts';
import type { Connection } from './connection.ts';
import { feedHolders } from './feed-horizon.ts';
import { forgetAllExpired } from './requests.ts';
import type { WordIndex } from './words.ts';

const SILENT_MS = `greatest(0, floor(date_part('epoch', clock_timestamp() - d.beat_at) * 1000))::bigint`;

const HOLDER_SQL = `select d.process, ${SILENT_MS} from baton.duty d where d.host = $1::text`;

/** Kept by its holder, or taken from the one that was judged, unless that one has been heard since. */
const TAKE_SQL = `insert into baton.duty as d (host, process, beat_at) values ($1::text, $2::text, clock_timestamp())
on conflict (host) do update set process = excluded.process, beat_at = excluded.beat_at
where d.process = excluded.process or (d.process = $3::text and ${SILENT_MS} >= $4::bigint)
returning true`;

const LEAVE_SQL = 'delete from baton.duty where host = $1::text and process = $2::text';

/** Whoever audits reads much, on a connection that delays nobody. */
export function upkeepOf(connection: Connection, patient: Connection, words: WordIndex): Upkeep {
  return {
    dutyHolder: async (host) => {
      const [row] = await connection.read(HOLDER_SQL, [host]);
      if (row === undefined) return null;
      return { process: JSON.parse(row[0] as string) as ProcessIdentity, silentForMs: row[1] as number };
    },
    takeDuty: async (process, instead) => {
      const judged = instead === null ? null : textOf(instead.process);
      const silentForMs = Math.floor(instead?.silentForMs ?? 0);
      const { rows } = await connection.write(TAKE_SQL, [process.host, textOf(process), judged, silentForMs]);
      return rows.length > 0;
    },
    leaveDuty: async (process) => {
      await connection.write(LEAVE_SQL, [process.host, textOf(process)]);
    },
    tend: async () => {
      await forgetAllExpired(connection);
      await words.feed();
    },
    audit: () => audit(patient),
    feedHolders: () => feedHolders(patient),
  };
}

/** Always in this order, so that the same process is the same text. */
function textOf({ host, boot, pidSpace, pid, startedAt }: ProcessIdentity): string {
  return JSON.stringify({ host, boot, pidSpace, pid, startedAt });
}
