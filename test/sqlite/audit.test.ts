import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SESSION_LEASE_MS } from '../../src/domain/deadlines.ts';
import { openDatabase } from '../../src/stores/sqlite/binding.ts';
import type { Store } from '../../src/stores/store.ts';
import {
  acceptBy,
  deliverAndVerify,
  idOf,
  jsonOf,
  openingOf,
  openingsOf,
  processOf,
  SESSION,
  WORKER,
} from '../contract/builders.ts';
import { put, trailsIn, valueOf } from '../contract/store-checks.ts';
import { newPath, openForgettableStore, openStore } from './stores.ts';

const PAGE_BYTES = 4096;

async function filled(store: Store): Promise<void> {
  await store.sessions.open({ id: SESSION, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS });
  await put(store, ...openingsOf(3, 'a'), openingOf({ id: 'paper', kind: 'document', as: 'draft' }));
  await put(store, openingOf({ id: 'waits', dependsOn: ['a-0', 'a-1', 'unknown'] }));
  valueOf((await store.change([idOf('a-0')], acceptBy()))[0]);
  valueOf((await store.change([idOf('a-0')], deliverAndVerify(1)))[0]);
}

describe('an audit of a SQLite database', () => {
  it('finds nothing where nothing is wrong, while somebody writes', async () => {
    const store = openStore();
    await filled(store);
    expect(await store.upkeep.audit()).toEqual([]);
    const writing = Promise.all(Array.from({ length: 50 }, (_, n) => put(store, openingOf({ id: `b-${n}` }))));
    expect(await store.upkeep.audit()).toEqual([]);
    await writing;
    expect(await store.upkeep.audit()).toEqual([]);
  });

  it.each([
    [
      'a counter',
      `UPDATE agent SET in_all = 7 WHERE name = 'worker'`,
      ['counter'],
      /@worker counts .* 7 coming in .*there are/,
    ],
    ['a counter of documents', `UPDATE agent SET out_documents = 0 WHERE name = 'sender'`, ['counter'], /0 documents/],
    ['a fact that is gone', `DELETE FROM fact WHERE revision = 2`, ['revision'], /a-0 has 3 facts at revision 4/],
    ['the newest fact', `DELETE FROM fact WHERE revision = 4`, ['revision', 'trail'], /a-0 has 3 facts/],
    ['a fact that is new', `UPDATE fact SET hash = 'x' WHERE revision = 4`, ['trail'], /a-0: the newest fact/],
    ['a revision', `UPDATE handoff SET revision = 9 WHERE id = 'a-1'`, ['revision'], /a-1 has 1 facts at revision 9/],
    ['what is waited for', `UPDATE handoff SET waits = 1 WHERE id = 'waits'`, ['waits'], /counts 1 .* there are 2/],
    ['a dependency', `DELETE FROM dependency WHERE needs = 'unknown'`, ['waits'], /counts 2 .* there are 1/],
    ['a body', `DELETE FROM body WHERE handoff = 1`, ['body'], /the body of a-0 is missing/],
    [
      'a record',
      `PRAGMA foreign_keys = off; DELETE FROM handoff WHERE id = 'a-2'`,
      ['reference', 'counter'],
      /fact|body/,
    ],
    [
      'a rule of the tables',
      `PRAGMA ignore_check_constraints = on; UPDATE handoff SET ready = 9 WHERE id = 'a-1'`,
      ['file'],
      /CHECK constraint failed/,
    ],
  ])('sees that %s was changed by hand', async (_, sql, kinds, says) => {
    const path = newPath();
    const store = openStore(path);
    await filled(store);
    const tables = openDatabase(path, { sync: 'normal' });
    tables.exec(sql);
    tables.close();
    const findings = await store.upkeep.audit();
    expect([...new Set(findings.map(({ what }) => what))].toSorted()).toEqual(kinds.toSorted());
    expect(findings.map((finding) => finding.says).join('\n')).toMatch(says);
  });

  it('accuses only the one whose body is gone, and says so of it', async () => {
    const path = newPath();
    const store = openStore(path);
    await put(store, ...openingsOf(40, 'a'));
    const tables = openDatabase(path, { sync: 'normal' });
    tables.exec('DELETE FROM body WHERE handoff = 3');
    tables.close();
    expect((await store.upkeep.audit()).map(({ handoff }) => handoff)).toEqual(['a-2']);
    expect(await trailsIn(store)).toEqual({ flawed: [], count: 39 });
    await expect(store.load(idOf('a-2'))).rejects.toThrow(/the text of a-2 is missing.*baton doctor/);
    expect(await store.load(idOf('a-3'))).toMatchObject({ handoff: { id: 'a-3' } });
  });

  it('sees pages that were overwritten', async () => {
    const path = newPath();
    const before = openForgettableStore(path);
    await filled(before);
    await put(before, ...openingsOf(500, 'b', { body: jsonOf({ input: 'x'.repeat(2_000) }) }));
    await before.close();
    const tables = openDatabase(path, { sync: 'normal' });
    tables.exec('PRAGMA wal_checkpoint(truncate)');
    tables.close();
    // The last pages hold what was written last, and nothing that is needed for opening.
    const spoilt = Buffer.alloc(PAGE_BYTES * 20, 0x5a);
    const file = openSync(path, 'r+');
    writeSync(file, spoilt, 0, spoilt.length, statSync(path).size - spoilt.length);
    closeSync(file);
    const store = openForgettableStore(path);
    onTestFinished(async () => store.close());
    const says = (await store.upkeep.audit()).filter(({ what }) => what === 'file').map((finding) => finding.says);
    expect(says.join('\n')).toMatch(/malformed|damaged|Tree/);
  });
});
