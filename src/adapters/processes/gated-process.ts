/**
 * A program in a process group of its own, behind a gate: the group is on record before the program's first
 * instruction, so that whoever finds the worker dead can also end what it had started.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { startOf } from '../../foundation/process-identity.ts';
import { HandlerFailure } from '../../engine/attempt.ts';
import type { Attempt } from '../../engine/work.ts';
import { endNow } from './liveness.ts';
import { tellingLine } from '../../foundation/error-line.ts';

/** How much of what the program said last goes into the message of its failure. */
const STDERR_TAIL = 2_000;
/** A program that is asked to end has this long before it is ended; its worker waits for that, but not much longer. */
const POLITE_MS = 1_000;
const GATE = 'read -r _ <&3 || exit 125; exec 3<&-; exec "$@"';

export interface GatedProgram {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Its whole standard input. */
  readonly input: string;
  /** False ends the program: it said too much. */
  readonly onOutput: (chunk: Buffer) => boolean;
  readonly onError: (text: string) => void;
}

export interface Ended {
  readonly code: number | null;
  readonly killedBy: string | null;
  /** The end of its standard error. */
  readonly errors: string;
}

export async function runGated(program: GatedProgram, { signal, running }: Attempt): Promise<Ended> {
  const child = start(program);
  const ended = endOf(child);
  const errors = listen(child, program);
  const stop = (): void => endPolitely(child);
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (child.pid !== undefined) await running({ group: child.pid, startedAt: startOf(child.pid) ?? '' });
    openGate(child);
    feed(child, program.input);
    return { ...(await ended), errors: errors() };
  } finally {
    signal.removeEventListener('abort', stop);
    // What the program left running, or what still stands at the gate, would be in the way of the next one.
    if (child.pid !== undefined) endNow(child.pid);
  }
}

/** The full path of a command, or null: better now than once for every handoff. */
export function findCommand(name: string): string | null {
  if (name === '') return null;
  if (name.includes('/') || (process.platform === 'win32' && name.includes('\\')))
    return isProgram(resolve(name)) ? name : null;
  const endings = process.platform === 'win32' ? (process.env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';') : [''];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const files = folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending)));
  return files.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function start({ command, environment, folder: cwd }: GatedProgram): ChildProcess {
  const [program = '', ...rest] = command;
  const env = { ...process.env, ...environment };
  if (process.platform === 'win32') return spawn(program, rest, { env, cwd, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
  return spawn('/bin/sh', ['-c', GATE, 'sh', ...command], {
    env,
    cwd,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
}

function openGate(child: ChildProcess): void {
  const gate = child.stdio[3] as Writable | null;
  gate?.on('error', () => undefined);
  gate?.end('\n');
}

/** A program need not read its input; that it did not is no fault. */
function feed(child: ChildProcess, text: string): void {
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(`${text}\n`);
}

function endOf(child: ChildProcess): Promise<Omit<Ended, 'errors'>> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new HandlerFailure('PROCESSING_ERROR', `could not start: ${error.message}`)));
    child.once('close', (code, killedBy) => resolve({ code, killedBy }));
  });
}

function listen(child: ChildProcess, { onOutput, onError }: GatedProgram): () => string {
  let errors = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    if (!onOutput(chunk)) endPolitely(child);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    onError(text);
    errors = (errors + text).slice(-STDERR_TAIL);
  });
  return () => errors.trim();
}

function endPolitely(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  endNow(pid, 'SIGTERM');
  const insist = setTimeout(() => endNow(pid), POLITE_MS);
  child.once('close', () => clearTimeout(insist));
}

/** How a program ended that did not end well: its most telling line first, then the end of what it said. */
export function failureText(program: string, { code, killedBy, errors }: Ended): string {
  const how = code === null ? `was ended by ${killedBy ?? 'a signal'}` : `ended with exit code ${code}`;
  if (errors === '') return `${program} ${how}`;
  const line = tellingLine(errors);
  return `${program} ${how}: ${line}${line === errors ? '' : `\n${errors}`}`;
}
