import type { JsonText } from '../../foundation/json.ts';
import type { Policies, PolicyRecord } from '../store.ts';
import { prepare, type Database, type Row } from './binding.ts';
import type { StoreParts } from './store-parts.ts';

export function policiesOf(database: Database, { commit, nowMs, alive, reader }: StoreParts): Policies {
  // Prepared when they are needed: every command reads the current version, few do anything else.
  const newest = (max: number): readonly PolicyRecord[] =>
    prepare(database, 'SELECT version, policy, by, at FROM policy ORDER BY version DESC LIMIT ?')
      .all(max)
      .map(recordOf);

  return {
    current: () => reader(() => newest(1)[0] ?? null),
    put: async (policy, expectedVersion, by) => {
      alive();
      return commit.run(() => {
        if ((newest(1)[0]?.version ?? 0) !== expectedVersion) return () => null;
        const record: PolicyRecord = { version: expectedVersion + 1, policy, by, at: nowMs() };
        return () => {
          prepare(database, 'INSERT INTO policy (version, policy, by, at) VALUES (?, ?, ?, ?)').run(
            record.version,
            record.policy,
            record.by,
            record.at,
          );
          return record;
        };
      });
    },
    history: (max) => reader(() => newest(max)),
  };
}

function recordOf(row: Row): PolicyRecord {
  return { version: row[0] as number, policy: row[1] as JsonText, by: row[2] as string, at: row[3] as number };
}
