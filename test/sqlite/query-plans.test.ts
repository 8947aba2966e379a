import { describe, expect, it } from 'vitest';
import { prepare, type Database } from '../../src/stores/sqlite/binding.ts';
import { CLAIM_SQL, PROBE_SQL, RIPEN_SQL } from '../../src/stores/sqlite/claim.ts';
import { FREED_SQL, OF_SESSION_SQL, OVERDUE_SQL } from '../../src/stores/sqlite/reading.ts';
import { openStoreAndFile } from './databases.ts';

/** What stands on the way of a claim, a sweep or a settling, with the index that keeps history out of it. */
const PLANS = {
  'taking what is ready': [CLAIM_SQL, ['handoff_ready']],
  'moving over what has become due': [RIPEN_SQL, ['handoff_delayed']],
  'looking whether there is anything': [PROBE_SQL, ['handoff_ready', 'handoff_delayed']],
  'finding what is overdue': [OVERDUE_SQL, ['handoff_due']],
  'finding what a session holds': [OF_SESSION_SQL, ['handoff_session']],
  'finding what has become free': [FREED_SQL, ['handoff_freed']],
} as const;

describe('nothing on the way of the work grows with what is finished', () => {
  it.each(Object.entries(PLANS))('%s uses its own index', (_what, [sql, indexes]) => {
    const { database } = openStoreAndFile();
    const steps = planOf(database, sql);
    for (const index of indexes) expect(steps.join('\n')).toMatch(new RegExp(`INDEX ${index}\\b`));
    // The freed ones are an index of their own, read from its beginning; everything else is searched.
    const scans = steps.filter(
      (step) => /^SCAN (?!CONSTANT)/.test(step) && !step.includes('USING INDEX handoff_freed'),
    );
    expect(scans).toEqual([]);
    expect(steps.filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
  });

  it('notices a plan that reads everything', () => {
    const { database } = openStoreAndFile();
    expect(planOf(database, 'SELECT id FROM handoff WHERE title = ? ORDER BY since')).toEqual([
      'SCAN handoff',
      'USE TEMP B-TREE FOR ORDER BY',
    ]);
  });
});

function planOf(database: Database, sql: string): readonly string[] {
  const marks = sql.includes('?1') ? 2 : (sql.match(/\?/g) ?? []).length;
  return prepare(database, `EXPLAIN QUERY PLAN ${sql}`)
    .all(...Array.from({ length: marks }, () => 1))
    .map((row) => String(row[3]));
}
