/** Asks git once about all files below a folder. */
import { nulSeparated } from '../../foundation/git.ts';
import { askGit } from '../git/git.ts';

export interface GitListing {
  /** Tracked files, and untracked ones that are not ignored; paths from the folder. */
  readonly paths: readonly string[];
  /** Tracked files that differ from what is committed or staged. */
  readonly modified: ReadonlySet<string>;
  readonly untracked: ReadonlySet<string>;
}

export interface Commits {
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Null: the folder is no repository, or git is not installed. */
export async function listedByGit(folder: string): Promise<GitListing | null> {
  const args = ['ls-files', '-z', '-t', '--cached', '--others', '--modified', '--exclude-standard'];
  const output = await askGit(args, { folder }).catch(() => null);
  if (output === null) return null;
  const paths = new Set<string>();
  const modified = new Set<string>();
  const untracked = new Set<string>();
  for (const part of nulSeparated(output)) {
    const path = part.slice(2);
    paths.add(path);
    if (part.startsWith('?')) untracked.add(path);
    else if (part.startsWith('C')) modified.add(path);
  }
  return { paths: [...paths], modified, untracked };
}

/** With more paths than this, git is asked about all files: a command line has a maximum length. */
const PATHS_MAX = 500;
const PATH_CHARACTERS_MAX = 60_000;

/** One walk through the history; newest commits come first. */
export async function commitsOf(folder: string, wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, Commits>> {
  const commits = new Map<string, Commits>();
  const isShort = wanted.size <= PATHS_MAX && [...wanted].join(' ').length <= PATH_CHARACTERS_MAX;
  const how = '--literal-pathspecs -c log.showSignature=false log -z --format=/%ct --name-only --no-renames --relative';
  const args = [...how.split(' '), '--diff-filter=ACMRT', '--', ...(isShort ? wanted : ['.'])];
  let atMs = 0;
  for (const part of nulSeparated((await askGit(args, { folder })) ?? Buffer.alloc(0))) {
    // A path never begins with a slash, so such a line is a time.
    const text = part.startsWith('\n') ? part.slice(1) : part;
    const time = /^\/(\d+)(?:\n+([^]+))?$/.exec(text);
    if (time !== null) atMs = Number(time[1]) * 1000;
    const path = time === null ? text : time[2];
    if (path === undefined || !wanted.has(path)) continue;
    const known = commits.get(path);
    commits.set(path, {
      firstAt: Math.min(atMs, known?.firstAt ?? atMs),
      lastAt: Math.max(atMs, known?.lastAt ?? atMs),
    });
  }
  return commits;
}
