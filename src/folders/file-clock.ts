/**
 * How long a file has been unchanged and in its place, by its change time (ctime): writing and renaming both set it, and
 * programs cannot set it back, unlike the modification time. A network file system has its own clock, so both times are
 * taken from that clock.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, unlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** How often the offset between the two clocks is measured. */
const MEASURED_MS = 10_000;

/** `draftFolder`: on the same file system. A probe file is made there and removed. */
export function openFileClock(draftFolder: string): (found: Stats) => number {
  let offsetMs = 0;
  let measuredMs = Number.NEGATIVE_INFINITY;
  const measure = (): void => {
    const probe = join(draftFolder, `.clock.${randomUUID()}.draft`);
    const file = openSync(probe, 'wx', 0o600);
    try {
      offsetMs = fstatSync(file).ctimeMs - Date.now();
      measuredMs = performance.now();
    } finally {
      closeSync(file);
      unlinkSync(probe);
    }
  };
  return ({ ctimeMs }) => {
    if (performance.now() - measuredMs > MEASURED_MS) measure();
    return Date.now() + offsetMs - ctimeMs;
  };
}
