import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { STATES } from '../../src/domain/lifecycle.ts';
import { openEmptyDatabase, prepare } from '../../src/stores/sqlite/binding.ts';
import { SCHEMA_VERSION, schemaSince } from '../../src/stores/sqlite/schema.ts';
import { newPath, openStore } from '../sqlite/stores.ts';
import { fixturePath, mayStore, recordLines, storedBytes, storedLines, storedVersions } from './stored.ts';

const VERSIONS = storedVersions('sqlite', SCHEMA_VERSION);
const nameOf = (version: number): string => `sqlite-${version}.db.gz`;

/** The stored one before it, brought to this version by its migration. */
function storeVersion(version: number): void {
  if (existsSync(fixturePath(nameOf(version)))) return;
  const path = newPath();
  mkdirSync(dirname(path));
  writeFileSync(path, storedBytes(nameOf(version - 1)));
  const database = openEmptyDatabase(path);
  database.exec(`BEGIN; ${schemaSince(version - 1, version)} COMMIT; VACUUM`);
  database.close();
  writeFileSync(fixturePath(nameOf(version)), gzipSync(readFileSync(path)));
}

describe.each(VERSIONS)('a SQLite file of version %i', (version) => {
  it('I21: is stored, opens, is brought up to date with its records in every state, and an audit finds nothing', async () => {
    if (mayStore) storeVersion(version);
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
