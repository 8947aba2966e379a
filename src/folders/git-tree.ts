/**
 * The repository around a workspace, as far as its documents depend on it. Nothing of ours is ever written by git, and
 * no setting of the repository makes git run something for us.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const GIT_MS = 20_000;
const BYTES_MAX = 64 * 1024 * 1024;
const ONE_BY_ONE_MAX = 4;
const MANY = '_handoffs/active/';
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
  /** Whether that commit has a file there. */
  has(path: string): Promise<boolean>;
  /** Whether it is this text there, however lines end. */
  hasText(path: string, text: string): Promise<boolean>;
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
  let known: { readonly head: string | null; asked: number; all: ReadonlyMap<string, string> | null } | null = null;
  /** One file is asked for alone; whoever asks for many gets the whole folder once for each commit. */
  const blobAt = async (path: string): Promise<string | null> => {
    const gitFolder = await findGitFolder(folder);
    if (gitFolder === null) return null;
    const head =
      (await looseHead(gitFolder)) ?? (await git('rev-parse', '--verify', '--quiet', 'HEAD'))?.trim() ?? null;
    if (head === null) return null;
    if (known?.head !== head) known = { head, asked: 0, all: null };
    known.asked += 1;
    const around = path.slice(0, path.lastIndexOf('/') + 1);
    if (known.asked > ONE_BY_ONE_MAX && around === MANY) {
      known.all ??= listed(await git('ls-tree', '-z', head, `./${around}`));
      return known.all.get(path.slice(around.length)) ?? null;
    }
    return listed(await git('ls-tree', '-z', head, `./${path}`)).get(path.slice(around.length)) ?? null;
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
    has: async (path) => (await blobAt(path)) !== null,
    async hasText(path, text) {
      const blob = await blobAt(path);
      return blob !== null && (blob === blobOf(text, blob) || blob === blobOf(text.replaceAll('\r\n', '\n'), blob));
    },
    async authorOf(path) {
      const said = await git('log', '-1', '-z', '--format=%ae%x00%an', 'HEAD', '--', `./${path}`);
      const [mail = '', name = ''] = (said ?? '').split('\u0000');
      const author = plain(mail) || plain(name);
      return author === '' ? null : author;
    },
  };
}

/** By the last part of the name: they are all of one folder. */
function listed(told: string | null): ReadonlyMap<string, string> {
  return new Map(
    (told ?? '').split('\0').flatMap((entry) => {
      const [, blob, path] = /^\d+ blob ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? [];
      return blob === undefined || path === undefined ? [] : [[path.slice(path.lastIndexOf('/') + 1), blob] as const];
    }),
  );
}

/** As git names a content: by a hash of the kind that this repository uses. */
function blobOf(text: string, like: string): string {
  const bytes = Buffer.from(text);
  const hash = createHash(like.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
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
