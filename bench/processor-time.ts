/** Processor time of a server with all its processes, and how busy the whole machine is. Only on Linux. */
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { PrivatePostgres } from '../test/support/private-postgres.ts';

const TICK_MS = 10;

/** Answers a function that tells how many milliseconds the server has used so far; not a number where that is not known. */
export async function serverTime(server: PrivatePostgres): Promise<() => number> {
  const [row] = await server.sql()`select pg_read_file('postmaster.pid') as text`;
  const postmaster = String(row?.['text']).split('\n')[0] ?? '';
  return () => {
    try {
      const own = statOf(postmaster);
      const children = readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(statIfThere)
        .filter((stat) => stat?.parent === postmaster);
      return own.usedMs + own.endedMs + children.reduce((sum, stat) => sum + (stat?.usedMs ?? 0), 0);
    } catch {
      return Number.NaN;
    }
  };
}

/** Of all cores together, since the machine began. */
export function machineTime(): { readonly busyMs: number; readonly allMs: number } {
  let [busyMs, allMs] = [0, 0];
  for (const { times } of cpus()) {
    const all = times.user + times.nice + times.sys + times.idle + times.irq;
    allMs += all;
    busyMs += all - times.idle;
  }
  return { busyMs, allMs };
}

interface Stat {
  readonly parent: string;
  readonly usedMs: number;
  /** Of its children that have ended. */
  readonly endedMs: number;
}

function statIfThere(pid: string): Stat | undefined {
  try {
    return statOf(pid);
  } catch {
    return undefined;
  }
}

function statOf(pid: string): Stat {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program stands in brackets and may have blanks.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (at: number): number => Number(fields[at]) * TICK_MS;
  return { parent: fields[1] ?? '', usedMs: ticks(11) + ticks(12), endedMs: ticks(13) + ticks(14) };
}
