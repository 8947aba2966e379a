import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram } from '../../src/foundation/run-program.ts';
import { tempFolder, until } from '../support/processes.ts';

/** Longer than `runProgram` waits for the pipes of a program that has ended. */
const STALL_MS = 700;

const stall = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Blocks this process, as a long computation does, until the other one has ended and nobody has asked for its end. */
function blockUntilEnded(pid: number): void {
  while (!/^\d+ \(.*\) Z /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))) stall(1);
}

it.skipIf(process.platform !== 'linux')(
  'a process that is too busy to read in time still gets the whole output (elsewhere there is no /proc to see the order by)',
  async () => {
    const folder = tempFolder();
    const gate = join(folder, 'gate');
    const pidFile = join(folder, 'pid');
    execFileSync('mkfifo', [gate]);
    const script = `echo $$ > "${pidFile}.new"; mv "${pidFile}.new" "${pidFile}"; read line < "${gate}"; echo "$line"`;
    const ended = runProgram({
      program: 'sh',
      args: ['-c', script],
      env: { PATH: process.env['PATH'] ?? '' },
      timeoutMs: 60_000,
      outputBytesMax: 1_000,
    });
    const pid = await until('the program waits', () => {
      try {
        return Number(readFileSync(pidFile, 'utf8'));
      } catch {
        return null;
      }
    });
    // Its output and its end are noticed in one round of the event loop: the output first, the ends of all programs last.
    const other = spawn('echo', ['x'], { stdio: ['ignore', 'pipe', 'ignore'] });
    other.stdout.once('data', () => {
      writeFileSync(gate, 'all of it\n');
      blockUntilEnded(pid);
    });
    other.once('exit', () => stall(STALL_MS));
    // The pipe is read from the next tick on.
    process.nextTick(() => process.nextTick(() => blockUntilEnded(other.pid ?? 0)));
    const { over, exitCode, stdout } = await ended;
    expect([over, exitCode, stdout.toString()]).toEqual(['ended', 0, 'all of it\n']);
  },
);
