/** What git knows about the files below a folder, asked once for all of them. */
import { spawn } from 'node:child_process';

export interface GitHistory {
  /** Every file that git would look at: tracked, or new and not ignored. Paths from the folder that was asked about. */
  readonly paths: readonly string[];
  /** Those whose present text is in no commit. */
  readonly uncommitted: ReadonlySet<string>;
}

export interface Commits {
  readonly firstAt: number;
  readonly lastAt: number;
}

/** No setting of a repository makes git run something for us, and a hook's variables lead nowhere else. */
const HARDENED = [
  '-c',
  'core.fsmonitor=',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'log.showSignature=false',
  '-c',
  'core.quotePath=false',
];
const OUTPUT_MAX = 1024 * 1024 * 1024;

/** Null: this is no repository, or there is no git. */
export async function listedByGit(folder: string): Promise<GitHistory | null> {
  const paths = new Set<string>();
  const uncommitted = new Set<string>();
  const args = ['ls-files', '-z', '-t', '--cached', '--others', '--modified', '--exclude-standard'];
  const isRepository = await eachPart(folder, args, (part) => {
    const path = part.slice(2);
    paths.add(path);
    if (part.startsWith('?') || part.startsWith('C')) uncommitted.add(path);
  });
  return isRepository ? { paths: [...paths], uncommitted } : null;
}

/** One walk through the history; newest commits come first. */
export async function commitsOf(
  folder: string,
  wanted: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Commits>> {
  const commits = new Map<string, Commits>();
  let atMs = 0;
  // A path never begins with a slash, so a line that does is a time.
  const args = [
    'log',
    '-z',
    '--format=/%ct',
    '--name-only',
    '--no-renames',
    '--relative',
    '--diff-filter=ACMRT',
    '--',
    '.',
  ];
  await eachPart(
    folder,
    args,
    (part) => {
      const text = part.startsWith('\n') ? part.slice(1) : part;
      const time = /^\/(\d+)(?:\n+([^]+))?$/.exec(text);
      if (time !== null) atMs = Number(time[1]) * 1000;
      const path = time === null ? text : time[2];
      if (path === undefined || !wanted.has(path)) return;
      const known = commits.get(path);
      commits.set(path, {
        firstAt: Math.min(atMs, known?.firstAt ?? atMs),
        lastAt: Math.max(atMs, known?.lastAt ?? atMs),
      });
    },
    signal,
  );
  return commits;
}

/** Calls back for each part between two NULs; false: git could not do it. */
function eachPart(
  folder: string,
  args: readonly string[],
  take: (part: string) => void,
  signal?: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('git', [...HARDENED, ...args], {
      cwd: folder,
      env: environment(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let rest: Buffer = Buffer.alloc(0);
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > OUTPUT_MAX) return void child.kill('SIGKILL');
      const whole = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let from = 0;
      for (let at = whole.indexOf(0); at >= 0; at = whole.indexOf(0, from)) {
        if (at > from) take(whole.toString('utf8', from, at));
        from = at + 1;
      }
      rest = whole.subarray(from);
    });
    signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
    child.once('error', () => resolve(false));
    child.once('close', (code) => {
      if (rest.length > 0) take(rest.toString('utf8'));
      resolve(code === 0);
    });
  });
}

function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(own),
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}
