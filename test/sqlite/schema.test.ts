import { describe, expect, it } from 'vitest';
import type { Deed } from '../../src/domain/facts.ts';
import { LIFECYCLE, MOVES, STATES, type State } from '../../src/domain/lifecycle.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { prepare, type Database } from '../../src/stores/sqlite/binding.ts';
import { legalSteps, readStep, stateNumber, stepNumber } from '../../src/stores/sqlite/schema.ts';
import { openingOf } from '../contract/builders.ts';
import { openStoreAndFile } from './databases.ts';

const DEEDS: readonly Deed[] = ['create', 'renew', 'progress', ...MOVES];

describe('the checks of the schema', () => {
  it('I12: take exactly the steps that the lifecycle has', async () => {
    const { store, database } = openStoreAndFile();
    await store.insert([openingOf({ id: 'a' })]);
    const accepted: string[] = [];
    for (const deed of DEEDS) {
      for (const from of [null, ...STATES]) {
        for (const to of STATES)
          if (takesFact(database, stepNumber(deed, from, to))) accepted.push(inWords(deed, from, to));
      }
    }
    expect(accepted.toSorted()).toEqual([...legalInWords()].toSorted());
  });

  it('name each step by a number that can be read back', () => {
    for (const step of legalSteps()) {
      const { deed, from, to } = readStep(step);
      expect(stepNumber(deed, from, to)).toBe(step);
    }
  });

  it('I2: let nothing change what is final', async () => {
    const { store, database } = openStoreAndFile();
    await store.insert([openingOf({ id: 'a' })]);
    const force = prepare(database, 'UPDATE handoff SET state = ?, ready = 0');
    force.run(stateNumber('cancelled'));
    expect(() => force.run(stateNumber('offered'))).toThrow('final is final');
    expect((await store.find({ by: 'ids', ids: ['a' as HandoffId] })).items[0]?.state).toBe('cancelled');
  });

  it.each([
    ['custody without acceptance', 'UPDATE handoff SET holder = 1'],
    ['acceptance without custody', `UPDATE handoff SET state = ${stateNumber('accepted')}, ready = 0`],
    ['a reason to wait without waiting', 'UPDATE handoff SET blocked = 0'],
    ['waiting without a reason', `UPDATE handoff SET state = ${stateNumber('blocked')}, ready = 0`],
    ['more excuses than attempts', 'UPDATE handoff SET excused = 1'],
    ['a state that does not exist', 'UPDATE handoff SET state = 10'],
    ['a number as a text', `UPDATE handoff SET since = 'soon'`],
  ])('I12: refuse %s', async (_what, sql) => {
    const { store, database } = openStoreAndFile();
    await store.insert([openingOf({ id: 'a' })]);
    expect(() => prepare(database, sql).run()).toThrow(/constraint failed|cannot store/);
  });

  it('I1: take one fact for each revision', async () => {
    const { store, database } = openStoreAndFile();
    await store.insert([openingOf({ id: 'a' })]);
    const again =
      'INSERT INTO fact (handoff, revision, at, by, step, attempt, fence, detail, hash) SELECT handoff, revision, at, by, step, attempt, fence, detail, hash FROM fact';
    expect(() => prepare(database, again).run()).toThrow('UNIQUE');
  });
});

function takesFact(database: Database, step: number): boolean {
  database.exec('SAVEPOINT one');
  try {
    prepare(
      database,
      `INSERT INTO fact (handoff, revision, at, by, step, attempt, fence, detail, hash) VALUES (1, 99, 0, '', ?, 0, 0, '', '')`,
    ).run(step);
    return true;
  } catch {
    return false;
  } finally {
    database.exec('ROLLBACK TO one; RELEASE one');
  }
}

function legalInWords(): readonly string[] {
  const begins = (['draft', 'offered', 'blocked'] as const).map((state) => inWords('create', null, state));
  const stays = (['renew', 'progress'] as const).map((deed) => inWords(deed, 'accepted', 'accepted'));
  const moves = STATES.flatMap((from) =>
    Object.entries(LIFECYCLE[from]).map(([move, to]) => inWords(move as Deed, from, to)),
  );
  return [...begins, ...stays, ...moves];
}

function inWords(deed: Deed, from: State | null, to: State): string {
  return `${deed} from ${from ?? 'nothing'} to ${to}`;
}
