/**
 * Runs the command as it is built, but in the process of the test: a process takes ten times as long to start as most
 * commands take to run. What a process has of its own (arguments, folder, environment, output, exit code) is lent to the
 * command while it runs, so only one can run at a time; for a second one, and for whatever has to do with processes, the
 * answer is null and a process is started. So it is while this process has a SQLite database open: to open and close its
 * file a second time would take away the locks of the first.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

export interface Place {
  readonly entry: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly code: number;
  readonly signal: null;
  readonly stdout: string;
  readonly stderr: string;
}

/** They answer and end. All others wait, serve, read standard input or start programs that outlive them. */
const QUICK = new Set(
  (
    'accept activate answer apply artifact ask audit backup block cancel check complete create deliver doctor export fail ' +
    'import inbox init key list policy progress reject release report resume retry send show status task token trace ' +
    'unblock verify'
  ).split(' '),
);

const nativeImport = createRequire(import.meta.url)('./native-import.cjs') as (url: string) => Promise<unknown>;
const LENT = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGTSTP', 'exit'] as const;

let isRunning = false;
let count = 0;

export async function runInProcess(args: readonly string[], { entry, cwd, env }: Place): Promise<Answered | null> {
  if (isRunning || !QUICK.has(args[0] ?? '') || args.includes('-') || hasDatabaseOpen()) return null;
  isRunning = true;
  const before = { argv: process.argv, env: process.env, cwd: process.cwd(), exitCode: process.exitCode };
  const listeners = LENT.map((name) => [name, process.listeners(name as 'SIGINT')] as const);
  const output = (['stdout', 'stderr'] as const).map((name) => capture(process[name]));
  try {
    process.argv = [process.execPath, entry, ...args];
    process.env = { ...env };
    process.chdir(cwd);
    await nativeImport(`${pathToFileURL(entry).href}?run=${(count += 1)}`);
    const [stdout = '', stderr = ''] = output.map(({ text }) => text());
    return { code: Number(process.exitCode ?? 0), signal: null, stdout, stderr };
  } finally {
    for (const { end } of output) end();
    for (const [name, own] of listeners) {
      for (const each of process.listeners(name as 'SIGINT')) if (!own.includes(each)) process.off(name, each);
    }
    process.chdir(before.cwd);
    Object.assign(process, { argv: before.argv, env: before.env, exitCode: before.exitCode });
    isRunning = false;
  }
}

/** True also where the system does not tell. */
function hasDatabaseOpen(): boolean {
  const OPEN_FILES = '/proc/self/fd';
  try {
    return readdirSync(OPEN_FILES).some((name) => targetOf(`${OPEN_FILES}/${name}`).endsWith('.db'));
  } catch {
    return true;
  }
}

/** Empty for what was closed since: what reads the folder, for one. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

/** What is written to a stream from now on goes nowhere else. */
function capture(stream: NodeJS.WriteStream): { readonly text: () => string; readonly end: () => void } {
  const { write } = stream;
  const own = stream.listeners('error');
  const pieces: Buffer[] = [];
  stream.write = (piece: Uint8Array | string, ...more: unknown[]): boolean => {
    pieces.push(Buffer.from(piece as string));
    const done = more.find((each) => typeof each === 'function') as (() => void) | undefined;
    if (done !== undefined) process.nextTick(done);
    return true;
  };
  return {
    text: () => Buffer.concat(pieces).toString('utf8'),
    end: () => {
      stream.write = write;
      for (const each of stream.listeners('error')) {
        if (!own.includes(each)) stream.off('error', each as () => void);
      }
    },
  };
}
