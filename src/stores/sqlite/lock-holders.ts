/**
 * Finds the processes that hold exclusive locks of a SQLite database.
 *
 * Linux lists all locks in `/proc/locks` with process id and file. On other systems the result is null.
 */
import { readdirSync, readFileSync, statSync, type Stats } from 'node:fs';
import { orNull } from '../../foundation/or-null.ts';
import { statOf } from '../../foundation/process-identity.ts';

export interface LockHolder {
  readonly pid: number;
  readonly state: string;
  readonly startedAt: string;
  /** The name of the program. */
  readonly command: string;
}

/** `1: POSIX  ADVISORY  WRITE 4711 fe:00:2190869 120 120`; a waiting process has an arrow before the kind. */
const LINE = /^\d+: POSIX +\S+ +WRITE +(\d+) ([0-9a-f]+):([0-9a-f]+):(\d+) /;
/** At most this many lines are read. */
const LINES_MAX = 100_000;

/** All other processes that hold an exclusive lock on the database or on the index of its log. */
export function lockHolders(path: string): readonly LockHolder[] | null {
  const lines = orNull(() => readFileSync('/proc/locks', 'utf8').split('\n', LINES_MAX));
  if (lines === null) return null;
  const files = [path, `${path}-shm`].flatMap((file) => statSync(file, { throwIfNoEntry: false }) ?? []);
  const pids = new Set<number>();
  for (const line of lines) {
    const [, pid = '', major = '', minor = '', inode = ''] = LINE.exec(line) ?? [];
    if (pid === '' || Number(pid) === process.pid) continue;
    const file = files.find(({ ino }) => ino === Number(inode));
    if (file === undefined) continue;
    const isSameDevice = isDevice(file, Number.parseInt(major, 16), Number.parseInt(minor, 16));
    if (isSameDevice || hasOpen(Number(pid), file)) pids.add(Number(pid));
  }
  return [...pids].flatMap(holderOf);
}

function holderOf(pid: number): readonly LockHolder[] {
  const stat = statOf(pid);
  const command = orNull(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim()) ?? 'unknown';
  return stat === null ? [] : [{ pid, state: stat.state, startedAt: stat.startedAt, command }];
}

function isDevice({ dev }: Stats, major: number, minor: number): boolean {
  const number = BigInt(dev);
  const itsMajor = ((number >> 8n) & 0xfffn) | ((number >> 32n) & 0xfffff000n);
  const itsMinor = (number & 0xffn) | ((number >> 12n) & 0xffffff00n);
  return itsMajor === BigInt(major) && itsMinor === BigInt(minor);
}

/** On some file systems (btrfs, overlays) `stat` reports another device than the list of locks. */
function hasOpen(pid: number, { dev, ino }: Stats): boolean {
  const isOpen = orNull(() =>
    readdirSync(`/proc/${pid}/fd`).some((descriptor) => {
      const found = statSync(`/proc/${pid}/fd/${descriptor}`, { throwIfNoEntry: false });
      return found !== undefined && found.dev === dev && found.ino === ino;
    }),
  );
  return isOpen === true;
}
