/** Runs a program to its end in a process group of its own, with limits on time and output. */
import { spawn } from 'node:child_process';
import { codeOf } from './system-error-code.ts';
import { elapsedMs } from './clock.ts';
import { orNull } from './or-null.ts';

export interface ProgramRequest {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: Uint8Array | string;
  readonly timeoutMs: number;
  /** Per stream. A program that writes more is killed. */
  readonly outputBytesMax: number;
  readonly signal?: AbortSignal | undefined;
  /** Kills the processes that the program leaves running in its group. */
  readonly killsLeftovers?: true;
}

export interface ProgramEnd {
  readonly over: 'ended' | 'timeout' | 'output' | 'aborted' | 'not-started';
  readonly exitCode: number | null;
  /** The signal that ended the program; null if one of our limits ended it. */
  readonly killedBy: string | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly durationMs: number;
}

/** A child that left the group may keep the pipe open forever. */
const PIPE_CLOSE_WAIT_MS = 500;

export function runProgram(request: ProgramRequest): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const beganMs = elapsedMs();
    const child = spawn(request.program, request.args, {
      ...(request.folder === undefined ? {} : { cwd: request.folder }),
      env: { ...request.env },
      detached: process.platform !== 'win32',
      stdio: [request.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    let over: ProgramEnd['over'] = 'ended';
    let ending: Pick<ProgramEnd, 'exitCode' | 'killedBy'> = { exitCode: null, killedBy: null };
    let pipeTimer: NodeJS.Timeout | undefined;
    let isOver = false;
    const end = (why: ProgramEnd['over']): void => {
      if (over !== 'ended') return;
      over = why;
      endGroup(child.pid);
    };
    const abort = (): void => end('aborted');
    const timer = setTimeout(() => end('timeout'), request.timeoutMs);
    const stdout = collect(child.stdout, request.outputBytesMax, () => end('output'));
    const stderr = collect(child.stderr, request.outputBytesMax, () => end('output'));
    const finish = (failure?: Error): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      clearTimeout(pipeTimer);
      request.signal?.removeEventListener('abort', abort);
      child.stdout?.destroy();
      child.stderr?.destroy();
      const errorOutput = failure === undefined ? stderr() : Buffer.from(codeOf(failure) ?? failure.message);
      resolve({
        over: failure === undefined ? over : 'not-started',
        ...ending,
        stdout: stdout(),
        stderr: errorOutput,
        durationMs: elapsedMs() - beganMs,
      });
    };
    child.once('error', (error) => {
      child.removeAllListeners('close').removeAllListeners('exit');
      finish(error);
    });
    child.once('exit', (exitCode, killedBy) => {
      if (over === 'ended') ending = { exitCode, killedBy };
      clearTimeout(timer);
      if (request.killsLeftovers === true) endGroup(child.pid);
      // In a busy process this timer may fire late, and timers run before pipes are read: without one more turn of the event
      // loop the whole output of a successful program would be lost.
      pipeTimer = setTimeout(() => setImmediate(finish), PIPE_CLOSE_WAIT_MS);
    });
    child.once('close', () => finish());
    child.stdin?.on('error', () => undefined);
    if (request.input !== undefined) child.stdin?.end(request.input);
    request.signal?.addEventListener('abort', abort, { once: true });
    if (request.signal?.aborted === true) abort();
  });
}

/** The returned function gives what was read, up to the limit. */
function collect(stream: NodeJS.ReadableStream | null, bytesMax: number, onLimit: () => void): () => Buffer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    const room = bytesMax - bytes;
    if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) onLimit();
  });
  return () => Buffer.concat(chunks);
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  // The program may already have ended.
  orNull(() => process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL'));
}

/** Only these variables, so that a program does not get our secrets. */
export function hostEnvironment(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
