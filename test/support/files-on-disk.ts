/** For tests that kill or stop processes at random: on a disk, twice as many hits fall into the middle of a write. */
import { beforeEach, onTestFinished, vi } from 'vitest';
import { DISK_VARIABLE } from './memory-folder.ts';

/** Called at the top of a test file: its temporary folders are on the disk. */
export function keepFilesOnDisk(): void {
  beforeEach(() => {
    const disk = process.env[DISK_VARIABLE];
    if (disk === undefined) return;
    vi.stubEnv('TMPDIR', disk);
    onTestFinished(() => void vi.unstubAllEnvs());
  });
}
