/** Runs one command inside a container, with enforced limits on time and output. */
import { INSIDE } from '../../domain/shadow-plan.ts';
import type { ExecRequest, ExecResult } from '../sandbox.ts';
import type { ProgramEnd } from '../../foundation/run-program.ts';
import { execFlags, WORK_USER } from './flags.ts';
import type { Runtime } from './runtime.ts';

export interface Container {
  readonly runtime: Runtime;
  readonly name: string;
  /** Ends it with everything in it. */
  remove(): Promise<boolean>;
}

/** Everything of the user that runs the project's code, and nothing of the keeper. */
const KILL_ALL = 'kill -9 -1';
const KILL_MS = 10_000;
const KILLED = 137;
/** What the runtimes answer when they could not run anything. */
const RUNTIME_FAILED = [125, 255];
const OOM_COUNT =
  'cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control 2>/dev/null | grep "^oom_kill " || true';

export async function execInside(container: Container, request: ExecRequest): Promise<ExecResult> {
  const { runtime, name } = container;
  const flags = execFlags(request.env ?? {}, request.folder ?? INSIDE.work);
  const ended = await runtime.run(['exec', ...flags, name, 'sh', '-c', request.command], {
    timeoutMs: request.timeoutMs,
    outputBytesMax: request.outputBytesMax,
    signal: request.signal,
  });
  const stoppedBy = await limitOf(container, ended);
  // Ending our client does not end what runs inside.
  const isKilled = ended.over === 'ended' || (await killAll(container));
  return {
    exitCode: ended.over === 'ended' ? ended.exitCode : null,
    stdout: ended.stdout.toString('utf8'),
    stderr: ended.stderr.toString('utf8'),
    durationMs: ended.durationMs,
    stoppedBy,
    isGone: !isKilled || (await isGone(container, ended)),
  };
}

async function limitOf(container: Container, { over, exitCode }: ProgramEnd): Promise<ExecResult['stoppedBy']> {
  if (over === 'timeout' || over === 'output') return over;
  if (exitCode !== KILLED) return null;
  const { runtime, name } = container;
  const asked = await runtime.run(['exec', `--user=${WORK_USER}`, name, 'sh', '-c', OOM_COUNT], { timeoutMs: KILL_MS });
  return /^oom_kill [1-9]/m.test(asked.stdout.toString('utf8')) ? 'memory' : null;
}

/** False: the kill command could not run (for example after a fork bomb), and the container was removed instead. */
async function killAll(container: Container): Promise<boolean> {
  const { runtime, name } = container;
  const asked = await runtime.run(['exec', `--user=${WORK_USER}`, name, 'sh', '-c', KILL_ALL], { timeoutMs: KILL_MS });
  // The command also kills its own shell.
  if (asked.over === 'ended' && (asked.exitCode === KILLED || asked.exitCode === 0)) return true;
  await container.remove();
  return false;
}

async function isGone({ runtime, name }: Container, { exitCode }: ProgramEnd): Promise<boolean> {
  if (!RUNTIME_FAILED.includes(exitCode ?? 0)) return false;
  const asked = await runtime.run(['container', 'inspect', '--format', '{{.State.Running}}', name]);
  return asked.stdout.toString('utf8').trim() !== 'true';
}
