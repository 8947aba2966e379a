import { constants, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { examineFile, type AccessCheck } from '../../src/adapters/doctor/examine-file.ts';
import { SCHEMA_VERSION } from '../../src/stores/sqlite/schema.ts';
import { newPath, openTables } from './stores.ts';

/** Rights do not bind a superuser, who may run these tests: so the file system’s answer is given. */
function withoutWriting(place: string, code: string): AccessCheck {
  return (path, mode) => {
    if (path === place && (mode & constants.W_OK) !== 0) throw Object.assign(new Error(code), { code });
  };
}

describe('a database that may not be written', () => {
  it.each([
    ['the file', (path: string) => path],
    ['the log beside it', (path: string) => `${path}-wal`],
    ['its folder', dirname],
  ])('is told with the right that is missing: %s', (_, placeIn) => {
    const path = newPath();
    openTables(path).exec('PRAGMA user_version');
    const place = placeIn(path);
    expect(examineFile(path, withoutWriting(place, 'EACCES'))).toMatchObject({
      name: 'database',
      verdict: 'problem',
      says: expect.stringContaining(`${place} may not be read and written by this user`) as string,
      todo: expect.stringContaining(`${place}; if it belongs to somebody else, run baton as that user`) as string,
    });
    const mounted = examineFile(path, withoutWriting(place, 'EROFS'));
    expect(mounted).toMatchObject({ says: expect.stringContaining('mounted read-only') as string });
    expect(examineFile(path)).toBe(SCHEMA_VERSION);
  });

  it('is not looked for in a folder', () => {
    const path = newPath();
    expect(examineFile(path)).toBe(null);
    mkdirSync(path, { recursive: true });
    expect(examineFile(path)).toMatchObject({ verdict: 'problem', says: `${path} is not a file` });
  });
});
