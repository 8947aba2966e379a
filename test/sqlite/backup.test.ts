import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownJudge, placeOf } from '../../src/foundation/process-identity.ts';
import { FileExists } from '../../src/foundation/atomic-file.ts';
import { backUp } from '../../src/stores/sqlite/backup.ts';
import { StoreFault } from '../../src/stores/store.ts';
import { openingOf, openingsOf } from '../contract/builders.ts';
import { put } from '../contract/store-checks.ts';
import { copiesIn } from '../contract/suite/transfer.ts';
import { tempFolder } from '../support/processes.ts';
import { newPath, openStore } from './stores.ts';

const KEEP = { replace: false };

describe('a backup of a SQLite database', () => {
  it('is a database with everything in it, which is used as it is', async () => {
    const [path, folder] = [newPath(), tempFolder()];
    const store = openStore(path);
    await put(store, ...openingsOf(50, 'a'));
    const to = join(folder, 'monday.db');
    expect(backUp(path, to, KEEP)).toEqual({ handoffs: 50, bytes: statSync(to).size });
    expect(statSync(to).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['monday.db']);
    // Byte 18 of the header: 2 is a log beside the file, without which writers and readers block each other.
    expect(readFileSync(to)[18]).toBe(2);
    const place = newPath();
    mkdirSync(dirname(place), { recursive: true });
    renameSync(to, place);
    const restored = openStore(place);
    expect(await copiesIn(restored)).toEqual(await copiesIn(store));
    expect(await restored.upkeep.audit()).toEqual([]);
    await put(restored, openingOf({ id: 'more' }));
  });

  it('is of one moment, while others write', async () => {
    const [path, folder] = [newPath(), tempFolder()];
    const store = openStore(path);
    let over = false;
    const writing = (async () => {
      for (let n = 0; !over; n += 1) await put(store, ...openingsOf(5, `a-${n}`));
    })();
    for (let round = 0; round < 10; round += 1) {
      await new Promise(setImmediate);
      const { handoffs } = backUp(path, join(folder, `${round}.db`), KEEP);
      expect(handoffs % 5).toBe(0);
    }
    over = true;
    await writing;
  });

  it('takes nobody’s place unasked, and takes out what a killed one left', async () => {
    const [path, folder] = [newPath(), tempFolder()];
    await put(openStore(path), openingOf({ id: 'a' }));
    const to = join(folder, 'x.db');
    writeFileSync(to, 'mine');
    // No process has such a number.
    const here = placeOf(ownJudge().self);
    writeFileSync(join(folder, `.x.db.${here}-99999999-1.draft`), 'half');
    writeFileSync(join(folder, `.y.db.${here}-99999999-1.draft`), 'of another');
    // Another machine or container may be writing it right now, with whatever process id.
    const foreign = `.x.db.0123456789abcdef-${process.pid}-1.draft`;
    writeFileSync(join(folder, foreign), 'half');
    expect(() => backUp(path, to, KEEP)).toThrow(FileExists);
    expect(readFileSync(to, 'utf8')).toBe('mine');
    backUp(path, to, { replace: true });
    expect(statSync(to).size).toBeGreaterThan(4096);
    expect(readdirSync(folder).toSorted()).toEqual([foreign, `.y.db.${here}-99999999-1.draft`, 'x.db'].toSorted());
  });

  it('of nothing, or into nothing, leaves nothing', () => {
    const folder = tempFolder();
    expect(() => backUp(join(folder, 'none.db'), join(folder, 'x.db'), KEEP)).toThrow(StoreFault);
    expect(existsSync(join(folder, 'none.db'))).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });
});
