import { POLICY_COLUMNS, readPolicy } from '../shared-rows.ts';
import type { Policies, PolicyRecord } from '../store.ts';
import type { Connection } from './connection.ts';
import { NOW_MS } from './schema.ts';

const NEWEST_SQL = `select ${POLICY_COLUMNS} from baton.policy order by version desc limit $1::integer`;
/** If two processes add the same version, the primary key lets only one of them write. */
const PUT_SQL = `insert into baton.policy (${POLICY_COLUMNS})
select $2::bigint + 1, $1::text, $3::text, ${NOW_MS}
where coalesce((select max(version) from baton.policy), 0) = $2::bigint
on conflict (version) do nothing returning ${POLICY_COLUMNS}`;

export function policiesOf(connection: Connection): Policies {
  const newest = async (max: number): Promise<readonly PolicyRecord[]> =>
    (await connection.read(NEWEST_SQL, [max])).map(readPolicy);
  return {
    current: async () => (await newest(1))[0] ?? null,
    put: async (policy, expectedVersion, by) => {
      const { rows, maybeApplied } = await connection.write(PUT_SQL, [policy, expectedVersion, by]);
      const [row] = rows;
      if (row !== undefined) return readPolicy(row);
      if (!maybeApplied) return null;
      // An answer was lost and the write was retried: the newer version may be our own.
      const written = (await newest(1))[0] ?? null;
      const isOurs = written?.version === expectedVersion + 1 && written.policy === policy && written.by === by;
      return isOurs ? written : null;
    },
    history: newest,
  };
}
