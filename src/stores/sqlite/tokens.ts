import type { Tokens, TokenRecord } from '../store.ts';
import { byAge, knownToken, readToken, writeToken } from '../token-records.ts';
import { prepare, type Database, type Row } from './binding.ts';
import type { SharedCommit } from './shared-commit.ts';

export function tokensOf(
  database: Database,
  around: {
    readonly commit: SharedCommit;
    readonly nowMs: () => number;
    readonly alive: () => void;
    readonly reader: <Answer>(read: () => Answer) => Promise<Answer>;
  },
): Tokens {
  const { commit, nowMs, alive, reader } = around;
  const columns = 'id, hash, record, revoked_at';
  const known = prepare(database, 'SELECT 1 FROM token WHERE id = ? OR hash = ?');
  const insert = prepare(database, `INSERT INTO token (${columns}) VALUES (?, ?, ?, ?)`);
  const find = prepare(database, `SELECT ${columns} FROM token WHERE hash = ?`);
  const all = prepare(database, `SELECT ${columns} FROM token`);
  const revoke = prepare(database, 'UPDATE token SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');

  return {
    add: async (token) => {
      alive();
      await commit.run(() => {
        if (known.get(token.id, token.hash) !== undefined) throw knownToken(token.id);
        return () => void insert.run(token.id, token.hash, writeToken(token), token.revokedAt);
      });
    },
    byHash: (hash) =>
      reader(() => {
        const row = find.get(hash);
        return row === undefined ? null : tokenOf(row);
      }),
    list: () => reader(() => all.all().map(tokenOf).toSorted(byAge)),
    revoke: async (id) => {
      alive();
      return commit.run(() => () => revoke.run(nowMs(), id) === 1);
    },
  };
}

function tokenOf(row: Row): TokenRecord {
  return readToken(row[0] as string, row[1] as string, row[2] as string, row[3] as number | null);
}
