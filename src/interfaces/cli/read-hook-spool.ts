/** Reads what hooks have left, beside a command that runs for long: `baton hook --later` in a process of its own. */
import { spooledCalls } from '../../adapters/agent-sessions/hook-spool.ts';
import { runProgram } from '../../foundation/run-program.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** Longer than a database that restarts is away. */
const READ_MAX_MS = 60_000;
const OUTPUT_MAX = 64 * 1_024;
/** A hook starts its reader itself: this is for what a killed one, or a database that was away, has left behind. */
const LEFT_BEHIND_MS = 30_000;

/** A process of its own, because each call is read with the environment of the one who spoke. */
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

/** Now, and again and again until the answer is called. */
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
