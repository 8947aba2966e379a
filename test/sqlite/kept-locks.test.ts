/** Opening a database a second time must not take away the lock that the first opening holds. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newPath, openStore } from './stores.ts';

const LOCKS = '/proc/locks';

describe.skipIf(!existsSync(LOCKS))('a database that one process opens twice (needs /proc/locks)', () => {
  it('I3: stays locked, so that nobody removes the log in which the first one writes', () => {
    const path = newPath();
    openStore(path);
    const inode = `:${statSync(path).ino} `;
    const held = (): readonly string[] =>
      readFileSync(LOCKS, 'utf8')
        .split('\n')
        .filter((line) => line.includes(inode) && line.includes(` ${process.pid} `));
    expect(held()).toHaveLength(1);
    openStore(path);
    expect(held()).toHaveLength(1);
  });
});
