import { existsSync, appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { footprint, leftIn } from '../folders/queue-world.ts';
import { sendMany } from '../interop/sending.ts';
import { quickBaton, startBaton, tempFolder, until, untilSays } from '../support/processes.ts';
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

const COUNT = 40;
const KILLS = 12;

describe('workers of ours that are killed at any moment', () => {
  it('I7, I10, I11, I14: lose no file, and every handoff is completed in its place', async () => {
    const folder = tempFolder();
    await quickBaton(['init'], { cwd: folder });
    appendFileSync(
      join(folder, 'baton.yaml'),
      'folders: { queue: on }\nlease_seconds: 2\nretry: { delay_seconds: 0, max_retries: 50 }\nclocks: { queue: { attempt_seconds: 3 } }\n',
    );
    const ids = await sendMany(folder, COUNT, 3_000);
    const completed = (): readonly string[] => readdirSync(join(folder, 'handoffs/completed'));
    const work = ['work', '@react', '--concurrency', '2', '--', 'sh', '-c', 'cat > /dev/null; echo 1'];
    let seen = completed().length;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const worker = startBaton(work, { cwd: folder });
      await untilSays(worker, 'attempt');
      // Somewhere in the middle of one: between two of its steps, never after a fixed time.
      await until(
        'one more is done, or the worker is at it',
        () => completed().length > seen || worker.stderr() !== '',
      );
      worker.signal('SIGKILL');
      await worker.ended;
      seen = completed().length;
      // At every instant each of them is in sight.
      for (const id of ids) {
        const places = ['waiting', 'pending', 'in-progress', 'completed'].filter((place) =>
          readdirSync(join(folder, 'handoffs', place)).includes(`${id}.json`),
        );
        expect([id, places.length > 0]).toEqual([id, true]);
      }
    }
    const last = startBaton(work, { cwd: folder });
    await until('all are completed', () => completed().length === COUNT, 120_000);
    last.signal('SIGTERM');
    await last.ended;
    await quickBaton(['sync'], { cwd: folder });
    const before = footprint(folder);
    await quickBaton(['sync'], { cwd: folder });
    expect(footprint(folder)).toEqual(before);
    expect(leftIn(folder, ['pending', 'in-progress', 'waiting', 'failed', 'quarantine'])).toEqual([]);
    for (const id of ids) {
      const file = JSON.parse(readFileSync(join(folder, `handoffs/completed/${id}.json`), 'utf8')) as object;
      expect(file).toMatchObject({ handoff_id: id, status: 'completed' });
    }
    const locks = join(folder, '.baton/queue');
    expect(existsSync(locks) ? readdirSync(locks) : []).toEqual([]);
  });
});
