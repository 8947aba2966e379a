/**
 * Makes a migration one commit, so that git can show and undo it. Uses only objects, the index and refs of git, so that
 * neither a filter nor a hook of the repository changes what is committed.
 */
import { lstat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '../../foundation/atomic-file.ts';
import { nulSeparated } from '../../foundation/git.ts';
import { askGit, git, gitLine } from '../git/git.ts';
import { removeEmptyFolders, isWithin, realFolder } from './real-folder.ts';

/** Why git cannot do what was asked, and what to do about it. */
export class RepositoryProblem extends Error {
  override readonly name = 'RepositoryProblem';
}

export interface Repository {
  readonly folder: string;
  /** From the root of the repository to the folder; empty, or with `/` at its end. */
  readonly prefix: string;
  readonly head: string;
}

/** Null: not in git. */
export async function repositoryAt(folder: string): Promise<Repository | null> {
  const prefix = await askGit(['rev-parse', '--show-prefix'], { folder }).catch(() => null);
  if (prefix === null) return null;
  const head = await gitLine(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { folder });
  if (head === null) throw new RepositoryProblem('the repository has no commit yet; commit your files first');
  return { folder, prefix: prefix.toString('utf8').replace(/\n$/, ''), head };
}

export async function hasStaged({ folder }: Repository): Promise<boolean> {
  return (await askGit(['diff-index', '--cached', '--quiet', 'HEAD'], { folder })) === null;
}

/** Creates a branch at HEAD and switches to it; no file changes. */
export async function startBranch({ folder, head }: Repository, name: string): Promise<void> {
  const isName = (await askGit(['check-ref-format', '--branch', name], { folder })) !== null;
  if (!isName) throw new RepositoryProblem(`${JSON.stringify(name)} is not a name for a branch`);
  const ref = `refs/heads/${name}`;
  const isTaken = (await askGit(['rev-parse', '--verify', '--quiet', ref], { folder })) !== null;
  if (isTaken) throw new RepositoryProblem(`there is a branch ${name} already; choose another name`);
  await git(['update-ref', ref, head, '0'.repeat(head.length)], { folder });
  await git(['symbolic-ref', 'HEAD', ref], { folder });
}

const MIGRATION = 'Baton-Migration';
const UNDO = 'Baton-Migration-Undone';

/** Commits the state of these paths on the disk and nothing else. Null: none of them has changed. */
export async function commitPaths(
  repository: Repository,
  paths: readonly string[],
  { subject, trailer = `${MIGRATION}: 1` }: { readonly subject: string; readonly trailer?: string },
): Promise<string | null> {
  const { folder, prefix, head } = repository;
  const isThere = await Promise.all(
    paths.map(async (path) => (await lstat(join(folder, path)).catch(() => null))?.isFile() === true),
  );
  const hashes = await hashesOf(
    folder,
    paths.filter((_, index) => isThere[index]),
  );
  const lines = paths.map((path) => {
    const hash = hashes.get(path);
    return `${hash === undefined ? `0 ${'0'.repeat(head.length)}` : `100644 ${hash}`}\t${prefix}${path}\0`;
  });
  await git(['update-index', '-z', '--index-info'], { folder, input: lines.join('') });
  const tree = (await git(['write-tree'], { folder })).toString('utf8').trim();
  if (tree === (await gitLine(['rev-parse', `${head}^{tree}`], { folder }))) return null;
  const commit = await commitTree(folder, tree, head, `${subject}\n\n${trailer}\n`);
  await git(['update-ref', '-m', 'baton migrate', 'HEAD', commit, head], { folder });
  return commit;
}

async function hashesOf(folder: string, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map();
  // Git reads a name with a line end, a quote or a backslash only in quotes.
  const input = paths.map((path) => (/["\\\n]/.test(path) ? JSON.stringify(path) : path)).join('\n');
  const output = await git(['hash-object', '-w', '--no-filters', '--stdin-paths'], { folder, input: `${input}\n` });
  const hashes = output.toString('utf8').trim().split('\n');
  return new Map(paths.map((path, index) => [path, hashes[index] ?? '']));
}

/** A user without a name in git can migrate, too. */
async function commitTree(folder: string, tree: string, parent: string, input: string): Promise<string> {
  const args = ['commit-tree', tree, '-p', parent];
  const made =
    (await askGit(args, { folder, input })) ??
    (await git(['-c', 'user.name=baton', '-c', 'user.email=baton@localhost', ...args], { folder, input }));
  return made.toString('utf8').trim();
}

export interface Undone {
  readonly commit: string;
  readonly reverted: string;
  readonly files: number;
}

/** Reverts the last migration in a commit of its own. Refuses where a file was changed since. */
export async function undoMigration(repository: Repository, drafts: string): Promise<Undone> {
  const { folder, prefix, head } = repository;
  const commit = await lastMigration(folder);
  if (commit === null) throw new RepositoryProblem('there is no migration to undo in the history of this branch');
  const byHand = `undo it by hand with: git revert ${commit.slice(0, 12)}`;
  const changes = changesIn(await git(['diff-tree', '-r', '-z', '--no-renames', '--no-commit-id', commit], { folder }));
  const listed = await git(['ls-tree', '-r', '-z', '--full-tree', head], { folder });
  const now = new Map(nulSeparated(listed).map((line) => [line.slice(line.indexOf('\t') + 1), line.split(/[ \t]/)[2]]));
  const other = changes.filter(({ path, after }) => (now.get(path) ?? null) !== after || !path.startsWith(prefix));
  if (other.length > 0)
    throw new RepositoryProblem(`${other[0]?.path ?? ''} was changed after the migration; ${byHand}`);
  for (const { path, before } of changes) {
    const own = path.slice(prefix.length);
    if (before === null) {
      if (await isWithin(folder, own)) await unlink(join(folder, own)).catch(() => undefined);
      await removeEmptyFolders(folder, own);
      continue;
    }
    const text = await git(['cat-file', 'blob', before], { folder });
    const parent = own.split('/').slice(0, -1).join('/');
    if (parent !== '') await realFolder(folder, parent);
    await writeDurably(join(folder, own), text, { draftFolder: drafts });
  }
  const made = await commitPaths(
    repository,
    changes.map(({ path }) => path.slice(prefix.length)),
    { subject: 'Undo the migration of old handoffs', trailer: `${UNDO}: ${commit}` },
  );
  return { commit: made ?? head, reverted: commit, files: changes.length };
}

const COMMITS_MAX = 200;

/** The newest migration that was not undone. */
async function lastMigration(folder: string): Promise<string | null> {
  const args = ['log', '-z', `-n${COMMITS_MAX}`, '-E', `--grep=^(${MIGRATION}|${UNDO}): `, '--format=%H %B'];
  const undone = new Set<string>();
  for (const part of nulSeparated((await askGit(args, { folder })) ?? Buffer.alloc(0))) {
    const of = new RegExp(`^${UNDO}: ([0-9a-f]+)$`, 'm').exec(part)?.[1];
    const hash = part.split(' ', 1)[0] ?? '';
    if (of !== undefined) undone.add(of);
    else if (!undone.has(hash)) return hash;
  }
  return null;
}

/** The output is `:100644 000000 HASH HASH D` and the path, by turns; null: the file is absent on that side. */
function changesIn(
  output: Buffer,
): readonly { readonly path: string; readonly before: string | null; readonly after: string | null }[] {
  const parts = nulSeparated(output);
  const hash = (text = ''): string | null => (/^0+$/.test(text) ? null : text);
  return parts.flatMap((part, index) => {
    if (index % 2 === 1) return [];
    const [, , before, after] = part.split(' ');
    return [{ path: parts[index + 1] ?? '', before: hash(before), after: hash(after) }];
  });
}
