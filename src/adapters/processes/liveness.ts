/** What this process can tell about others on the same machine, and how it ends the commands of those that are gone. */
import type { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import type { Timers } from '../../foundation/clock.ts';
import type { Liveness } from '../../engine/context.ts';
import { isAnswering, ownJudge, statOf } from '../../foundation/process-identity.ts';
import type { RunningGroup } from '../../stores/store.ts';

const END_PATIENCE_MS = 5_000;
const LOOK_AGAIN_MS = 10;

export function systemLiveness(timers: Timers): Liveness {
  const judge = ownJudge();
  return {
    ...judge,
    isStopped: (other) => judge.of(other) === 'alive' && statOf(other.pid)?.state === 'T',
    endGroup: async (group) => {
      if (!isStill(group)) return;
      endNow(group.group);
      for (let waitedMs = 0; waitedMs < END_PATIENCE_MS && hasLiving(group.group); waitedMs += LOOK_AGAIN_MS) {
        await timers.sleep(LOOK_AGAIN_MS);
      }
    },
  };
}

/** A group whose leader has ended may still have members; one whose number was given away again is somebody else's. */
function isStill({ group, startedAt }: RunningGroup): boolean {
  const now = statOf(group);
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
  if (pids === null) return isAnswering(-group);
  return pids.some((pid) => {
    const stat = statOf(pid);
    return stat !== null && stat.group === group && stat.state !== 'Z' && stat.state !== 'X';
  });
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
