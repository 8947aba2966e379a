/** Ctrl-Z: the worker stops itself, and never with the database locked. */
import { describe, expect, it } from 'vitest';
import { makeWorkspace, sqlite } from '../cli/workspaces.ts';
import { start, until, untilSays } from '../support/processes.ts';
import { holdsLock, isStopped } from '../support/stopping.ts';
import { usePrograms } from './built-programs.ts';
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

const SUSPENSIONS = 40;
const programs = usePrograms([new URL('./programs/suspended.ts', import.meta.url)]);
/** A shell with job control gives each job a process group of its own, as a person's shell does. */
const JOB = 'set -m; "$@" < /dev/null & echo "pid $!"; read -r _';

describe.skipIf(process.platform !== 'linux')('a worker that is suspended with Ctrl-Z', () => {
  it('I14: does not hold the lock of the database while it is stopped, and goes on', async () => {
    const workspace = await makeWorkspace(sqlite);
    await workspace.send('@react');
    const order = JSON.stringify({ database: workspace.address, leaseMs: 1_000 });
    const shell = start('bash', ['-c', JOB, 'sh', process.execPath, programs.path('suspended'), order], {
      input: 'open',
    });
    await untilSays(shell, 'ready');
    const pid = Number(/pid (\d+)/.exec(shell.stdout())?.[1]);
    const commits = (): number => shell.stdout().split('"commits"').length;
    let withLock = 0;
    for (let round = 0; round < SUSPENSIONS; round += 1) {
      const before = commits();
      await until('it commits', () => commits() > before);
      process.kill(pid, 'SIGTSTP');
      await until('it is stopped', () => isStopped(pid));
      if (holdsLock(pid, workspace.address)) withLock += 1;
      process.kill(pid, 'SIGCONT');
    }
    expect(withLock).toBe(0);
  });
});
