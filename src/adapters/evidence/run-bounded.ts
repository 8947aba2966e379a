/**
 * Runs a command of evidence to its end: with almost nothing of our environment, and with limits on time and output. What
 * it leaves running is killed.
 */
import { hexDigestOf } from '../../foundation/digest.ts';
import { hostEnvironment, runProgram, type ProgramEnd, type ProgramRequest } from '../../foundation/run-program.ts';

/** What a program needs to find others and its user's settings. No secret of ours is among these. */
const KEPT_VARIABLES = ['PATH', 'HOME', 'LANG', 'TMPDIR'];
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const TAIL_BYTES = 2_000;

export interface Ran extends Pick<ProgramEnd, 'over' | 'exitCode' | 'killedBy'> {
  readonly outputSha256: string;
  /** The end of its output, or why it could not be started. */
  readonly tail: string;
}

export async function runBounded(
  program: string,
  args: readonly string[],
  { signal, ...bounds }: Required<Pick<ProgramRequest, 'folder' | 'timeoutMs'>> & Pick<ProgramRequest, 'signal'>,
): Promise<Ran> {
  signal?.throwIfAborted();
  const { over, exitCode, killedBy, stdout, stderr } = await runProgram({
    ...bounds,
    program,
    args,
    env: hostEnvironment(KEPT_VARIABLES),
    outputBytesMax: OUTPUT_BYTES_MAX,
    killsLeftovers: true,
    signal,
  });
  signal?.throwIfAborted();
  const tail = over === 'not-started' ? stderr : stdout.subarray(-TAIL_BYTES);
  return { over, exitCode, killedBy, outputSha256: hexDigestOf(stdout), tail: tail.toString('utf8') };
}
