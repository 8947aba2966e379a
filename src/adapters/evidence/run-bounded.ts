/**
 * Runs a program to its end, whatever it does: in a process group of its own, with almost nothing of our environment,
 * with a limit on time and output. When its first process has ended, so does the rest of its group.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { codeOf } from '../../foundation/system-error-code.ts';
import { endNow } from '../processes/liveness.ts';

/** What a program needs to find others and its user's settings; secrets of ours are not among it. */
const KEPT_VARIABLES = ['PATH', 'HOME', 'LANG', 'TMPDIR'];
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const TAIL_BYTES = 2_000;
/** One that left its group can hold the pipe open for ever; what was written before is here long before that. */
const PIPE_PATIENCE_MS = 500;

export interface Bounds {
  readonly folder: string;
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface Ran {
  readonly over: 'ended' | 'too-long' | 'too-much' | 'not-started';
  readonly exitCode: number | null;
  readonly killedBy: string | null;
  readonly outputSha256: string;
  /** The end of its output. */
  readonly tail: string;
}

export async function runBounded(program: string, args: readonly string[], bounds: Bounds): Promise<Ran> {
  bounds.signal?.throwIfAborted();
  const ran = await new Promise<Ran>((resolve) => watch(program, args, bounds, resolve));
  bounds.signal?.throwIfAborted();
  return ran;
}

function watch(program: string, args: readonly string[], bounds: Bounds, resolve: (ran: Ran) => void): void {
  const child = spawn(program, args, {
    cwd: bounds.folder,
    env: { ...keptVariables(), ...bounds.env },
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const hash = createHash('sha256');
  let tail = Buffer.alloc(0);
  let bytes = 0;
  let over: Ran['over'] = 'ended';
  let exit: Pick<Ran, 'exitCode' | 'killedBy'> = { exitCode: null, killedBy: null };
  let patience: NodeJS.Timeout | undefined;

  const endBecause = (why: Ran['over']): void => {
    over = why;
    if (child.pid !== undefined) endNow(child.pid);
  };
  const timer = setTimeout(() => endBecause('too-long'), bounds.timeoutMs);
  const abort = (): void => endBecause('too-long');
  bounds.signal?.addEventListener('abort', abort, { once: true });
  const finish = (last: Partial<Ran> = {}): void => {
    clearTimeout(timer);
    clearTimeout(patience);
    bounds.signal?.removeEventListener('abort', abort);
    child.stdout.destroy();
    resolve({ over, ...exit, outputSha256: hash.digest('hex'), tail: tail.toString(), ...last });
  };

  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > OUTPUT_BYTES_MAX) return over === 'ended' ? endBecause('too-much') : undefined;
    hash.update(chunk);
    tail = Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES);
  });
  child.once('error', (error) => {
    child.removeAllListeners('exit').removeAllListeners('close');
    finish({ over: 'not-started', tail: codeOf(error) ?? error.message });
  });
  child.once('exit', (exitCode, killedBy) => {
    exit = { exitCode, killedBy };
    clearTimeout(timer);
    if (child.pid !== undefined) endNow(child.pid);
    patience = setTimeout(() => {
      child.removeAllListeners('close');
      finish();
    }, PIPE_PATIENCE_MS);
  });
  child.once('close', () => finish());
}

function keptVariables(): Record<string, string> {
  return Object.fromEntries(
    KEPT_VARIABLES.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
