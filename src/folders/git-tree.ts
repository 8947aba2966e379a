/**
 * The repository around a workspace, as far as its documents depend on it. Nothing of ours is ever written by git, and
 * no setting of the repository makes git run something for us.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const GIT_MS = 20_000;
/** Once through a long history; whoever is not found by then is asked for alone. */
const HISTORY_MS = 60_000;
const BYTES_MAX = 64 * 1024 * 1024;
const ONE_BY_ONE_MAX = 4;
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
  /** Who wrote this text, however its lines end; empty: nobody knows. Null: it is not what that commit has there. */
  authorOf(path: string, text: string): Promise<string | null>;
}

export function openGitTree(folder: string): GitTree {
  const gitFor = async (timeout: number, args: readonly string[]): Promise<string | null> => {
    try {
      const options = { cwd: folder, env: environment(), timeout, maxBuffer: BYTES_MAX };
      return (await run('git', [...HARDENED, ...args], options)).stdout;
    } catch {
      return null;
    }
  };
  const git = async (...args: readonly string[]): Promise<string | null> => gitFor(GIT_MS, args);
  const headNow = async (): Promise<string | null> => {
    const gitFolder = findGitFolder(folder);
    if (gitFolder === null) return null;
    return looseHead(gitFolder) ?? (await git('rev-parse', '--verify', '--quiet', 'HEAD'))?.trim() ?? null;
  };
  let known: Known | null = null;
  /** Null: no repository, or nothing in it. */
  const knownAtHead = async (): Promise<Known | null> => {
    const head = await headNow();
    if (head === null) return null;
    if (known?.head !== head) known = { head, blobs: new Map(), authors: new Map() };
    return known;
  };
  /** One file is asked for alone; whoever asks for many of one folder gets all of it, once for each commit. */
  const allIn = (around: string, of: Map<string, Many>, ask: () => Promise<Names>): Promise<Names> | null => {
    const many = of.get(around) ?? { asked: 0, all: null };
    of.set(around, many);
    many.asked += 1;
    if (many.asked <= ONE_BY_ONE_MAX) return null;
    many.all ??= ask();
    return many.all;
  };
  const blobAt = async (at: Known, path: string): Promise<string | null> => {
    const [around, name] = parted(path);
    const many = allIn(around, at.blobs, async () => listed(await git('ls-tree', '-z', at.head, `./${around}`)));
    const blobs = await (many ?? git('ls-tree', '-z', at.head, `./${path}`).then(listed));
    return blobs.get(name) ?? null;
  };
  const authorAlone = async (path: string): Promise<string | null> => {
    const said = await git('log', '-1', '-z', '--format=%ae%x00%an', 'HEAD', '--', `./${path}`);
    const [mail = '', name = ''] = (said ?? '').split('\u0000');
    return authorIn(mail, name);
  };
  return {
    busy: async () => {
      const gitFolder = findGitFolder(folder);
      const there = new Set(gitFolder === null ? [] : namesIn(gitFolder));
      return UNDER_WAY.find(([name]) => there.has(name))?.[1] ?? null;
    },
    head: headNow,
    has: async (path) => {
      const at = await knownAtHead();
      return at !== null && (await blobAt(at, path)) !== null;
    },
    async authorOf(path, text) {
      const at = await knownAtHead();
      const blob = at === null ? null : await blobAt(at, path);
      if (at === null || blob === null || !isBlobOf(blob, text)) return null;
      const [around, name] = parted(path);
      const many = await allIn(around, at.authors, async () =>
        authorsIn(await gitFor(HISTORY_MS, [...HISTORY, at.head, '--', `./${around}`])),
      );
      return many?.get(`${name} ${blob}`) ?? (await authorAlone(path)) ?? '';
    },
  };
}

interface Known {
  readonly head: string;
  readonly blobs: Map<string, Many>;
  readonly authors: Map<string, Many>;
}

interface Many {
  asked: number;
  all: Promise<Names> | null;
}

type Names = ReadonlyMap<string, string>;

function parted(path: string): readonly [around: string, name: string] {
  const at = path.lastIndexOf('/') + 1;
  return [path.slice(0, at), path.slice(at)];
}

/** Each change with the blob it led to: of two branches, the one whose content was kept has written it. */
const HISTORY = ['log', '-z', '-c', '--raw', '--no-abbrev', '--no-renames', '--format=by %ae%n%an'] as const;

/** By name and blob, the newest first. */
function authorsIn(told: string | null): Names {
  const authors = new Map<string, string>();
  let author: string | null = null;
  let blob: string | null = null;
  for (const part of (told ?? '').split('\0')) {
    if (blob !== null) {
      const key = `${parted(part)[1]} ${blob}`;
      if (author !== null && !authors.has(key)) authors.set(key, author);
      blob = null;
      continue;
    }
    const [, mail, name] = /^\n*by ([^\n]*)\n([^\n]*)\n*$/.exec(part) ?? [];
    if (mail !== undefined && name !== undefined) author = authorIn(mail, name);
    else blob = /^\n*:.* ([0-9a-f]{40,64}) [A-Z]+$/.exec(part)?.[1] ?? null;
  }
  return authors;
}

function authorIn(mail: string, name: string): string | null {
  return plain(mail) || plain(name) || null;
}

/** By the last part of the name: they are all of one folder. */
function listed(told: string | null): Names {
  return new Map(
    (told ?? '').split('\0').flatMap((entry) => {
      const [, blob, path] = /^\d+ blob ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? [];
      return blob === undefined || path === undefined ? [] : [[path.slice(path.lastIndexOf('/') + 1), blob] as const];
    }),
  );
}

function isBlobOf(blob: string, text: string): boolean {
  return blob === blobOf(text, blob) || blob === blobOf(text.replaceAll('\r\n', '\n'), blob);
}

/** As git names a content: by a hash of the kind that this repository uses. */
function blobOf(text: string, like: string): string {
  const bytes = Buffer.from(text);
  const hash = createHash(like.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Of a worktree or a submodule it is a file that says where the folder is. */
function findGitFolder(from: string): string | null {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const path = join(folder, '.git');
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return path;
    if (found?.isFile() === true) {
      const told = /^gitdir: (.+)$/m.exec(textOf(path))?.[1];
      return told === undefined ? null : resolve(folder, told.trim());
    }
    if (dirname(folder) === folder) return null;
  }
}

/** Asked at every change, and a process costs a hundred times as much. Null: git has to be asked. */
function looseHead(gitFolder: string): string | null {
  const head = textOf(join(gitFolder, 'HEAD')).trim();
  if (COMMIT.test(head)) return head;
  const name = /^ref: (refs\/heads\/[\w./-]+)$/.exec(head)?.[1];
  if (name === undefined || name.includes('..')) return null;
  const shared = textOf(join(gitFolder, 'commondir')).trim();
  const commit = textOf(join(resolve(gitFolder, shared), name)).trim();
  return COMMIT.test(commit) ? commit : null;
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** At once: a detour through threads takes ten times as long, and every change asks. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
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
