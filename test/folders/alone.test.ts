import { randomUUID } from 'node:crypto';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { forgetTheDead, openAlone } from '../../src/folders/alone.ts';
import { start, tempFolder } from '../support/processes.ts';

describe('being alone with a name', () => {
  it('holds among many who do not know of each other', async () => {
    const lock = join(tempFolder(), 'x.lock');
    let inside = 0;
    let most = 0;
    // Each with its own memory, as if it were a process of its own.
    await Promise.all(
      Array.from({ length: 20 }, async () =>
        openAlone().with(lock, async () => {
          inside += 1;
          most = Math.max(most, inside);
          await pause(1);
          inside -= 1;
        }),
      ),
    );
    expect(most).toBe(1);
  });

  it('I21: ends with the one who had it, also by an exception, and leaves nothing behind', async () => {
    const folder = tempFolder();
    const alone = openAlone();
    const failing = alone.with(join(folder, 'x.lock'), async () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    expect(await alone.with(join(folder, 'x.lock'), async () => 'again')).toBe('again');
    alone.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is taken from a process that is gone, and from one that hangs', async () => {
    const folder = tempFolder();
    const dead = start('true', []);
    await dead.ended;
    writeFileSync(join(folder, 'dead.lock'), `${dead.pid}-${randomUUID()}`);
    writeFileSync(join(folder, 'old.lock'), `${process.pid}-${randomUUID()}`);
    const longAgo = Date.now() / 1000 - 60;
    utimesSync(join(folder, 'old.lock'), longAgo, longAgo);
    const alone = openAlone();
    for (const name of ['dead.lock', 'old.lock']) {
      expect(await alone.with(join(folder, name), async () => 'mine')).toBe('mine');
    }
    alone.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('whatever the dead have left is taken away, and nothing of the living', async () => {
    const folder = tempFolder();
    const dead = start('true', []);
    await dead.ended;
    const theirs = `${dead.pid}-${randomUUID()}`;
    const living = `${process.pid}-${randomUUID()}`;
    for (const [name, says] of [
      ['a.lock', theirs],
      [`b.lock.${theirs}`, living],
      [`${theirs}.holder`, theirs],
      ['c.lock', living],
      [`d.lock.${living}`, theirs],
      [`${living}.holder`, living],
    ] as const)
      writeFileSync(join(folder, name), says);
    forgetTheDead(folder);
    expect(readdirSync(folder).toSorted()).toEqual([`${living}.holder`, 'c.lock', `d.lock.${living}`].toSorted());
  });
});
