import {
  DENIALS_MAX,
  mintedDetail,
  type Tokens,
  type TokenEvent,
  type TokenLogDetail,
  type UsedToken,
} from '../token-store.ts';
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
import type { StoreParts } from './store-parts.ts';

export function tokensOf({ sql, nowMs, read, commit, write }: StoreParts): Tokens {
  const known = sql('SELECT 1 FROM token WHERE id = ? OR hash = ?');
  const insert = sql(`INSERT INTO token (${TOKEN_COLUMNS}) VALUES (?, ?, ?, ?, ?)`);
  const byId = sql(`SELECT ${READ_COLUMNS} FROM token WHERE id = ?`);
  const all = sql(`SELECT ${READ_COLUMNS} FROM token`);
  const revoke = sql('UPDATE token SET revoked_at = ?, keeps_leases = ? WHERE id = ? AND revoked_at IS NULL');
  const open = sql('SELECT 1 FROM token_bootstrap WHERE closed_at IS NULL');
  const close = sql('UPDATE token_bootstrap SET closed_at = ? WHERE closed_at IS NULL');
  const append = sql('INSERT INTO token_log (at, what, token, by, detail) VALUES (?, ?, ?, ?, ?)');
  const log = sql(`SELECT ${LOG_COLUMNS} FROM token_log WHERE ?1 IS NULL OR seq < ?1 ORDER BY seq DESC LIMIT ?2`);
  const forget = sql(`DELETE FROM token_log WHERE what = 'denied' AND seq <= (
    SELECT seq FROM token_log WHERE what = 'denied' ORDER BY seq DESC LIMIT 1 OFFSET ${DENIALS_MAX - 1})`);
  const note = (what: TokenEvent, token: string | null, by: string, detail: TokenLogDetail): void =>
    void append.run(nowMs(), what, token, by, JSON.stringify(detail));

  return {
    add: (token, { by, what = 'minted', bootstrap }) =>
      commit(() => {
        if (bootstrap === 'use' && open.get() === undefined) return () => false;
        if (known.get(token.id, token.hash) !== undefined) throw knownToken(token.id);
        return () => {
          insert.run(token.id, token.hash, writeToken(token), token.revokedAt, token.keepsLeases ? 1 : 0);
          if (bootstrap !== undefined) close.run(nowMs());
          note(what, token.id, by, mintedDetail(token));
          return true;
        };
      }),
    byHash: (hash) => read(() => tokenByHash(sql, hash)),
    byIds: (ids) => read(() => ids.flatMap((id) => byId.all(id)).map(readToken)),
    list: () => read(() => all.all().map(readToken).toSorted(byAge)),
    used: (id) => write(() => noteTokenUse(sql, id, nowMs())),
    revoke: (id, { by, keepsLeases = false }) =>
      write(() => {
        if (revoke.run(nowMs(), keepsLeases ? 1 : 0, id) !== 1) return false;
        note('revoked', id, by, { keepsLeases });
        return true;
      }),
    bootstrapIsOpen: () => read(() => open.get() !== undefined),
    denied: ({ token, by, detail }) =>
      write(() => {
        forget.run();
        note('denied', token, by, detail);
      }),
    log: ({ max, after }) =>
      read(() => readLogPage(log.all(after === undefined ? null : readCursor(after), max + 1), max)),
  };
}

export function tokenByHash(sql: StoreParts['sql'], hash: string): UsedToken | null {
  const row = sql(`SELECT ${READ_COLUMNS} FROM token WHERE hash = ?`).get(hash);
  return row === undefined ? null : readToken(row);
}

export function noteTokenUse(sql: StoreParts['sql'], id: string, nowMs: number): void {
  sql('UPDATE token SET used_at = ? WHERE id = ?').run(nowMs, id);
}
