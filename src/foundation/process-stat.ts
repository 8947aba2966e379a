/** What Linux tells about a process in `/proc`. On other systems there is nothing to read, and every answer is null. */
import { readFileSync } from 'node:fs';

export interface ProcessStat {
  /** `R` running, `S` sleeping, `D` waiting for a device, `T` stopped, `t` stopped by a debugger, `Z` and `X` ended. */
  readonly state: string;
  readonly group: number;
  /** In units of the system since it was started; with the process id it names one process. */
  readonly startedAt: string;
}

/** Null when there is no such process, or when the system does not tell. */
export function processStat(pid: number | string): ProcessStat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The command's name stands in brackets and may hold anything, brackets and spaces too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', group: Number(fields[2]), startedAt: fields[19] ?? '' };
}
