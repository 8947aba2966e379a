/**
 * How long a file has been as it is, where it is. Its change time says so: writing and renaming both set it, and no
 * program can set it back, as it can the time of the last write. File systems of other machines have clocks of their
 * own, so the age is taken between two times of the same clock.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, unlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** Clocks of two machines drift slowly apart. */
const MEASURED_MS = 10_000;

/** `draftFolder`: of the same file system; a file is made there and taken away again. */
export function openFileClock(draftFolder: string): (found: Stats) => number {
  let aheadMs = 0;
  let measuredMs = Number.NEGATIVE_INFINITY;
  const measure = (): void => {
    const probe = join(draftFolder, `.clock.${randomUUID()}.draft`);
    const file = openSync(probe, 'wx', 0o600);
    try {
      aheadMs = fstatSync(file).ctimeMs - Date.now();
      measuredMs = performance.now();
    } finally {
      closeSync(file);
      unlinkSync(probe);
    }
  };
  return ({ ctimeMs }) => {
    if (performance.now() - measuredMs > MEASURED_MS) measure();
    return Date.now() + aheadMs - ctimeMs;
  };
}
