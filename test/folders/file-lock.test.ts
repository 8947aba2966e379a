import { randomUUID } from 'node:crypto';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { identityText, judgeAs, ownJudge, type ProcessIdentity } from '../../src/foundation/process-identity.ts';
import { watchLock } from '../../src/foundation/file-lock.ts';
import { removeDeadLocks, openNameLocks } from '../../src/folders/name-locks.ts';
import { usePrograms } from '../crash/built-programs.ts';
import { start, tempFolder, until, untilSays } from '../support/processes.ts';

const { self } = ownJudge();
/** A process id that belonged to somebody else before: our parent has it now, and started at another time. */
const DEAD: ProcessIdentity = { ...self, pid: process.ppid, startedAt: '1' };
const ELSEWHERE: ProcessIdentity = { ...self, pidSpace: 'pid:[1]' };
const LEASE_MS = 200;

const programs = usePrograms([new URL('./programs/lock-once.ts', import.meta.url)]);

function words(identity: ProcessIdentity): string {
  return `${identityText(identity)}\n${randomUUID()}\n`;
}

describe('being alone with a name', () => {
  it('holds among many who do not know of each other', async () => {
    const lock = join(tempFolder(), 'x.lock');
    let inside = 0;
    let most = 0;
    // Each with its own memory, as if it were a process of its own.
    await Promise.all(
      Array.from({ length: 20 }, async () =>
        openNameLocks().with(lock, async () => {
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
    const alone = openNameLocks();
    const failing = alone.with(join(folder, 'x.lock'), async () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    expect(await alone.with(join(folder, 'x.lock'), async () => 'again')).toBe('again');
    alone.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is taken at once from a process that is gone, also where another process has its id by now', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'dead.lock'), words(DEAD));
    // Nobody waits for the lease here: it is an hour.
    const alone = openNameLocks({ leaseMs: 60 * 60_000 });
    expect(await alone.with(join(folder, 'dead.lock'), async () => 'mine')).toBe('mine');
    alone.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is taken from one that hangs or cannot be judged only after a lease without a sign of life', async () => {
    const folder = tempFolder();
    for (const [name, holder] of [
      ['hangs.lock', words(self)],
      ['elsewhere.lock', words(ELSEWHERE)],
      ['earlier-version.lock', `4711-${randomUUID()}`],
    ] as const) {
      const lock = join(folder, name);
      writeFileSync(lock, holder);
      // However old the file looks: a wall clock may have been set.
      utimesSync(lock, 1, 1);
      const alone = openNameLocks({ leaseMs: LEASE_MS });
      const beganMs = performance.now();
      expect(await alone.with(lock, async () => performance.now() - beganMs)).toBeGreaterThanOrEqual(LEASE_MS);
      alone.close();
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not taken by a watcher that was stopped itself: it knows nothing about that time', () => {
    let nowMs = 0;
    const isLost = watchLock(ownJudge(), { leaseMs: LEASE_MS, elapsedMs: () => nowMs });
    const looked = (afterMs: number, mark = 'a'): boolean => {
      nowMs += afterMs;
      return isLost({ text: '', holder: ELSEWHERE, mark, touchedAt: 0 });
    };
    expect([looked(0), looked(LEASE_MS * 100), looked(1)]).toEqual([false, false, false]);
    expect(looked(1, 'a sign of life')).toBe(false);
    const silence = Array.from({ length: LEASE_MS / 10 }, () => looked(10, 'a sign of life'));
    expect(silence).toEqual(silence.map((_, index) => index + 1 === silence.length));
  });

  it('stays with a holder elsewhere that shows signs of life, however long it takes', async () => {
    const lock = join(tempFolder(), 'x.lock');
    const [ours, theirs] = [
      openNameLocks({ leaseMs: LEASE_MS }),
      openNameLocks({ judge: judgeAs(ELSEWHERE), leaseMs: LEASE_MS }),
    ];
    const order: string[] = [];
    const first = theirs.with(lock, async () => {
      await pause(LEASE_MS * 4);
      order.push('theirs');
    });
    await until('the other one has it', () => readdirSync(join(lock, '..')).includes('x.lock'));
    await ours.with(lock, async () => void order.push('ours'));
    await first;
    expect(order).toEqual(['theirs', 'ours']);
  });

  it('holds between containers that share a folder and see other process ids', async ({ skip }) => {
    const namespaces = ['--pid', '--fork', '--kill-child', '--mount-proc'];
    if (spawnSync('unshare', [...namespaces, 'true']).status !== 0)
      return skip('needs root and Linux namespaces (unshare)');
    const lock = join(tempFolder(), 'x.lock');
    const order: string[] = [];
    await openNameLocks().with(lock, async () => {
      const container = start('unshare', [
        ...namespaces,
        process.execPath,
        programs.path('lock-once'),
        JSON.stringify({ lock }),
      ]);
      await untilSays(container, 'waiting');
      // It has looked at the lock many times when it says so; whoever judges by the process id has it by now.
      await untilSays(container, 'looked');
      order.push(container.stdout().includes('inside') ? 'both inside' : 'we alone');
    });
    expect(order).toEqual(['we alone']);
  });

  it('whatever the dead have left is taken away, and nothing of the living or of those elsewhere', async () => {
    const folder = tempFolder();
    const id = randomUUID();
    const [dead, living, elsewhere] = [words(DEAD), words(self), words(ELSEWHERE)];
    for (const [name, says] of [
      ['a.lock', dead],
      [`b.lock.${id}`, dead],
      ['dead.holder', dead],
      ['c.lock', living],
      [`d.lock.${id}`, living],
      ['living.holder', living],
      ['e.lock', elsewhere],
      ['elsewhere.holder', elsewhere],
      ['old.holder', elsewhere],
    ] as const)
      writeFileSync(join(folder, name), says);
    utimesSync(join(folder, 'old.holder'), 1, 1);
    removeDeadLocks(folder);
    const left = ['c.lock', `d.lock.${id}`, 'living.holder', 'e.lock', 'elsewhere.holder'];
    expect(readdirSync(folder).toSorted()).toEqual(left.toSorted());
  });
});
