/**
 * Which process wrote something, and whether it still runs: for sessions, the duty, locks and drafts alike.
 *
 * A process id proves nothing by itself: another machine, an earlier start of this one and another container give out
 * the same ids. Two processes can judge each other only where nothing contradicts that they share one machine, one boot
 * and one space of process ids. Everything else is `unknown`, and then a lease decides. A different boot id is unknown
 * too: it may be an earlier start of this machine, and as well a clone of it that runs right now.
 */
import { createHash } from 'node:crypto';
import type { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
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
  /** Start of the process, in units of the system: a process id alone comes again. */
  readonly startedAt: string;
}

type Verdict = 'alive' | 'gone' | 'unknown';

/** Judges from the place of one process whether others still run. */
export interface ProcessJudge {
  readonly self: ProcessIdentity;
  of(other: ProcessIdentity): Verdict;
}

export function judgeAs(self: ProcessIdentity): ProcessJudge {
  return { self, of: (other) => verdictOn(other, self) };
}

/** For this process. Its identity is read once: a host name may change while the process runs, the identity must not. */
export function ownJudge(): ProcessJudge {
  own ??= judgeAs(ownIdentity());
  return own;
}

let own: ProcessJudge | null = null;

function ownIdentity(): ProcessIdentity {
  return {
    host: hostname(),
    machine: machineId(),
    boot: bootId(),
    pidSpace: process.platform === 'linux' ? (orNull(() => readlinkSync('/proc/self/ns/pid')) ?? '') : process.platform,
    pid: process.pid,
    startedAt: startOf(process.pid) ?? '',
  };
}

function verdictOn(other: ProcessIdentity, self: ProcessIdentity): Verdict {
  if (!sharesPlace(other, self)) return 'unknown';
  if (other.startedAt === '') return isAnswering(other.pid) ? 'alive' : 'gone';
  return startOf(other.pid) === other.startedAt ? 'alive' : 'gone';
}

/** Whether a process id means the same process to both. Without a boot id that is unknown. */
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

/** In a file: what `readIdentity` reads. Always in this order, so that the same process is the same text. */
export function identityText({ host, machine, boot, pidSpace, pid, startedAt }: ProcessIdentity): string {
  return JSON.stringify({ host, machine, boot, pidSpace, pid, startedAt });
}

/** Null: the text is no identity, or only the beginning of one. Records of earlier versions have no machine. */
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
  // The command's name is in brackets and may itself hold brackets and spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', group: Number(fields[2]), startedAt: fields[19] ?? '' };
}

/** Whether a signal would reach the process, or with a negative number the process group. */
export function isAnswering(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** systemd asks that this id is never shown as it is, because programs use it as a secret; so it is hashed. */
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
  return createHash('sha256').update(`baton ${what}\n${text}`).digest('hex');
}
