/**
 * A program in a process group of its own, behind a gate: the group is stored before the program's first instruction, so
 * that a sweep that finds the worker dead can also end what the worker had started.
 */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { Writable } from 'node:stream';
import { startOf } from '../../foundation/process-identity.ts';
import { HandlerFailure } from '../../engine/attempt.ts';
import type { Attempt } from '../../engine/work.ts';
import { endNow } from './liveness.ts';
import { errorLine } from '../../foundation/error-line.ts';

/** How much of what the program said last goes into the message of its failure. */
const STDERR_TAIL = 2_000;
/** A program that is asked to end has this long before it is killed. */
const TERM_GRACE_MS = 1_000;
const GATE = 'read -r _ <&3 || exit 125; exec 3<&-; exec "$@"';

export interface GatedProgram {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Its whole standard input. */
  readonly input: string;
  /** False ends the program: its output is too long. */
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
  const errors = readOutput(child, program);
  const stop = (): void => terminate(child);
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (child.pid !== undefined) await running({ group: child.pid, startedAt: startOf(child.pid) ?? '' });
    openGate(child);
    writeInput(child, program.input);
    return { ...(await ended), errors: errors() };
  } finally {
    signal.removeEventListener('abort', stop);
    // What the program left running, or a program that still waits at the gate, would disturb the next attempt.
    if (child.pid !== undefined) endNow(child.pid);
  }
}

function start({ command, environment, folder: cwd }: GatedProgram): ChildProcess {
  const [program = '', ...rest] = command;
  const env = { ...process.env, ...environment };
  const stdio: StdioOptions = ['pipe', 'pipe', 'pipe', 'pipe'];
  const options = { env, cwd, stdio };
  if (process.platform === 'win32') return spawn(program, rest, options);
  return spawn('/bin/sh', ['-c', GATE, 'sh', ...command], { ...options, detached: true });
}

function openGate(child: ChildProcess): void {
  const gate = child.stdio[3] as Writable | null;
  gate?.on('error', () => undefined);
  gate?.end('\n');
}

/** A program need not read its input. */
function writeInput(child: ChildProcess, text: string): void {
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(`${text}\n`);
}

function endOf(child: ChildProcess): Promise<Omit<Ended, 'errors'>> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new HandlerFailure('PROCESSING_ERROR', `could not start: ${error.message}`)));
    child.once('close', (code, killedBy) => resolve({ code, killedBy }));
  });
}

function readOutput(child: ChildProcess, { onOutput, onError }: GatedProgram): () => string {
  let errors = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    if (!onOutput(chunk)) terminate(child);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    onError(text);
    errors = (errors + text).slice(-STDERR_TAIL);
  });
  return () => errors.trim();
}

function terminate(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  endNow(pid, 'SIGTERM');
  const kill = setTimeout(() => endNow(pid), TERM_GRACE_MS);
  child.once('close', () => clearTimeout(kill));
}

/** How a program failed: the most telling line first, then the end of its error output. */
export function failureText(program: string, { code, killedBy, errors }: Ended): string {
  const how = code === null ? `was ended by ${killedBy ?? 'a signal'}` : `ended with exit code ${code}`;
  if (errors === '') return `${program} ${how}`;
  const line = errorLine(errors);
  return `${program} ${how}: ${line}${line === errors ? '' : `\n${errors}`}`;
}
