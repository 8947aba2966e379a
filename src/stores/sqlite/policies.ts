import type { JsonText } from '../../foundation/json.ts';
import type { Policies, PolicyRecord } from '../store.ts';
import type { Row } from './binding.ts';
import type { StoreParts } from './store-parts.ts';

export function policiesOf({ sql, nowMs, read, commit }: StoreParts): Policies {
  const select = sql('SELECT version, policy, by, at FROM policy ORDER BY version DESC LIMIT ?');
  const add = sql('INSERT INTO policy (version, policy, by, at) VALUES (?, ?, ?, ?)');
  const newest = (max: number): readonly PolicyRecord[] => select.all(max).map(recordOf);
  return {
    current: () => read(() => newest(1)[0] ?? null),
    put: (policy, expectedVersion, by) =>
      commit(() => {
        if ((newest(1)[0]?.version ?? 0) !== expectedVersion) return () => null;
        const record: PolicyRecord = { version: expectedVersion + 1, policy, by, at: nowMs() };
        return () => {
          add.run(record.version, policy, by, record.at);
          return record;
        };
      }),
    history: (max) => read(() => newest(max)),
  };
}

function recordOf(row: Row): PolicyRecord {
  return { version: row[0] as number, policy: row[1] as JsonText, by: row[2] as string, at: row[3] as number };
}
