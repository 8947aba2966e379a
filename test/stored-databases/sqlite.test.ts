import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { STATES } from '../../src/domain/lifecycle.ts';
import { openEmptyDatabase, prepare } from '../../src/stores/sqlite/binding.ts';
import { SCHEMA_VERSION, schemaSince } from '../../src/stores/sqlite/schema.ts';
import { newPath, openForgettableStore, openStore } from '../sqlite/stores.ts';
import { fillSample, fixturePath, mayStore, recordLines, storedBytes, storedLines, storedVersions } from './stored.ts';

const VERSIONS = storedVersions('sqlite', SCHEMA_VERSION);
const nameOf = (version: number): string => `sqlite-${version}.db.gz`;

/** The newest version writes the records; the tables of an older one take of them what it had. */
async function storeVersion(version: number): Promise<void> {
  if (existsSync(fixturePath(nameOf(version)))) return;
  const [newer, path] = [newPath(), newPath()];
  const store = openForgettableStore(newer);
  await fillSample(store);
  if (!existsSync(fixturePath('records.jsonl.gz'))) {
    writeFileSync(fixturePath('records.jsonl.gz'), gzipSync((await recordLines(store)).join('\n')));
  }
  await store.close();
  mkdirSync(dirname(path));
  const database = openEmptyDatabase(path);
  database.exec(`BEGIN; ${schemaSince(0, version)} COMMIT; ATTACH '${newer}' AS newer; BEGIN`);
  for (const table of 'agent session handoff body outcome fact dependency request effect duty'.split(' ')) {
    const names = database.prepare(`SELECT name FROM pragma_table_info('${table}', 'main')`).all();
    const columns = names.map((row) => String(Object.values(row as object)[0])).join(', ');
    database.exec(`INSERT OR REPLACE INTO main.${table} (${columns}) SELECT ${columns} FROM newer.${table}`);
  }
  database.exec('COMMIT; DETACH newer; VACUUM');
  database.close();
  writeFileSync(fixturePath(nameOf(version)), gzipSync(readFileSync(path)));
}

describe.each(VERSIONS)('a SQLite file of version %i', (version) => {
  it('I21: is stored, opens, is brought up to date with its records in every state, and an audit finds nothing', async () => {
    if (mayStore) await storeVersion(version);
    const path = newPath();
    mkdirSync(dirname(path), { mode: 0o700 });
    writeFileSync(path, storedBytes(nameOf(version)), { mode: 0o600 });
    const before = openEmptyDatabase(path);
    expect(prepare(before, 'PRAGMA user_version').get()?.[0]).toBe(version);
    before.close();
    const store = openStore(path);
    const lines = await recordLines(store);
    expect(lines).toEqual(storedLines());
    const states = lines.slice(0, -1).map((line) => (JSON.parse(line) as { handoff: { state: string } }).handoff.state);
    expect(new Set(states)).toEqual(new Set<string>(STATES));
    expect(await store.upkeep.audit()).toEqual([]);
  });
});
