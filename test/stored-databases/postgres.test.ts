import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS, SCHEMA_VERSION } from '../../src/stores/postgres/schema.ts';
import { describeWithServer } from '../postgres/fixture.ts';
import { fixturePath, mayStore, recordLines, storedBytes, storedLines, storedVersions } from './stored.ts';

const VERSIONS = storedVersions('postgres', SCHEMA_VERSION);
const nameOf = (version: number): string => `postgres-${version}.sql.gz`;

await describeWithServer('a PostgreSQL database', 'shared', (fixture) => {
  /** The stored one before it, brought to this version by its migration. */
  const storeVersion = async (version: number): Promise<void> => {
    const { url, name } = await fixture.database();
    const sql = fixture.server.sql(name);
    await sql.unsafe(storedBytes(nameOf(version - 1)).toString('utf8'));
    await sql.unsafe(`${MIGRATIONS[version - 1] ?? ''}; update baton.schema_version set version = ${version}`);
    const dump = execFileSync('pg_dump', ['--schema=baton', '--inserts', '--no-owner', '--no-privileges', '-d', url], {
      maxBuffer: 16 * 1024 * 1024,
    });
    // What is for the terminal client or this version of the server alone. All names have their schema.
    const text = dump
      .toString('utf8')
      .replaceAll(/^(?:\\|SET (?!check_function_bodies)|SELECT pg_catalog\.set_config).*\n/gm, '');
    writeFileSync(fixturePath(nameOf(version)), gzipSync(text));
  };

  describe.each(VERSIONS)('of version %i', (version) => {
    it('I21: is stored, opens, is brought up to date with its records in every state, and an audit finds nothing', async () => {
      if (mayStore && !existsSync(fixturePath(nameOf(version)))) await storeVersion(version);
      const { url, name } = await fixture.database();
      const sql = fixture.server.sql(name);
      await sql.unsafe(storedBytes(nameOf(version)).toString('utf8'));
      expect(await sql`select version from baton.schema_version`).toEqual([{ version }]);
      const store = await fixture.open(url);
      expect(await recordLines(store)).toEqual(storedLines());
      // The server of the tests does not wait for its disk, and says so.
      expect((await store.upkeep.audit()).filter(({ what }) => what !== 'setting')).toEqual([]);
    });
  });
});
