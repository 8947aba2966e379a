/**
 * Identifies a process and checks whether it still runs: for sessions, the duty, locks and drafts.
 *
 * A process id alone proves nothing: another machine, an earlier boot and another container use the same ids. One process
 * can check another only if both share one machine, one boot and one process-id namespace. Otherwise the answer is
 * `unknown`, and a lease decides. Another boot id is `unknown` too: it may be an earlier boot of this machine, or a clone
 * of it that runs right now.
 */
import type { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hexDigestOf } from './digest.ts';
import { orNull } from './or-null.ts';
import { codeOf } from './system-error-code.ts';

export interface ProcessIdentity {
  readonly host: string;
  /** The machine id, hashed so that it can be stored; empty where the system has none. */
  readonly machine: string;
  /** Changes with every boot; empty where the system does not report it. */
  readonly boot: string;
  /** Process ids mean something only within one such space. */
  readonly pidSpace: string;
  readonly pid: number;
  /** Start time of the process, in units of the system: process ids are reused. */
  readonly startedAt: string;
}

type ProcessState = 'alive' | 'gone' | 'unknown';

/** Checks whether other processes still run, as seen by one process. */
export interface ProcessJudge {
  readonly self: ProcessIdentity;
  of(other: ProcessIdentity): ProcessState;
}

export function judgeAs(self: ProcessIdentity): ProcessJudge {
  return { self, of: (other) => livenessOf(other, self) };
}

/** For this process. Each part of its identity is read once: the host name may change while the process runs, the identity must not. */
export function ownJudge(): ProcessJudge {
  own ??= judgeAs(ownIdentity());
  return own;
}

let own: ProcessJudge | null = null;

function ownIdentity(): ProcessIdentity {
  return readOnFirstUse({
    host: () => hostname(),
    machine: machineId,
    boot: bootId,
    pidSpace: () =>
      process.platform === 'linux' ? (orNull(() => readlinkSync('/proc/self/ns/pid')) ?? '') : process.platform,
    pid: () => process.pid,
    startedAt: () => startOf(process.pid) ?? '',
  });
}

/** Most commands ask for the boot alone; to read the rest took `baton send` 1 ms of processor time. */
function readOnFirstUse<Fields extends object>(read: { readonly [Name in keyof Fields]: () => Fields[Name] }): Fields {
  const fields = {} as Fields;
  for (const name of Object.keys(read) as (keyof Fields)[]) {
    Object.defineProperty(fields, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        const value = read[name]();
        Object.defineProperty(fields, name, { value, enumerable: true });
        return value;
      },
    });
  }
  return fields;
}

function livenessOf(other: ProcessIdentity, self: ProcessIdentity): ProcessState {
  if (!sharesPlace(other, self)) return 'unknown';
  if (other.startedAt === '') return canSignal(other.pid) ? 'alive' : 'gone';
  return startOf(other.pid) === other.startedAt ? 'alive' : 'gone';
}

/** Whether a process id means the same process to both. Without a boot id this is false. */
function sharesPlace(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.boot !== '' && one.pidSpace !== '' && placeOf(one) === placeOf(other);
}

/** A short text without spaces for the place (machine, boot and process-id space) within which processes see each other. */
export function placeOf({ host, machine, boot, pidSpace }: Omit<ProcessIdentity, 'pid' | 'startedAt'>): string {
  return hashed('place', JSON.stringify([host, machine, boot, pidSpace])).slice(0, PLACE_DIGITS);
}

const PLACE_DIGITS = 16;

export function isSameProcess(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.startedAt === other.startedAt && placeOf(one) === placeOf(other);
}

/** The text for `readIdentity`. The fields have a fixed order, so the same process always gives the same text. */
export function identityText({ host, machine, boot, pidSpace, pid, startedAt }: ProcessIdentity): string {
  return JSON.stringify({ host, machine, boot, pidSpace, pid, startedAt });
}

/** Null: the text is no identity, or only the beginning of one. Older versions wrote no machine. */
export function readIdentity(text: string): ProcessIdentity | null {
  const read = orNull(() => JSON.parse(text) as Record<string, unknown> | null);
  const { host, machine = '', boot, pidSpace, pid, startedAt } = read ?? {};
  if (typeof host !== 'string' || typeof machine !== 'string' || typeof boot !== 'string') return null;
  if (typeof pidSpace !== 'string' || typeof startedAt !== 'string' || typeof pid !== 'number') return null;
  return { host, machine, boot, pidSpace, pid, startedAt };
}

/** The start time in units of the system. Null: there is no such process, or only a zombie. */
export function startOf(pid: number): string | null {
  const stat = statOf(pid);
  return stat === null || stat.state === 'Z' || stat.state === 'X' ? null : stat.startedAt;
}

export function statOf(
  pid: number | string,
): { readonly state: string; readonly group: number; readonly startedAt: string } | null {
  const text = orNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (text === null) return null;
  // The command's name is in brackets and may itself contain brackets and spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', group: Number(fields[2]), startedAt: fields[19] ?? '' };
}

/** Whether a signal would reach the process, or with a negative number the process group. */
export function canSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Hashed, because systemd asks not to expose the machine id: programs use it as a secret. */
function machineId(): string {
  if (process.platform !== 'linux') return '';
  const id =
    orNull(() => readFileSync('/etc/machine-id', 'utf8').trim()) ??
    orNull(() => readFileSync('/var/lib/dbus/machine-id', 'utf8').trim()) ??
    '';
  return id === '' ? '' : hashed('machine', id).slice(0, MACHINE_DIGITS);
}

const MACHINE_DIGITS = 32;

function bootId(): string {
  if (process.platform === 'linux')
    return orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? '';
  if (process.platform !== 'darwin') return '';
  const { execFileSync: run } = process.getBuiltinModule('node:child_process') as { execFileSync: typeof execFileSync };
  return orNull(() => run('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim()) ?? '';
}

function hashed(what: string, text: string): string {
  return hexDigestOf(`baton ${what}\n${text}`);
}
