import { DENIALS_MAX, mintedDetail, type Tokens, type TokenRecord, type UsedToken } from '../token-store.ts';
import {
  byAge,
  knownToken,
  LOG_COLUMNS,
  readLogPage,
  READ_COLUMNS,
  readToken,
  TOKEN_COLUMNS,
  writeToken,
} from '../token-records.ts';
import { readCursor } from '../read-cursor.ts';
import { Conflict, type Connection } from './connection.ts';
import { NOW_MS } from './schema.ts';

const LINE = 'insert into baton.token_log (at, what, token, by, detail)';
/** If two processes use the bootstrap at once, the second waits for the row, finds it closed and adds nothing. */
const ADD_SQL = `with closed as (
  update baton.token_bootstrap set closed_at = ${NOW_MS}
  where $6::text <> 'leave' and closed_at is null returning 1
), added as (
  insert into baton.token (${TOKEN_COLUMNS})
  select $1::text, $2::text, $3::text, $4::bigint, $5::integer
  where $6::text <> 'use' or exists (select from closed) returning id
), line as (
  ${LINE} select ${NOW_MS}, $7::text, id, $8::text, $9::text from added
) select id from added`;
const REVOKE_SQL = `with revoked as (
  update baton.token set revoked_at = ${NOW_MS}, keeps_leases = $2::integer
  where id = $1::text and revoked_at is null returning id
), line as (
  ${LINE} select ${NOW_MS}, 'revoked', id, $3::text, $4::text from revoked
) select id from revoked`;
const DENIED_SQL = `with forgotten as (
  delete from baton.token_log where what = 'denied' and seq <= (
    select seq from baton.token_log where what = 'denied' order by seq desc limit 1 offset ${DENIALS_MAX - 1})
) ${LINE} values (${NOW_MS}, 'denied', $1::text, $2::text, $3::text)`;
const BY_HASH_SQL = `select ${READ_COLUMNS} from baton.token where hash = $1::text`;
const BY_IDS_SQL = `select ${READ_COLUMNS} from baton.token
where id in (select value from json_array_elements_text($1::text::json))`;
const LIST_SQL = `select ${READ_COLUMNS} from baton.token`;
const USED_SQL = `update baton.token set used_at = ${NOW_MS} where id = $1::text`;
const IS_REVOKED_SQL = 'select 1 from baton.token where id = $1::text and revoked_at is not null';
const IS_OPEN_SQL = 'select 1 from baton.token_bootstrap where closed_at is null';
const LOG_SQL = `select ${LOG_COLUMNS} from baton.token_log
where $1::bigint is null or seq < $1::bigint order by seq desc limit $2::integer`;

export function tokensOf(connection: Connection): Tokens {
  const byHash = async (hash: string): Promise<UsedToken | null> => {
    const [row] = await connection.read(BY_HASH_SQL, [hash]);
    return row === undefined ? null : readToken(row);
  };
  /** Whether the stored token is our own, after a lost answer and a retry. */
  const isOurs = async (token: TokenRecord): Promise<boolean> => {
    const kept = await byHash(token.hash);
    return kept?.id === token.id && writeToken(kept) === writeToken(token);
  };
  return {
    byHash,
    add: async (token, { by, what = 'minted', bootstrap = 'leave' }) => {
      const { id, hash, revokedAt, keepsLeases } = token;
      const line = [what, by, JSON.stringify(mintedDetail(token))];
      const values = [id, hash, writeToken(token), revokedAt, keepsLeases ? 1 : 0, bootstrap, ...line];
      try {
        const { rows, maybeApplied } = await connection.write(ADD_SQL, values);
        return rows.length > 0 || (maybeApplied && (await isOurs(token)));
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        if (error.maybeApplied && (await isOurs(token))) return true;
        throw knownToken(id);
      }
    },
    byIds: async (ids) => {
      if (ids.length === 0) return [];
      return (await connection.read(BY_IDS_SQL, [JSON.stringify(ids)])).map(readToken);
    },
    list: async () => (await connection.read(LIST_SQL)).map(readToken).toSorted(byAge),
    used: async (id) => void (await connection.write(USED_SQL, [id])),
    revoke: async (id, { by, keepsLeases = false }) => {
      const line = [by, JSON.stringify({ keepsLeases })];
      const { rows, maybeApplied } = await connection.write(REVOKE_SQL, [id, keepsLeases ? 1 : 0, ...line]);
      if (rows.length > 0 || !maybeApplied) return rows.length > 0;
      return (await connection.read(IS_REVOKED_SQL, [id])).length > 0;
    },
    bootstrapIsOpen: async () => (await connection.read(IS_OPEN_SQL)).length > 0,
    denied: async ({ token, by, detail }) => {
      await connection.write(DENIED_SQL, [token, by, JSON.stringify(detail)]);
    },
    log: async ({ max, after }) => {
      const before = after === undefined ? null : readCursor(after);
      return readLogPage(await connection.read(LOG_SQL, [before, max + 1]), max);
    },
  };
}
