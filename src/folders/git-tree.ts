/**
 * Reads the git repository around a workspace for its documents. It never writes with git, and no setting of the
 * repository makes git run a program.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { runGit } from '../foundation/git.ts';
import { orNull } from '../foundation/or-null.ts';
import type { DocumentVersion } from './folder.ts';

const GIT_MS = 20_000;
/** For one pass over a long history. Authors that it does not find are looked up one by one. */
const HISTORY_MS = 60_000;
const BYTES_MAX = 64 * 1024 * 1024;
const SINGLE_LOOKUPS_MAX = 4;

/** While one of these files exists, git is in the middle of an operation. */
const IN_PROGRESS_MARKERS: readonly (readonly [name: string, says: string])[] = [
  ['index.lock', 'git is at work'],
  ['HEAD.lock', 'git is at work'],
  ['MERGE_HEAD', 'a merge is not finished'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick is not finished'],
  ['REVERT_HEAD', 'a revert is not finished'],
  ['rebase-merge', 'a rebase is not finished'],
  ['rebase-apply', 'a rebase is not finished'],
  ['BISECT_LOG', 'a bisection is not finished'],
];

export type GitTree = ReturnType<typeof openGitTree>;

export function openGitTree(folder: string) {
  const gitFor = async (timeout: number, args: readonly string[]): Promise<string | null> => {
    const { over, exitCode, stdout } = await runGit(args, { folder, timeoutMs: timeout, outputBytesMax: BYTES_MAX });
    return over === 'ended' && exitCode === 0 ? stdout.toString('utf8') : null;
  };
  const git = async (...args: readonly string[]): Promise<string | null> => gitFor(GIT_MS, args);
  const headNow = async (): Promise<string | null> => {
    const gitFolder = findGitFolder(folder);
    if (gitFolder === null) return null;
    return looseHead(gitFolder) ?? (await git('rev-parse', '--verify', '--quiet', 'HEAD'))?.trim() ?? null;
  };
  let headCache: HeadCache | null = null;
  /** Null: no repository, or no commit. */
  const cacheAtHead = async (): Promise<HeadCache | null> => {
    const head = await headNow();
    if (head === null) return null;
    if (headCache?.head !== head) headCache = { head, blobs: new Map(), authors: new Map() };
    return headCache;
  };
  /** The first few files of a folder are looked up one by one; after that, the whole folder is read once per commit. */
  const batchFor = (parent: string, of: Map<string, FolderCache>, ask: () => Promise<Names>): Promise<Names> | null => {
    const many = of.get(parent) ?? { asked: 0, all: null };
    of.set(parent, many);
    many.asked += 1;
    if (many.asked <= SINGLE_LOOKUPS_MAX) return null;
    many.all ??= ask();
    return many.all;
  };
  const blobAt = async (at: HeadCache, path: string): Promise<string | null> => {
    const [parent, name] = splitPath(path);
    const many = batchFor(parent, at.blobs, async () => parseTree(await git('ls-tree', '-z', at.head, `./${parent}`)));
    const blobs = await (many ?? git('ls-tree', '-z', at.head, `./${path}`).then(parseTree));
    return blobs.get(name) ?? null;
  };
  const authorAlone = async (path: string): Promise<string | null> => {
    const output = await git('log', '-1', '-z', '--format=%ae%x00%an', 'HEAD', '--', `./${path}`);
    const [mail = '', name = ''] = (output ?? '').split('\u0000');
    return authorIn(mail, name);
  };
  /** Git runs post-merge before it removes MERGE_HEAD. If HEAD contains the merged commits, the merge is over. */
  const isMerged = async (heads: string): Promise<boolean> => {
    const commits = heads.trim().split('\n');
    const merged = await Promise.all(
      commits.map(
        async (commit) => COMMIT.test(commit) && (await git('merge-base', '--is-ancestor', commit, 'HEAD')) !== null,
      ),
    );
    return merged.every(Boolean);
  };
  return {
    busy: async () => {
      const gitFolder = findGitFolder(folder);
      if (gitFolder === null) return null;
      const present = new Set(namesIn(gitFolder));
      const [name, says] = IN_PROGRESS_MARKERS.find(([name]) => present.has(name)) ?? [];
      if (says === undefined) return null;
      const isOver =
        (name === 'MERGE_HEAD' && (await isMerged(textOf(join(gitFolder, name))))) ||
        (name === 'rebase-merge' && isRebased(gitFolder));
      return isOver ? null : says;
    },
    head: headNow,
    /** Whether the checked-out commit has a file there. */
    has: async (path: string) => {
      const at = await cacheAtHead();
      return at !== null && (await blobAt(at, path)) !== null;
    },
    /** Whether the checked-out commit has this text there, ignoring line endings. */
    async isCommitted(path: string, text: string) {
      const at = await cacheAtHead();
      const blob = at === null ? null : await blobAt(at, path);
      return blob !== null && isBlobOf(blob, text);
    },
    /** Names of files below a folder that were changed by commits outside the history of `commits`; null: git cannot say. */
    async changedSince(commits: readonly string[], below: string): Promise<ReadonlySet<string> | null> {
      const head = await headNow();
      if (head === null) return new Set();
      const output = await gitFor(HISTORY_MS, [
        'log',
        '-z',
        '-m',
        '--raw',
        '--no-abbrev',
        '--no-renames',
        '--format=',
        head,
        ...commits.map((commit) => `^${commit}`),
        '--',
        `./${below}`,
      ]);
      return output === null ? null : new Set([...namesChangedIn(output)].map((path) => splitPath(path)[1]));
    },
    /** The last commit that changed a file of this name below the folder, in the history of `commit`. */
    async lastChange(commit: string, below: string, name: string) {
      return (await git('log', '-1', '--format=%H', commit, '--', fileBelow(below, name)))?.trim() || null;
    },
    /** The last commit that changed exactly this file. */
    lastChangeAt: async (path: string) =>
      (await git('log', '-1', '--format=%H', 'HEAD', '--', `./${path}`))?.trim() || null,
    /** The versions of the file in the history of this commit, newest first. @default the checked-out commit */
    async versions(below: string, name: string, max: number, commit = 'HEAD') {
      const format = ['-z', '--raw', '--no-abbrev', '--no-renames', '--format=by %H%n%ae%n%an'];
      const output = await git('log', `--max-count=${max}`, ...format, commit, '--', fileBelow(below, name));
      const found: DocumentVersion[] = [];
      for (const { commit: by, author, blob } of versionsIn(output ?? '')) {
        const text = await git('cat-file', 'blob', blob);
        if (text !== null) found.push({ commit: by, author, text });
      }
      return found;
    },
    /** Whether a commit of any branch, or a stash, has a file of this name below the folder. */
    async isAnywhere(below: string, name: string) {
      // With full history, because a stash keeps untracked files in a commit that is otherwise skipped.
      const found = ['log', '--all', '--full-history', '-1', '--format=%H', '--diff-filter=A'];
      const output = await git(...found, '--', fileBelow(below, name));
      return (output ?? '').trim() !== '';
    },
    isAncestor: async (older: string, newer: string) =>
      (await git('merge-base', '--is-ancestor', older, newer)) !== null,
    async isShared(commit: string) {
      return ((await git('for-each-ref', '--count=1', `--contains=${commit}`, 'refs/remotes')) ?? '').trim() !== '';
    },
    /** Whether git tracks this file. */
    tracks: async (path: string) => (await git('ls-files', '--error-unmatch', '--', `./${path}`)) !== null,
    /** The folder that all worktrees of the repository share; null: no repository. */
    commonFolder() {
      const gitFolder = findGitFolder(folder);
      if (gitFolder === null) return null;
      const shared = textOf(join(gitFolder, 'commondir')).trim();
      return shared === '' ? gitFolder : resolve(gitFolder, shared);
    },
    prefix: async () => (await git('rev-parse', '--show-prefix'))?.replace(/\r?\n$/, '') ?? '',
    /** The commit that introduced this text, as git stores it, so that its signature can be checked; null: unknown. */
    async commitOf(path: string, text: string) {
      const at = await cacheAtHead();
      if (at === null) return null;
      const id = (await git('log', '-1', '--format=%H', at.head, '--', `./${path}`))?.trim() ?? '';
      if (!COMMIT.test(id)) return null;
      const blob = parseTree(await git('ls-tree', '-z', id, `./${path}`)).get(splitPath(path)[1]);
      return blob !== undefined && isBlobOf(blob, text) ? git('cat-file', 'commit', id) : null;
    },
    /** Who committed this text, ignoring line endings; empty: unknown. Null: the commit has another text there. */
    async authorOf(path: string, text: string) {
      const at = await cacheAtHead();
      const blob = at === null ? null : await blobAt(at, path);
      if (at === null || blob === null || !isBlobOf(blob, text)) return null;
      const [parent, name] = splitPath(path);
      const many = await batchFor(parent, at.authors, async () =>
        authorsIn(await gitFor(HISTORY_MS, [...HISTORY, at.head, '--', `./${parent}`])),
      );
      return many?.get(`${name} ${blob}`) ?? (await authorAlone(path)) ?? '';
    },
  };
}

interface HeadCache {
  readonly head: string;
  readonly blobs: Map<string, FolderCache>;
  readonly authors: Map<string, FolderCache>;
}

interface FolderCache {
  asked: number;
  all: Promise<Names> | null;
}

type Names = ReadonlyMap<string, string>;

/** A pathspec for a file of this name in any folder below `parent`. */
function fileBelow(parent: string, name: string): string {
  return `:(glob)${parent}**/${name}`;
}

function* namesChangedIn(output: string): Generator<string> {
  let isName = false;
  for (const part of output.split('\0')) {
    if (isName) yield part;
    isName = !isName && /^\n*:{1,}\d{6} /.test(part);
  }
}

/** One version per commit. If a commit moves the file, the target counts. */
export function versionsIn(
  output: string,
): readonly { readonly commit: string; readonly author: string; readonly blob: string }[] {
  const found: { commit: string; author: string; blob: string }[] = [];
  let by: { readonly commit: string; readonly author: string } | null = null;
  for (const part of output.split('\0')) {
    const [, commit, mail = '', name = ''] = /^\n*by ([0-9a-f]+)\n([^\n]*)\n([^\n]*)/.exec(part) ?? [];
    if (commit !== undefined) by = { commit, author: authorIn(mail, name) ?? 'unknown' };
    const [, blob] = /:+[\d ]+(?:[0-9a-f]+ )+?([0-9a-f]{40,64}) [A-Z]+$/.exec(part) ?? [];
    const isThere = blob !== undefined && !/^0+$/.test(blob);
    if (by !== null && isThere && found.at(-1)?.commit !== by.commit) found.push({ ...by, blob });
  }
  return found;
}

function splitPath(path: string): readonly [parent: string, name: string] {
  const at = path.lastIndexOf('/') + 1;
  return [path.slice(0, at), path.slice(at)];
}

/** Lists each change with its resulting blob. In a merge, the branch whose content was kept is the author. */
const HISTORY = ['log', '-z', '-c', '--raw', '--no-abbrev', '--no-renames', '--format=by %ae%n%an'] as const;

/** By name and blob, the newest first. */
function authorsIn(output: string | null): Names {
  const authors = new Map<string, string>();
  let author: string | null = null;
  let blob: string | null = null;
  for (const part of (output ?? '').split('\0')) {
    if (blob !== null) {
      const key = `${splitPath(part)[1]} ${blob}`;
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
  return singleLine(mail) || singleLine(name) || null;
}

/** Blobs by file name, because all entries are of one folder. */
function parseTree(output: string | null): Names {
  return new Map(
    (output ?? '').split('\0').flatMap((entry) => {
      const [, blob, path] = /^\d+ blob ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? [];
      return blob === undefined || path === undefined ? [] : [[path.slice(path.lastIndexOf('/') + 1), blob] as const];
    }),
  );
}

function isBlobOf(blob: string, text: string): boolean {
  return blob === blobOf(text, blob) || blob === blobOf(text.replaceAll('\r\n', '\n'), blob);
}

/** The git blob id of a text, with the hash function that the repository uses. */
function blobOf(text: string, like: string): string {
  const bytes = Buffer.from(text);
  const hash = createHash(like.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** In a worktree or a submodule, `.git` is a file that names the folder. */
function findGitFolder(from: string): string | null {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const path = join(folder, '.git');
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return path;
    if (found?.isFile() === true) {
      const output = /^gitdir: (.+)$/m.exec(textOf(path))?.[1];
      return output === undefined ? null : resolve(folder, output.trim());
    }
    if (dirname(folder) === folder) return null;
  }
}

/** Git runs post-rewrite before it removes its state: by then the todo list is empty and the branch is checked out again. */
function isRebased(gitFolder: string): boolean {
  const todo = join(gitFolder, 'rebase-merge', 'git-rebase-todo');
  const branch = textOf(join(gitFolder, 'rebase-merge', 'head-name')).trim();
  const isAttached = textOf(join(gitFolder, 'HEAD')).trim() === `ref: ${branch}`;
  return isAttached && lstatSync(todo, { throwIfNoEntry: false })?.size === 0;
}

/** Reads HEAD from its file, because this runs on every change and a process costs a hundred times as much. Null: call git. */
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

/** Synchronous: threads take ten times as long, and every change calls this. */
function textOf(path: string): string {
  return orNull(() => readFileSync(path, 'utf8')) ?? '';
}

function namesIn(folder: string): readonly string[] {
  return orNull(() => readdirSync(folder)) ?? [];
}

/** The text becomes part of a principal's name, so it must be one short line. */
function singleLine(text: string): string {
  return text
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, 100);
}
