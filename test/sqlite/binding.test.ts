/** What we rely on in the binding, and what we have to do ourselves because we cannot. */
import { readdirSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as breath } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { SESSION_LEASE_MS } from '../../src/domain/deadlines.ts';
import type { SessionId } from '../../src/domain/names.ts';
import { openSqliteBeat } from '../../src/stores/sqlite/heartbeat.ts';
import { openDatabase, prepare, type Statement } from '../../src/stores/sqlite/binding.ts';
import { chooseBinding, isNewEnough } from '../../src/stores/sqlite/choose-binding.ts';
import { THIS_BOOT, processOf, WORKER } from '../contract/builders.ts';
import { newPath, openForgettableStore, openStore, openTables } from './stores.ts';

describe('the binding of SQLite', () => {
  it('is the one that was chosen, and new enough for many processes on one database', () => {
    const { version, source } = chooseBinding();
    expect(prepare(openTables(), 'SELECT sqlite_version()').get()).toEqual([version]);
    expect(['3.45.1', '3.51.2', '3.9.0', '2.99.99'].filter(isNewEnough)).toEqual([]);
    expect([version, '3.51.3', '3.51.10', '3.52.0', '4.0.0'].filter((each) => !isNewEnough(each))).toEqual([]);
    const [major = 0] = process.versions.node.split('.').map(Number);
    expect(source).toBe(process.env['BATON_SQLITE'] ?? (major >= 24 ? 'node' : 'package'));
  });

  it('I14: a statement keeps its database, however often garbage is collected', async () => {
    const path = newPath();
    openTables(path).exec('CREATE TABLE counted (n INTEGER); INSERT INTO counted VALUES (0)');
    const statements = Array.from({ length: 20 }, () => statementAlone(path));
    for (let round = 0; round < 3; round += 1) {
      await collectGarbage();
      expect(statements.map((statement) => statement.run())).toEqual(statements.map(() => 1));
    }
    const counted = prepare(openTables(path), 'SELECT n FROM counted').get();
    expect(counted).toEqual([60]);
  });

  it('I14: a session is not lost when the garbage of its heartbeat is collected', async () => {
    const path = newPath();
    const id = 'beating' as SessionId;
    await openStore(path).sessions.open({
      id,
      agent: WORKER,
      process: processOf({ boot: THIS_BOOT }),
      leaseMs: SESSION_LEASE_MS,
    });
    const beats = Array.from({ length: 20 }, () => openSqliteBeat(path, id));
    for (let round = 0; round < 3; round += 1) {
      await collectGarbage();
      expect(await Promise.all(beats.map((beat) => beat()))).toEqual(beats.map(() => true));
    }
  });

  it('I21: a closed store gives back its descriptors, all but the one by which its file was looked at', async () => {
    const path = newPath();
    for (let round = 0; round < 10; round += 1) await openAndClose(path);
    // A statement cannot be closed, only collected, and keeps its file until then.
    await collectGarbage();
    expect(descriptorsIn(dirname(path))).toEqual([path]);
  });
});

/** Nothing here holds on to the database. */
function statementAlone(path: string): Statement {
  return prepare(openDatabase(path, { sync: 'normal' }), 'UPDATE counted SET n = n + 1');
}

async function openAndClose(path: string): Promise<void> {
  const store = openForgettableStore(path);
  await store.sessions.list();
  await store.close();
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 3; round += 1) {
    collect();
    await breath();
  }
}

function descriptorsIn(folder: string): readonly string[] {
  const targets = readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      // The listing itself had one.
      return [];
    }
  });
  return targets.filter((target) => target.startsWith(folder));
}
