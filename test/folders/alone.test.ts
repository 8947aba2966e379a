import { lutimesSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openAlone } from '../../src/folders/alone.ts';
import { start, tempFolder } from '../support/processes.ts';

describe('being alone with a name', () => {
  it('holds among many who do not know of each other', async () => {
    const lock = join(tempFolder(), 'x.lock');
    let inside = 0;
    let most = 0;
    // Each with its own memory, as if it were a process of its own.
    await Promise.all(
      Array.from({ length: 20 }, async () =>
        openAlone()(lock, async () => {
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
    const failing = alone(join(folder, 'x.lock'), async () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    expect(await alone(join(folder, 'x.lock'), async () => 'again')).toBe('again');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is taken from a process that is gone, and from one that hangs', async () => {
    const folder = tempFolder();
    const dead = start('true', []);
    await dead.ended;
    symlinkSync(`${dead.pid} somebody`, join(folder, 'dead.lock'));
    symlinkSync(`${process.pid} somebody`, join(folder, 'old.lock'));
    const longAgo = Date.now() / 1000 - 60;
    lutimesSync(join(folder, 'old.lock'), longAgo, longAgo);
    for (const name of ['dead.lock', 'old.lock']) {
      expect(await openAlone()(join(folder, name), async () => 'mine')).toBe('mine');
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});
