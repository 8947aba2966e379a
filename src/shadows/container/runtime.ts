/** The command line of podman or docker, with limits on time and output. */
import { findProgram } from '../../foundation/find-program.ts';
import { hostEnvironment, runProgram, type ProgramEnd, type ProgramRequest } from '../../foundation/run-program.ts';

const RUNTIMES = ['podman', 'docker'] as const;
export type RuntimeName = (typeof RUNTIMES)[number];

/** Variables that the runtimes need to find their storage or their daemon. Proxies may contain passwords and are left out. */
const KEPT = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'DBUS_SESSION_BUS_ADDRESS',
  'DOCKER_HOST',
  'CONTAINER_HOST',
  'CONTAINERS_CONF',
  'CONTAINERS_STORAGE_CONF',
];
const ANSWER_MS = 60_000;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

export type Runtime = ReturnType<typeof runtimeAt>;

type RunOptions = Partial<Pick<ProgramRequest, 'input' | 'timeoutMs' | 'outputBytesMax' | 'signal'>>;

/** The one that is configured, else the first that is installed. */
export function findRuntime(configured: RuntimeName | null, emptyFolder: string): Runtime | null {
  const wanted = configured === null ? RUNTIMES : [configured];
  for (const name of wanted) {
    const program = findProgram(name);
    if (program !== null) return runtimeAt(name, program, emptyFolder);
  }
  return null;
}

export function isRuntimeInstalled(configured: RuntimeName | null): boolean {
  return (configured === null ? RUNTIMES : [configured]).some((name) => findProgram(name) !== null);
}

function runtimeAt(name: RuntimeName, program: string, emptyFolder: string) {
  // Docker's own settings may contain proxies and credentials that it would pass on.
  const first = name === 'docker' ? ['--config', emptyFolder] : [];
  return {
    name,
    /** A call of the runtime itself. */
    run: (args: readonly string[], options: RunOptions = {}) =>
      runProgram({
        program,
        args: [...first, ...args],
        env: hostEnvironment(KEPT),
        timeoutMs: ANSWER_MS,
        outputBytesMax: ANSWER_BYTES_MAX,
        ...options,
      }),
  };
}

/** The first line that says something about the failure. */
export function failureText(ran: ProgramEnd): string {
  const lines = ran.stderr
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim());
  const failure = lines.find((line) => /error|cannot|failed|denied|not /i.test(line) && !/level=warning/.test(line));
  if (ran.over === 'timeout') return 'it did not answer in time';
  return (failure ?? lines.find((line) => line !== '') ?? `it ended with exit code ${ran.exitCode ?? 'none'}`).slice(
    0,
    400,
  );
}
