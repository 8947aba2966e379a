/**
 * What this process can tell about others on the same machine.
 *
 * A process id alone proves nothing, because it comes again; together with the start time it does. Where the system
 * does not tell start times (other than Linux), a living process id counts as alive, and silence has the last word.
 */
import type { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Timers } from '../foundation/clock.ts';
import { processStat } from '../foundation/process-stat.ts';
import type { Liveness } from '../engine/surroundings.ts';
import type { ProcessIdentity, RunningGroup } from '../stores/store.ts';

const END_PATIENCE_MS = 5_000;
const LOOK_AGAIN_MS = 10;

export function systemLiveness(timers: Timers): Liveness {
  const self = identityOf(process.pid);
  return {
    self,
    of: (other) => judge(self, other),
    isStopped: (other) => judge(self, other) === 'alive' && processStat(other.pid)?.state === 'T',
    endGroup: async (group) => {
      if (!isStill(group)) return;
      endNow(group.group);
      for (let waitedMs = 0; waitedMs < END_PATIENCE_MS && hasLiving(group.group); waitedMs += LOOK_AGAIN_MS) {
        await timers.sleep(LOOK_AGAIN_MS);
      }
    },
  };
}

function identityOf(pid: number): ProcessIdentity {
  return {
    host: hostname(),
    boot: quietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? '',
    pidSpace: quietly(() => readlinkSync('/proc/self/ns/pid')) ?? '',
    pid,
    startedAt: startOf(pid) ?? '',
  };
}

function judge(self: ProcessIdentity, other: ProcessIdentity): 'alive' | 'gone' | 'unknown' {
  if (other.boot !== self.boot) return other.host === self.host ? 'gone' : 'unknown';
  if (other.pidSpace !== self.pidSpace || (self.boot === '' && other.host !== self.host)) return 'unknown';
  if (other.startedAt === '') return answers(other.pid) ? 'alive' : 'gone';
  return startOf(other.pid) === other.startedAt ? 'alive' : 'gone';
}

/** The start time in units of the system; null when there is no such process, or only what is left of it. */
export function startOf(pid: number): string | null {
  const stat = processStat(pid);
  return stat === null || stat.state === 'Z' || stat.state === 'X' ? null : stat.startedAt;
}

/** A group whose leader has ended may still have members; one whose number was given away again is somebody else's. */
function isStill({ group, startedAt }: RunningGroup): boolean {
  const now = processStat(group);
  return now === null || startedAt === '' || now.startedAt === startedAt;
}

/** The whole group at once: a command that was asked nicely would still be writing when its successor begins. */
export function endNow(group: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  quietly(() => {
    if (process.platform === 'win32')
      programs().execFileSync('taskkill', ['/pid', String(group), '/t', '/f'], { stdio: 'ignore' });
    else process.kill(-group, signal);
  });
}

function hasLiving(group: number): boolean {
  const pids = quietly(() => readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)));
  if (pids === null) return answers(-group);
  return pids.some((pid) => {
    const stat = processStat(pid);
    return stat !== null && stat.group === group && stat.state !== 'Z' && stat.state !== 'X';
  });
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function quietly<Answer>(act: () => Answer): Answer | null {
  try {
    return act();
  } catch {
    return null;
  }
}

/** Loaded where it is needed, which is never on Linux: it takes 4 ms of every start. */
function programs(): { readonly execFileSync: typeof execFileSync } {
  return process.getBuiltinModule('node:child_process');
}
