/** Runs tmux with an argument list, without a shell, and with a timeout. */
import { execFile } from 'node:child_process';

const CALL_MAX_MS = 10_000;
const OUTPUT_MAX = 1_024 * 1_024;

interface TmuxAnswer {
  readonly code: number | null;
  readonly output: string;
  readonly says: string;
}

export type RunTmux = (args: readonly string[], input?: string) => Promise<TmuxAnswer>;

/** Variables that would make an agent believe that it runs inside another agent, or give it our token. */
const NOT_FOR_AGENTS =
  /^(?:TMUX|TMUX_PANE|CLAUDECODE|CLAUDE_CODE_(?!USE_).*|BATON_TOKEN|BATON_KEY_FILE|BATON_AGENT_ID)$/;

/** The server that is started by the first call gives its environment to every pane. */
export function runTmuxOn(socket: string, configuration: string): RunTmux {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_FOR_AGENTS.test(name)));
  return (args, input) =>
    new Promise((resolve) => {
      const child = execFile(
        'tmux',
        ['-L', socket, '-f', configuration, ...args],
        { timeout: CALL_MAX_MS, killSignal: 'SIGKILL', maxBuffer: OUTPUT_MAX, encoding: 'utf8', env },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
          const says = stderr.trim() === '' ? (error?.message ?? '') : stderr.trim();
          resolve({ code, output: stdout, says });
        },
      );
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input ?? '');
    });
}
