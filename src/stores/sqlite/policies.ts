import { POLICY_COLUMNS, readPolicy } from '../shared-rows.ts';
import type { Policies, PolicyRecord } from '../store.ts';
import type { StoreParts } from './store-parts.ts';

export function policiesOf({ sql, nowMs, read, commit }: StoreParts): Policies {
  const select = sql(`SELECT ${POLICY_COLUMNS} FROM policy ORDER BY version DESC LIMIT ?`);
  const add = sql(`INSERT INTO policy (${POLICY_COLUMNS}) VALUES (?, ?, ?, ?)`);
  const newest = (max: number): readonly PolicyRecord[] => select.all(max).map(readPolicy);
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
