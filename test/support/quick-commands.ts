/**
 * Runs commands without a new process for each: one process of the test file runs them one after the other. For a second
 * one at the same time, and for whatever has to do with processes, the answer is null and a process is started.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { COMMAND_RUNNER, type Told, type Wanted } from './command-runner.ts';

/** They answer and end. All others wait, serve, read standard input or hold something for as long as they live. */
const QUICK = new Set(
  (
    'accept activate answer apply artifact ask audit backup block cancel check claim complete create deliver doctor erase ' +
    'export facts fail import inbox index ingest init key list migrate pause pauses policy progress prune ready reassign ' +
    'reject release renew report resume retry revise rework send shadow show status sync task token trace unblock ' +
    'undelivered verify wait workflow --help --version'
  ).split(' '),
);

let runner: ChildProcess | null = null;
let isBusy = false;

export async function runQuickly(wanted: Wanted): Promise<Told['answered'] | null> {
  const isQuick = (QUICK.has(wanted.args[0] ?? '') && !wanted.args.includes('-')) || wanted.args[1] === '--help';
  if (isBusy || !isQuick || !existsSync('/proc/self/fd')) return null;
  isBusy = true;
  try {
    runner ??= startRunner();
    const { answered, isUsedUp } = await ask(runner, wanted);
    if (isUsedUp) {
      await endOf(runner);
      runner = null;
    }
    return answered;
  } catch (error) {
    runner = null;
    throw error;
  } finally {
    isBusy = false;
  }
}

/** It ends with this process, and keeps it from ending only while it has something to do. */
function startRunner(): ChildProcess {
  const child = spawn(process.execPath, ['--expose-gc', '-e', COMMAND_RUNNER], {
    cwd: '/',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.unref();
  return child;
}

/** Until then the locks of what it could not close are held. */
async function endOf(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.disconnect();
  await ended;
}

async function ask(child: ChildProcess, wanted: Wanted): Promise<Told> {
  let stopWatching = (): void => undefined;
  child.channel?.ref();
  try {
    return await new Promise<Told>((resolve, reject) => {
      const ended = (code: number | null): void => reject(new Error(`${wanted.args.join(' ')} ended with ${code}`));
      stopWatching = () => void child.off('exit', ended);
      child.once('message', (told) => resolve(told as Told)).once('exit', ended);
      child.send(wanted, (error) => {
        if (error !== null) reject(error);
      });
    });
  } finally {
    stopWatching();
    child.channel?.unref();
  }
}
