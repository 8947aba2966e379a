/** Nothing on the way of a claim or a sweep grows with what is finished: each question is answered by its own index. */
import { OPEN_AGENTS_SQL } from '../../src/stores/sqlite/agent-sessions.ts';
import { describe, expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { prepare } from '../../src/stores/sqlite/binding.ts';
import { CLAIM_SQL, PROBE_SQL, RIPEN_SQL } from '../../src/stores/sqlite/claim.ts';
import { listStatement, openNumbersSql, type Filter } from '../../src/stores/sqlite/lists.ts';
import { OFFERS_SQL, STILL_OPEN_SQL } from '../../src/stores/sqlite/open-offer-reader.ts';
import { DROPPED_SQL, INBOX_SQL } from '../../src/stores/sqlite/outbox.ts';
import { IS_PAUSED_SQL } from '../../src/stores/sqlite/pauses.ts';
import {
  ASKING_SQL,
  CHAIN_SQL,
  FAILED_DEPENDENCY_SQL,
  FREED_SQL,
  OF_SESSION_SQL,
  OVERDUE_SQL,
  PLACES_SQL,
  RETRIES_SQL,
  SHORT_ID_SQL,
  VISIBLE_CHAIN_SQL,
  WAITING_SQL,
} from '../../src/stores/sqlite/queries.ts';
import { REMOVE_SQL } from '../../src/stores/sqlite/retention.ts';
import { DUE_SCHEDULES_SQL } from '../../src/stores/sqlite/schedules.ts';
import { BEAT_SQL } from '../../src/stores/sqlite/sessions.ts';
import { agentOf } from '../contract/builders.ts';
import { openTables } from './stores.ts';

function listSql(filter: Omit<Filter, 'by' | 'max'>): string {
  const statement = listStatement({ by: 'filter', max: 50, ...filter }, { knownAgentNumber: () => 1 });
  return present(statement, 'there is something to look for').sql;
}

/** What a handoff leaves in each table is found, however much others have left there. */
const REMOVE_STEPS = [
  'SEARCH fact USING COVERING INDEX sqlite_autoindex_fact_1 (handoff=?)',
  'SEARCH body USING INTEGER PRIMARY KEY (rowid=?)',
  'SEARCH outcome USING INTEGER PRIMARY KEY (rowid=?)',
  'SEARCH dependency USING PRIMARY KEY (handoff=?)',
  'SEARCH verifier USING COVERING INDEX verifier_handoff (handoff=?)',
  'SEARCH artifact_use USING COVERING INDEX artifact_use_handoff (handoff=?)',
];

const PLANS: readonly { readonly what: string; readonly sql: string; readonly steps: readonly string[] }[] = [
  {
    what: 'the next ones for an agent',
    sql: CLAIM_SQL,
    steps: [
      'SEARCH handoff USING INDEX handoff_ready (recipient=?)',
      'SEARCH body USING INTEGER PRIMARY KEY (rowid=?)',
    ],
  },
  {
    what: 'those whose time has come',
    sql: RIPEN_SQL,
    steps: ['SEARCH handoff USING COVERING INDEX handoff_delayed (recipient=? AND not_before<?)'],
  },
  {
    what: 'whether there is anything for an agent',
    sql: PROBE_SQL,
    steps: [
      'SCAN CONSTANT ROW',
      'SCALAR SUBQUERY 1',
      'SEARCH handoff USING COVERING INDEX handoff_ready (recipient=?)',
      'SCALAR SUBQUERY 2',
      'SEARCH handoff USING COVERING INDEX handoff_delayed (recipient=? AND not_before<?)',
      'SCALAR SUBQUERY 3',
      'SEARCH agent_pause USING INDEX agent_paused (agent=?)',
    ],
  },
  { what: 'what is overdue', sql: OVERDUE_SQL, steps: ['SEARCH handoff USING INDEX handoff_due (due_at<?)'] },
  {
    what: 'what a session holds',
    sql: OF_SESSION_SQL,
    steps: [
      'SEARCH handoff USING INDEX handoff_session (session=?)',
      'SCALAR SUBQUERY 1',
      'SEARCH session USING COVERING INDEX sqlite_autoindex_session_1 (id=?)',
    ],
  },
  // All of that index is wanted: nothing else is in it.
  { what: 'what waits for nothing any more', sql: FREED_SQL, steps: ['SCAN handoff USING INDEX handoff_freed'] },
  {
    what: 'what waits for a place',
    sql: PLACES_SQL,
    steps: [
      'SEARCH handoff USING INDEX handoff_place (n>?)',
      'SCALAR SUBQUERY 1',
      'SEARCH handoff USING COVERING INDEX sqlite_autoindex_handoff_1 (id=?)',
    ],
  },
  {
    what: 'what waits for an answer',
    sql: ASKING_SQL,
    steps: [
      'SEARCH handoff USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 1',
      'SEARCH handoff USING INDEX handoff_due (due_at>?)',
      'SCALAR SUBQUERY 2',
      'SEARCH handoff USING COVERING INDEX sqlite_autoindex_handoff_1 (id=?)',
    ],
  },
  {
    what: 'what waits for a name',
    sql: WAITING_SQL,
    steps: [
      'SEARCH handoff USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 1',
      'SEARCH dependency USING COVERING INDEX dependency_needs (needs>? AND needs<?)',
      'SCALAR SUBQUERY 2',
      'SEARCH handoff USING COVERING INDEX sqlite_autoindex_handoff_1 (id=?)',
    ],
  },
  {
    what: 'what waits for something that has ended badly',
    sql: FAILED_DEPENDENCY_SQL,
    steps: [
      'SEARCH handoff USING INDEX handoff_blocked (n>?)',
      'SCALAR SUBQUERY 1',
      'SEARCH handoff USING COVERING INDEX sqlite_autoindex_handoff_1 (id=?)',
      'CORRELATED SCALAR SUBQUERY 2',
      'SEARCH dependency USING PRIMARY KEY (handoff=?)',
      'SEARCH needed USING INDEX sqlite_autoindex_handoff_1 (id=?)',
    ],
  },
  {
    what: 'a short id',
    sql: SHORT_ID_SQL,
    // Every id is read, and no row but those that are found.
    steps: [
      'SEARCH handoff USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 1',
      'SCAN handoff USING COVERING INDEX sqlite_autoindex_handoff_1',
    ],
  },
  {
    what: 'what a hook looks for',
    sql: OFFERS_SQL,
    steps: [
      'SEARCH handoff USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 3',
      'COMPOUND QUERY',
      'LEFT-MOST SUBQUERY',
      'SEARCH handoff USING COVERING INDEX handoff_ready (recipient=?)',
      'UNION ALL',
      'SEARCH handoff USING COVERING INDEX handoff_delayed (recipient=?)',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH agent USING INTEGER PRIMARY KEY (rowid=?)',
    ],
  },
  {
    what: 'what a hook has told',
    sql: STILL_OPEN_SQL,
    steps: [
      'SEARCH handoff USING INDEX sqlite_autoindex_handoff_1 (id=?)',
      'LIST SUBQUERY 1',
      'SCAN json_each VIRTUAL TABLE INDEX 1:',
    ],
  },
  { what: 'the retries of one', sql: RETRIES_SQL, steps: ['SEARCH handoff USING INDEX handoff_chain (<expr>=?)'] },
  { what: 'a pause', sql: IS_PAUSED_SQL, steps: ['SEARCH agent_pause USING INDEX agent_paused (agent=?)'] },
  { what: 'what was given up', sql: DROPPED_SQL, steps: ['SEARCH effect USING INDEX effect_dropped (dropped_at>?)'] },
  { what: 'schedules', sql: DUE_SCHEDULES_SQL, steps: ['SEARCH schedule USING INDEX schedule_due (next_at<?)'] },
  {
    what: 'a chain',
    sql: CHAIN_SQL,
    steps: [
      'MERGE (UNION ALL)',
      'LEFT',
      'SEARCH handoff USING INDEX sqlite_autoindex_handoff_1 (id=?)',
      'RIGHT',
      'SEARCH handoff USING INDEX handoff_chain (<expr>=?)',
    ],
  },
  {
    what: 'a chain as far as an agent may see it',
    sql: VISIBLE_CHAIN_SQL,
    steps: [
      'MERGE (UNION ALL)',
      'LEFT',
      'SEARCH handoff USING INDEX sqlite_autoindex_handoff_1 (id=?)',
      'CORRELATED SCALAR SUBQUERY 3',
      'SEARCH verifier USING PRIMARY KEY (agent=? AND handoff=?)',
      'RIGHT',
      'SEARCH handoff USING INDEX handoff_chain (<expr>=?)',
      'CORRELATED SCALAR SUBQUERY 3',
      'SEARCH verifier USING PRIMARY KEY (agent=? AND handoff=?)',
    ],
  },
  {
    what: 'all that an agent may see',
    sql: listSql({ visibleTo: agentOf('a'), after: '9', states: ['completed'] }),
    steps: [
      'MERGE (UNION ALL)',
      'LEFT',
      'MERGE (UNION ALL)',
      'LEFT',
      'SEARCH handoff USING INDEX handoff_sender (sender=? AND rowid<?)',
      'RIGHT',
      'SEARCH handoff USING INDEX handoff_recipient (recipient=? AND rowid<?)',
      'RIGHT',
      'SEARCH verifier USING PRIMARY KEY (agent=? AND handoff<?)',
      'SEARCH handoff USING INTEGER PRIMARY KEY (rowid=?)',
    ],
  },
  {
    what: 'what an agent may see of what has some words',
    sql: listSql({ text: 'some words', visibleTo: agentOf('a') }),
    steps: [
      'SCAN words VIRTUAL TABLE INDEX 192:M1',
      'SEARCH handoff USING INTEGER PRIMARY KEY (rowid=?)',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH verifier USING PRIMARY KEY (agent=? AND handoff=?)',
    ],
  },
  { what: 'an inbox', sql: INBOX_SQL, steps: ['SEARCH effect USING INDEX effect_inbox (kind=?)'] },
  { what: 'a list', sql: listSql({}), steps: ['SCAN handoff'] },
  {
    what: 'the next page of what an agent sent',
    sql: listSql({ from: agentOf('a'), states: ['completed'], after: '9' }),
    steps: ['SEARCH handoff USING INDEX handoff_sender (sender=? AND rowid<?)'],
  },
  {
    what: 'what an agent was sent',
    sql: listSql({ to: agentOf('a') }),
    steps: ['SEARCH handoff USING INDEX handoff_recipient (recipient=?)'],
  },
  {
    what: 'all that is open for an agent',
    sql: present(
      openNumbersSql({ by: 'filter', to: agentOf('a'), states: ['offered', 'accepted', 'draft'], max: 50 }),
      'a list along the indexes of what is open',
    ),
    steps: [
      'COMPOUND QUERY',
      'LEFT-MOST SUBQUERY',
      'SEARCH handoff USING COVERING INDEX handoff_ready (recipient=?)',
      'UNION ALL',
      'SEARCH handoff USING COVERING INDEX handoff_delayed (recipient=?)',
      'UNION ALL',
      // What all sessions hold together is no more than what is under way at this moment.
      'SEARCH handoff USING INDEX handoff_session (session>?)',
      'UNION ALL',
      'SEARCH handoff USING INDEX handoff_rest (recipient=?)',
    ],
  },
  {
    what: 'what belongs to a task',
    sql: listSql({ task: 'T-1' }),
    steps: ['SEARCH handoff USING INDEX handoff_task (task=?)'],
  },
  {
    what: 'what an agent has to do with',
    sql: listSql({ agent: agentOf('a'), after: '9' }),
    steps: [
      'MERGE (UNION ALL)',
      'LEFT',
      'SEARCH handoff USING INDEX handoff_sender (sender=? AND rowid<?)',
      'RIGHT',
      'SEARCH handoff USING INDEX handoff_recipient (recipient=? AND rowid<?)',
    ],
  },
  {
    what: 'the next page of what has some words',
    sql: listSql({ text: 'some words', agent: agentOf('a'), states: ['completed'], after: '9' }),
    steps: ['SCAN words VIRTUAL TABLE INDEX 192:M1<', 'SEARCH handoff USING INTEGER PRIMARY KEY (rowid=?)'],
  },
  {
    what: 'the agents that are running',
    sql: OPEN_AGENTS_SQL,
    steps: ['SEARCH agent_session USING INDEX agent_session_open (id<?)'],
  },
  {
    what: 'a beat',
    sql: BEAT_SQL,
    steps: ['SEARCH session USING INDEX sqlite_autoindex_session_1 (id=?)'],
  },
  ...REMOVE_SQL.map((sql, index) => ({
    what: `removing one: ${sql}`,
    sql,
    steps: REMOVE_STEPS.slice(index, index + 1),
  })),
];

describe('the plan of', () => {
  it.each(PLANS)('$what uses exactly the index made for it, and sorts nothing', ({ sql, steps }) => {
    const database = openTables();
    const plan = prepare(database, `EXPLAIN QUERY PLAN ${sql}`).all();
    expect(plan.map((row) => row[3])).toEqual(steps);
  });

  it('every index is used by a question or a rule', () => {
    const database = openTables();
    const named = prepare(database, "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL").all();
    const questions = PLANS.flatMap(({ steps }) => steps).join('\n');
    const others = ['dependency_needs', 'request_at', 'effect_due', 'token_log_denied'];
    const unused = named
      .map((row) => String(row[0]))
      .filter((name) => !questions.includes(name) && !others.includes(name));
    expect(unused).toEqual([]);
  });

  it.each([
    ['DELETE FROM request WHERE (by, key) IN (SELECT by, key FROM request WHERE at < ? LIMIT ?)', 'request_at'],
    ["SELECT seq FROM token_log WHERE what = 'denied' ORDER BY seq DESC LIMIT 1 OFFSET 999", 'token_log_denied'],
    ['SELECT key FROM effect WHERE done = 0 AND due_at <= ? ORDER BY due_at, seq LIMIT ?', 'effect_due'],
    [
      'UPDATE handoff SET waits = waits - 1 WHERE n IN (SELECT handoff FROM dependency WHERE needs = ?)',
      'dependency_needs',
    ],
    ['SELECT 1 FROM session WHERE EXISTS (SELECT 1 FROM handoff WHERE handoff.session = session.n)', 'handoff_session'],
  ])('%s is helped by its index', (sql, index) => {
    const steps = prepare(openTables(), `EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => String(row[3]));
    expect(steps.filter((step) => step.includes(`INDEX ${index}`))).toHaveLength(1);
    expect(steps.filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
  });
});
