/** Keeps the temporary files of the tests in memory, so that tests do not wait for the disk. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orNull } from '../../src/foundation/or-null.ts';

const IN_MEMORY = '/dev/shm';
const NAME = 'baton-tests-';
/** Names the temporary folder on the disk, for tests that need one. */
export const DISK_VARIABLE = 'BATON_TEST_DISK';
const ROOM_BYTES = 4 * 1024 ** 3;

/** Null where there is no such folder, too little room, or no right to run programs in it. */
export function memoryFolder(): string | null {
  const probe = join(IN_MEMORY, `${NAME}probe-${process.pid}`);
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    if (bavail * bsize < ROOM_BYTES) return null;
    writeFileSync(probe, '#!/bin/sh\n', { mode: 0o755 });
    return spawnSync(probe).status === 0 ? IN_MEMORY : null;
  } catch {
    return null;
  } finally {
    rmSync(probe, { force: true });
  }
}

/**
 * From now on temporary files of this process, and of all that it starts, are in memory, unless TMPDIR names a place. Half
 * of the time of a test with a database was waiting for the disk. Answers how to take the files away.
 */
export function keepTemporaryFilesInMemory(): () => void {
  const place = process.env['TMPDIR'] === undefined ? memoryFolder() : null;
  if (place === null) return () => undefined;
  removeThoseOfKilledRuns(place);
  const folder = join(place, `${NAME}${process.pid}`);
  mkdirSync(folder);
  // As open as the usual place: servers run as users of their own.
  chmodSync(folder, 0o1777);
  process.env[DISK_VARIABLE] = tmpdir();
  process.env['TMPDIR'] = folder;
  return () => {
    delete process.env['TMPDIR'];
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
}

/**
 * They would hold their memory until the machine is started again. One that cannot be removed stays: a run that was killed
 * may have left a disk mounted in it.
 */
function removeThoseOfKilledRuns(place: string): void {
  for (const name of readdirSync(place)) {
    const [, pid] = /^baton-tests-([0-9]+)$/.exec(name) ?? [];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    orNull(() => rmSync(join(place, name), { recursive: true, force: true }));
  }
}
