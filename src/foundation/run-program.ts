/** Runs a program of the host to its end, with a limit on time and on output, and in a process group of its own. */
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
  /** Kills what the program leaves running in its group. */
  readonly killsRest?: true;
}

export interface ProgramEnd {
  readonly over: 'ended' | 'timeout' | 'output' | 'aborted' | 'not-started';
  readonly exitCode: number | null;
  /** The signal that ended the program by itself; null after a limit of ours. */
  readonly killedBy: string | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly durationMs: number;
}

/** A child that left the group may hold the pipe for ever. */
const PIPE_PATIENCE_MS = 500;

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
    let patience: NodeJS.Timeout | undefined;
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
      clearTimeout(patience);
      request.signal?.removeEventListener('abort', abort);
      child.stdout?.destroy();
      child.stderr?.destroy();
      const said = failure === undefined ? stderr() : Buffer.from(codeOf(failure) ?? failure.message);
      resolve({
        over: failure === undefined ? over : 'not-started',
        ...ending,
        stdout: stdout(),
        stderr: said,
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
      if (request.killsRest === true) endGroup(child.pid);
      // A busy process may come here late, and timers run before pipes are read: without one more round of the event loop
      // the whole output of a program that succeeded would be lost.
      patience = setTimeout(() => setImmediate(finish), PIPE_PATIENCE_MS);
    });
    child.once('close', () => finish());
    child.stdin?.on('error', () => undefined);
    if (request.input !== undefined) child.stdin?.end(request.input);
    request.signal?.addEventListener('abort', abort, { once: true });
    if (request.signal?.aborted === true) abort();
  });
}

/** Returns what was read, up to the limit. */
function collect(stream: NodeJS.ReadableStream | null, bytesMax: number, tooMuch: () => void): () => Buffer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    const room = bytesMax - bytes;
    if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) tooMuch();
  });
  return () => Buffer.concat(chunks);
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  // It may have ended by itself.
  orNull(() => process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL'));
}

/** These variables and no others: a program gets no secrets of ours. */
export function hostEnvironment(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
