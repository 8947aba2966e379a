/**
 * The repository around a workspace, as far as its documents depend on it. Nothing of ours is ever written by git, and
 * no setting of the repository makes git run something for us.
 */
import { execFile } from 'node:child_process';
import { lstat, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const GIT_MS = 20_000;
const BYTES_MAX = 4 * 1024 * 1024;
const HARDENED = ['-c', 'core.fsmonitor=', '-c', 'core.hooksPath=/dev/null', '-c', 'log.showSignature=false'];

/** While one of these is there, files are on their way from one commit to another. */
const UNDER_WAY: readonly (readonly [name: string, says: string])[] = [
  ['index.lock', 'git is at work'],
  ['HEAD.lock', 'git is at work'],
  ['MERGE_HEAD', 'a merge is not finished'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick is not finished'],
  ['REVERT_HEAD', 'a revert is not finished'],
  ['rebase-merge', 'a rebase is not finished'],
  ['rebase-apply', 'a rebase is not finished'],
  ['BISECT_LOG', 'a bisection is not finished'],
];

export interface GitTree {
  /** Why files are not to be touched now; null: nothing is under way. */
  busy(): Promise<string | null>;
  /** The commit that is checked out; null: none, or no repository. */
  head(): Promise<string | null>;
  /** The text of a file in that commit. */
  committed(path: string): Promise<string | null>;
  /** Who wrote it last, as far as commits tell. */
  authorOf(path: string): Promise<string | null>;
}

export function openGitTree(folder: string): GitTree {
  const git = async (...args: readonly string[]): Promise<string | null> => {
    try {
      const { stdout } = await run('git', [...HARDENED, ...args], {
        cwd: folder,
        env: environment(),
        timeout: GIT_MS,
        maxBuffer: BYTES_MAX,
      });
      return stdout;
    } catch {
      return null;
    }
  };
  return {
    async busy() {
      const gitFolder = await findGitFolder(folder);
      if (gitFolder === null) return null;
      for (const [name, says] of UNDER_WAY) if (await isThere(join(gitFolder, name))) return says;
      return null;
    },
    async head() {
      const gitFolder = await findGitFolder(folder);
      if (gitFolder === null) return null;
      return (await looseHead(gitFolder)) ?? (await git('rev-parse', '--verify', '--quiet', 'HEAD'))?.trim() ?? null;
    },
    async committed(path) {
      if ((await findGitFolder(folder)) === null) return null;
      return git('cat-file', 'blob', `HEAD:./${path}`);
    },
    async authorOf(path) {
      const said = await git('log', '-1', '-z', '--format=%ae%x00%an', 'HEAD', '--', `./${path}`);
      const [mail = '', name = ''] = (said ?? '').split('\u0000');
      const author = plain(mail) || plain(name);
      return author === '' ? null : author;
    },
  };
}

/** Of a worktree or a submodule it is a file that says where the folder is. */
async function findGitFolder(from: string): Promise<string | null> {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const path = join(folder, '.git');
    const found = await lstat(path).catch(() => null);
    if (found?.isDirectory() === true) return path;
    if (found?.isFile() === true) {
      const told = /^gitdir: (.+)$/m.exec(await readFile(path, 'utf8').catch(() => ''))?.[1];
      return told === undefined ? null : resolve(folder, told.trim());
    }
    if (dirname(folder) === folder) return null;
  }
}

/** Asked at every change, and a process costs a hundred times as much. Null: git has to be asked. */
async function looseHead(gitFolder: string): Promise<string | null> {
  const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
  const head = (await read(join(gitFolder, 'HEAD'))).trim();
  if (COMMIT.test(head)) return head;
  const name = /^ref: (refs\/heads\/[\w./-]+)$/.exec(head)?.[1];
  if (name === undefined || name.includes('..')) return null;
  const shared = (await read(join(gitFolder, 'commondir'))).trim();
  const commit = (await read(join(resolve(gitFolder, shared), name))).trim();
  return COMMIT.test(commit) ? commit : null;
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/** Inside of a hook these would lead us to another repository. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(own),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

/** It becomes a part of a principal's name. */
function plain(text: string): string {
  return text
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, 100);
}
