/** Judges other processes on the same machine, and ends the commands of workers that are gone. */
import type { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import type { Timers } from '../../foundation/clock.ts';
import { orNull } from '../../foundation/or-null.ts';
import type { Liveness } from '../../engine/context.ts';
import { canSignal, ownJudge, statOf } from '../../foundation/process-identity.ts';
import type { RunningGroup } from '../../stores/store.ts';

const END_TIMEOUT_MS = 5_000;
const POLL_MS = 10;

export function systemLiveness(timers: Timers): Liveness {
  const judge = ownJudge();
  return {
    ...judge,
    isStopped: (other) => judge.of(other) === 'alive' && statOf(other.pid)?.state === 'T',
    endGroup: async (group) => {
      if (!isRunning(group)) return;
      endNow(group.group);
      for (let waitedMs = 0; waitedMs < END_TIMEOUT_MS && hasLiving(group.group); waitedMs += POLL_MS) {
        await timers.sleep(POLL_MS);
      }
    },
  };
}

/** A group whose leader has ended may still have members. A leader with another start time is another group. */
function isRunning({ group, startedAt }: RunningGroup): boolean {
  const now = statOf(group);
  return now === null || startedAt === '' || now.startedAt === startedAt;
}

/** Kills the whole group at once: a command that is only asked to end would still write when the next attempt begins. */
export function endNow(group: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  orNull(() => {
    if (process.platform === 'win32')
      programs().execFileSync('taskkill', ['/pid', String(group), '/t', '/f'], { stdio: 'ignore' });
    else process.kill(-group, signal);
  });
}

function hasLiving(group: number): boolean {
  const pids = orNull(() => readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)));
  if (pids === null) return canSignal(-group);
  return pids.some((pid) => {
    const stat = statOf(pid);
    return stat !== null && stat.group === group && stat.state !== 'Z' && stat.state !== 'X';
  });
}

/** Loaded on its first use, which never happens on Linux: loading takes 4 ms. */
function programs(): { readonly execFileSync: typeof execFileSync } {
  return process.getBuiltinModule('node:child_process');
}
