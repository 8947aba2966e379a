/** Even a wrong program cannot write an impossible record: the tables know the lifecycle too. */
import { describe, expect, it } from 'vitest';
import { FACT_TYPE_NAMES, type FactType } from '../../src/domain/fact-types.ts';
import { isFinal, LIFECYCLE, STATES, type State } from '../../src/domain/lifecycle.ts';
import { prepare, type Database, type Value } from '../../src/stores/sqlite/binding.ts';
import { readStep, stateNumber, stepNumber } from '../../src/stores/stored-numbers.ts';
import { openTables } from './stores.ts';

const RESUMED: readonly State[] = ['draft', 'offered', 'accepted'];
const BEGINNINGS: readonly State[] = ['draft', 'offered', 'blocked'];

/** A sound row of that state, except for what is given. */
function rowOf(state: State, id: string, but: Readonly<Record<string, Value>> = {}): Readonly<Record<string, Value>> {
  return {
    id,
    revision: 1,
    state: stateNumber(state),
    kind: 0,
    sender: 1,
    recipient: 1,
    priority: 2,
    created_at: 1,
    since: 1,
    offered_at: 1,
    not_before: 0,
    rank: 1,
    ready: 0,
    attempt: 1,
    excused: 0,
    fence: 1,
    session: null,
    holder: state === 'accepted' ? 1 : null,
    blocked: state === 'blocked' ? 0 : null,
    trail: 'x',
    ...but,
  };
}

function insert(database: Database, table: string, row: Readonly<Record<string, Value>>): void {
  const columns = Object.keys(row);
  const marks = columns.map(() => '?').join(', ');
  prepare(database, `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`).run(...Object.values(row));
}

function accepts(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof Error && /constraint failed|final is final|cannot store/.test(error.message)) return false;
    throw error;
  }
}

function tables(): Database {
  const database = openTables();
  insert(database, 'agent', { n: 1, name: 'somebody' });
  insert(database, 'session', { n: 1, id: 's', agent: 1, process: '{}', boot: 'b', beat_ms: 0 });
  return database;
}

describe('the tables', () => {
  it('I12: take a fact exactly when the lifecycle has its step', () => {
    const database = tables();
    insert(database, 'handoff', { n: 1, ...rowOf('offered', 'a') });
    const fact = { handoff: 1, at: 1, by: 'x', attempt: 0, fence: 0, detail: '', hash: 'x' };
    const wrong: string[] = [];
    let taken = 0;
    database.exec('BEGIN');
    for (const deed of FACT_TYPE_NAMES) {
      for (const from of [null, ...STATES]) {
        for (const to of STATES) {
          const step = stepNumber(deed, from, to);
          const isTaken = accepts(() => insert(database, 'fact', { ...fact, revision: step, step }));
          taken += Number(isTaken);
          if (isTaken !== isLegal(deed, from, to)) wrong.push(`${deed} from ${from} to ${to}`);
          const read = readStep(step);
          if (read.deed !== deed || read.from !== from || read.to !== to) wrong.push(`${step} is read as another`);
        }
      }
    }
    database.exec('ROLLBACK');
    expect(wrong).toEqual([]);
    const beside = BEGINNINGS.length + 3 + STATES.length * RESUMED.length + STATES.filter(isFinal).length;
    expect(taken).toBe(beside + STATES.flatMap((state) => Object.keys(LIFECYCLE[state])).length);
  });

  it.each(STATES)('I2: let a row that is %s be changed only while that is not final', (state) => {
    const database = tables();
    insert(database, 'handoff', rowOf(state, 'a'));
    const change = (): void => database.exec("UPDATE handoff SET title = 'changed' WHERE id = 'a'");
    expect(accepts(change)).toBe(!isFinal(state));
  });

  it('I12: know who may hold what, what is blocked and what is ready, in every combination', () => {
    const database = tables();
    const wrong: string[] = [];
    let count = 0;
    for (const state of STATES) {
      for (const [session, holder, blocked, ready] of combinations()) {
        count += 1;
        const row = rowOf(state, `h-${count}`, { session, holder, blocked, ready });
        const isTaken = accepts(() => insert(database, 'handoff', row));
        const isSound =
          (holder === null ? state !== 'accepted' : state === 'accepted' || state === 'delivered') &&
          (session === null || state === 'accepted') &&
          (blocked === null) === (state !== 'blocked') &&
          (ready === 0 || state === 'offered');
        if (isTaken !== isSound) wrong.push(JSON.stringify(row));
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBe(STATES.length * 16);
  });

  it.each([
    ['revision 0', { revision: 0 }],
    ['a negative fence', { fence: -1 }],
    ['more excused than attempted', { attempt: 1, excused: 2 }],
    ['a negative excuse', { excused: -1 }],
    ['a state that does not exist', { state: STATES.length }],
    ['a text where a number belongs', { revision: 'one' }],
    ['no trail', { trail: null }],
  ] as const)('I1, I13: refuse %s', (_what, but) => {
    const database = tables();
    expect(accepts(() => insert(database, 'handoff', rowOf('offered', 'a')))).toBe(true);
    expect(accepts(() => insert(database, 'handoff', rowOf('offered', 'b', but)))).toBe(false);
  });

  it('I1, I15: refuse a second record of an id, a second fact of a revision, and counters below nothing', () => {
    const database = tables();
    insert(database, 'handoff', { n: 1, ...rowOf('offered', 'a') });
    expect(accepts(() => insert(database, 'handoff', rowOf('offered', 'a')))).toBe(false);
    const step = stepNumber('create', null, 'offered');
    const fact = { handoff: 1, revision: 1, at: 1, by: 'x', step, attempt: 0, fence: 0, detail: '', hash: 'x' };
    expect(accepts(() => insert(database, 'fact', fact))).toBe(true);
    expect(accepts(() => insert(database, 'fact', fact))).toBe(false);
    for (const counter of ['out_all', 'out_documents', 'in_all', 'in_documents']) {
      expect(accepts(() => database.exec(`UPDATE agent SET ${counter} = -1`))).toBe(false);
    }
    expect(accepts(() => database.exec('UPDATE agent SET in_documents = in_all + 1'))).toBe(false);
  });
});

function combinations(): readonly (readonly [Value, Value, Value, Value])[] {
  return Array.from({ length: 16 }, (_, bits) => {
    const has = (bit: number): boolean => (bits & bit) !== 0;
    return [has(1) ? 1 : null, has(2) ? 1 : null, has(4) ? 0 : null, has(8) ? 1 : 0] as const;
  });
}

function isLegal(deed: FactType, from: State | null, to: State): boolean {
  if (deed === 'create') return from === null && BEGINNINGS.includes(to);
  if (from === null) return false;
  if (deed === 'supersede') return RESUMED.includes(to);
  if (deed === 'erase') return from === to && isFinal(to);
  if (deed === 'reblock') return from === 'blocked' && to === 'blocked';
  if (deed === 'renew' || deed === 'progress') return from === 'accepted' && to === 'accepted';
  const row: Readonly<Record<string, string>> = LIFECYCLE[from];
  return row[deed] === to;
}
