import type { Tokens, TokenRecord } from '../store.ts';
import { byAge, knownToken, readToken, writeToken } from '../token-records.ts';
import { Conflict, type Connection } from './connection.ts';
import type { Row } from './link.ts';
import { NOW_MS } from './schema.ts';

const COLUMNS = 'id, hash, record, revoked_at';
const ADD_SQL = `insert into baton.token (${COLUMNS}) values ($1::text, $2::text, $3::text, $4::bigint)`;
const BY_HASH_SQL = `select ${COLUMNS} from baton.token where hash = $1::text`;
const LIST_SQL = `select ${COLUMNS} from baton.token`;
const REVOKE_SQL = `update baton.token set revoked_at = ${NOW_MS} where id = $1::text and revoked_at is null returning id`;
const IS_REVOKED_SQL = 'select 1 from baton.token where id = $1::text and revoked_at is not null';

export function tokensOf(connection: Connection): Tokens {
  const byHash = async (hash: string): Promise<TokenRecord | null> => {
    const [row] = await connection.read(BY_HASH_SQL, [hash]);
    return row === undefined ? null : tokenOf(row);
  };
  return {
    byHash,
    add: async (token) => {
      const { id, hash, revokedAt } = token;
      try {
        await connection.write(ADD_SQL, [id, hash, writeToken(token), revokedAt]);
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        // When an answer was lost and we asked again, the one in the way is our own.
        const kept = error.doubtful ? await byHash(hash) : null;
        if (kept?.id !== id || writeToken(kept) !== writeToken(token)) throw knownToken(id);
      }
    },
    list: async () => (await connection.read(LIST_SQL)).map(tokenOf).toSorted(byAge),
    revoke: async (id) => {
      const { rows, doubtful } = await connection.write(REVOKE_SQL, [id]);
      if (rows.length > 0 || !doubtful) return rows.length > 0;
      return (await connection.read(IS_REVOKED_SQL, [id])).length > 0;
    },
  };
}

function tokenOf(row: Row): TokenRecord {
  return readToken(row[0] as string, row[1] as string, row[2] as string, row[3] as number | null);
}
