/** Runs `baton hook --later` beside a long command, to read the calls that hooks have spooled. */
import { spooledCalls } from '../../adapters/agent-sessions/hook-spool.ts';
import { runProgram } from '../../foundation/run-program.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** Longer than a restart of a database takes. */
const READ_MAX_MS = 60_000;
const OUTPUT_MAX = 64 * 1_024;
/** A hook starts its own reader. This is for calls that a killed reader or an unreachable database left behind. */
const LEFT_BEHIND_MS = 30_000;

/** In its own process, because each call is read with the environment of its agent. */
export async function readHookSpool(workspace: Workspace | null): Promise<void> {
  const program = process.argv[1];
  if (workspace === null || program === undefined || spooledCalls(workspace.privateFolder).length === 0) return;
  await runProgram({
    program: process.execPath,
    args: [program, 'hook', '--later', '--workspace', workspace.folder],
    env: process.env as Readonly<Record<string, string>>,
    timeoutMs: READ_MAX_MS,
    outputBytesMax: OUTPUT_MAX,
  });
}

/** Reads now and at intervals, until the returned function is called. */
export function keepReadingHookSpool(workspace: Workspace | null): () => void {
  let isReading = false;
  const read = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    await readHookSpool(workspace).catch(() => undefined);
    isReading = false;
  };
  const timer = setInterval(() => void read(), LEFT_BEHIND_MS);
  timer.unref();
  void read();
  return () => clearInterval(timer);
}
