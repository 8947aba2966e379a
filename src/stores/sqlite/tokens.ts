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
import { prepare, type Database } from './binding.ts';
import type { StoreParts } from './store-parts.ts';

export function tokensOf(database: Database, { commit, nowMs, alive, reader }: StoreParts): Tokens {
  const known = prepare(database, 'SELECT 1 FROM token WHERE id = ? OR hash = ?');
  const insert = prepare(database, `INSERT INTO token (${TOKEN_COLUMNS}) VALUES (?, ?, ?, ?, ?)`);
  const byId = prepare(database, `SELECT ${READ_COLUMNS} FROM token WHERE id = ?`);
  const all = prepare(database, `SELECT ${READ_COLUMNS} FROM token`);
  const revoke = prepare(
    database,
    'UPDATE token SET revoked_at = ?, keeps_leases = ? WHERE id = ? AND revoked_at IS NULL',
  );
  const open = prepare(database, 'SELECT 1 FROM token_bootstrap WHERE closed_at IS NULL');
  const close = prepare(database, 'UPDATE token_bootstrap SET closed_at = ? WHERE closed_at IS NULL');
  const append = prepare(database, 'INSERT INTO token_log (at, what, token, by, detail) VALUES (?, ?, ?, ?, ?)');
  const log = prepare(
    database,
    `SELECT ${LOG_COLUMNS} FROM token_log WHERE ?1 IS NULL OR seq < ?1 ORDER BY seq DESC LIMIT ?2`,
  );
  const forget = prepare(
    database,
    `DELETE FROM token_log WHERE what = 'denied' AND seq <= (
      SELECT seq FROM token_log WHERE what = 'denied' ORDER BY seq DESC LIMIT 1 OFFSET ${DENIALS_MAX - 1})`,
  );
  const note = (what: TokenEvent, token: string | null, by: string, detail: TokenLogDetail): void =>
    void append.run(nowMs(), what, token, by, JSON.stringify(detail));

  return {
    add: async (token, { by, what = 'minted', bootstrap }) => {
      alive();
      return commit.run(() => {
        if (bootstrap === 'use' && open.get() === undefined) return () => false;
        if (known.get(token.id, token.hash) !== undefined) throw knownToken(token.id);
        return () => {
          insert.run(token.id, token.hash, writeToken(token), token.revokedAt, token.keepsLeases ? 1 : 0);
          if (bootstrap !== undefined) close.run(nowMs());
          note(what, token.id, by, mintedDetail(token));
          return true;
        };
      });
    },
    byHash: (hash) => reader(() => tokenByHash(database, hash)),
    byIds: (ids) =>
      reader(() =>
        ids
          .map((id) => byId.get(id))
          .filter((row) => row !== undefined)
          .map(readToken),
      ),
    list: () => reader(() => all.all().map(readToken).toSorted(byAge)),
    used: async (id) => {
      alive();
      await commit.run(() => () => noteTokenUse(database, id, nowMs()));
    },
    revoke: async (id, { by, keepsLeases = false }) => {
      alive();
      return commit.run(() => () => {
        if (revoke.run(nowMs(), keepsLeases ? 1 : 0, id) !== 1) return false;
        note('revoked', id, by, { keepsLeases });
        return true;
      });
    },
    bootstrapIsOpen: () => reader(() => open.get() !== undefined),
    denied: async ({ token, by, detail }) => {
      alive();
      await commit.run(() => () => {
        forget.run();
        note('denied', token, by, detail);
      });
    },
    log: ({ max, after }) =>
      reader(() => readLogPage(log.all(after === undefined ? null : readCursor(after), max + 1), max)),
  };
}

export function tokenByHash(database: Database, hash: string): UsedToken | null {
  const row = prepare(database, `SELECT ${READ_COLUMNS} FROM token WHERE hash = ?`).get(hash);
  return row === undefined ? null : readToken(row);
}

export function noteTokenUse(database: Database, id: string, nowMs: number): void {
  prepare(database, 'UPDATE token SET used_at = ? WHERE id = ?').run(nowMs, id);
}
