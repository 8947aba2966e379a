/**
 * Writes the content of a working tree as a git tree (V2): tracked, modified and untracked files that are not ignored.
 *
 * Only plumbing, on a copy of the index and into an object folder of our own. The repository's objects are never made an
 * alternate while files are added: git would touch the times of existing objects.
 */
import { copyFile, lstat, mkdir, open, realpath, stat, utimes } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { nulSeparated } from '../foundation/git.ts';
import { codeOf } from '../foundation/system-error-code.ts';
import { git, gitText, SnapshotProblem } from './snapshot-git.ts';

export interface Repository {
  /** The top of the working tree. */
  readonly folder: string;
  readonly gitFolder: string;
  /** Where objects and references are, also for a worktree. */
  readonly sharedFolder: string;
  readonly objectFormat: string;
}

export type WrittenTree = Awaited<ReturnType<typeof writeWorkingTree>>;

const NAMED_MAX = 5;
const LFS_POINTER = 'version https://git-lfs';
const SECRET_FILE = /(?:^|\/)(?:\.env(?:\.[a-z]+)?|id_(?:rsa|ed25519)|[^/]*\.pem|\.npmrc|\.pypirc)$/;

export async function findRepository(path: string): Promise<Repository> {
  if ((await stat(path).catch(() => null))?.isDirectory() !== true) {
    throw new SnapshotProblem('there is no such folder; name the folder of a git repository');
  }
  const answer = await git(
    ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-dir', '--git-common-dir', '--show-object-format'],
    { folder: path, codes: [0, 128] },
  );
  const [folder, gitFolder, sharedFolder, objectFormat] = answer.output.toString('utf8').trim().split('\n');
  if (answer.code !== 0 || objectFormat === undefined || folder === undefined || gitFolder === undefined) {
    throw new SnapshotProblem(`${path} is in no git repository with a working tree; run git init in it first`);
  }
  // A setting of the repository can point its working tree to any folder of the machine.
  const inside = relative(folder, resolve(path));
  if (inside.startsWith('..') && relative(folder, await realpath(path)).startsWith('..')) {
    throw new SnapshotProblem(`the repository at ${path} names ${folder} as its working tree, which is elsewhere`);
  }
  return { folder, gitFolder, sharedFolder: sharedFolder ?? gitFolder, objectFormat };
}

/** `bare`: the bare repository that holds the new objects. */
export async function writeWorkingTree(path: string, bare: string) {
  const repository = await findRepository(path);
  const { folder, objectFormat } = repository;
  await mkdir(dirname(bare), { recursive: true });
  await git(['init', '-q', '--bare', '--template=', `--object-format=${objectFormat}`, bare], {
    folder: dirname(bare),
  });
  const index = join(bare, 'baton-index');
  const isThere = await copyIndex(join(repository.gitFolder, 'index'), index);
  const reads = { GIT_INDEX_FILE: index };
  const writes = { GIT_INDEX_FILE: index, GIT_OBJECT_DIRECTORY: join(bare, 'objects') };
  const warnings: string[] = [];
  if (isThere) {
    await expandIndex(folder, reads);
    await copyChangedBlobs(folder, reads, bare);
  }
  const added = await git(['add', '-A', '--ignore-errors', '--', '.'], { folder, env: writes, codes: [0, 1, 128] });
  if (added.code !== 0) warnings.push(`not everything could be read: ${added.errors.split('\n')[0] ?? ''}`);
  warnings.push(...(await checkEntries(repository, reads, writes)));
  const tree = await gitText(['write-tree', '--missing-ok'], { folder, env: writes });
  return { repository, tree, bare, warnings };
}

/** With its time, rounded down: an entry that git would look at twice must stay one. */
async function copyIndex(from: string, to: string): Promise<boolean> {
  try {
    const { atimeMs, mtimeMs } = await stat(from);
    await copyFile(from, to);
    await utimes(to, atimeMs / 1000, Math.floor(mtimeMs) / 1000);
    return true;
  } catch (error) {
    // A new repository has none.
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** A split or sparse index becomes a whole one, and nothing is assumed to be unchanged. */
async function expandIndex(folder: string, env: Variables): Promise<void> {
  await git(['update-index', '--force-write-index'], { folder, env });
  const listed = nulSeparated((await git(['ls-files', '-z', '-v'], { folder, env })).output);
  const assumed = listed.filter((line) => /^[a-z] /.test(line)).map((line) => line.slice(2));
  if (assumed.length === 0) return;
  const input = `${assumed.join('\0')}\0`;
  await git(['update-index', '--no-assume-unchanged', '-z', '--stdin'], { folder, env, input });
}

/** Copies the indexed blobs of changed files, because git compares them with the files to decide about line endings. */
async function copyChangedBlobs(folder: string, env: Variables, bare: string): Promise<void> {
  const changed = await git(['diff-files', '-z', '--name-only', '--ignore-submodules=all'], { folder, env });
  const names = new Set(nulSeparated(changed.output));
  if (names.size === 0) return;
  const staged = await stagedEntries(folder, env);
  const wanted = staged.filter(({ path, mode }) => names.has(path) && mode !== '160000').map(({ id }) => id);
  if (wanted.length === 0) return;
  const input = `${[...new Set(wanted)].join('\n')}\n`;
  const packed = await git(['pack-objects', '-q', '--stdout', '--window=0'], { folder, env, input });
  await git(['index-pack', '--stdin'], { folder: bare, env: { GIT_DIR: bare }, input: packed.output });
}

type Variables = Readonly<Record<string, string>>;

async function stagedEntries(
  folder: string,
  env: Variables,
): Promise<readonly { readonly mode: string; readonly id: string; readonly path: string }[]> {
  const listed = await git(['ls-files', '-z', '-s'], { folder, env });
  return nulSeparated(listed.output).map((line) => {
    const at = line.indexOf('\t');
    const [mode = '', id = ''] = line.slice(0, at).split(' ');
    return { mode, id, path: line.slice(at + 1) };
  });
}

/** Adds filtered paths as raw files, because a filter would run a program. Returns warnings. */
async function checkEntries({ folder }: Repository, reads: Variables, writes: Variables): Promise<readonly string[]> {
  const staged = await stagedEntries(folder, reads);
  const warnings: string[] = [];
  const modules = staged.filter(({ mode }) => mode === '160000').map(({ path }) => path);
  if (modules.length > 0) warnings.push(`submodules_unsupported: ${listNames(modules)} are not part of the snapshot`);
  const secrets = staged.map(({ path }) => path).filter((path) => SECRET_FILE.test(path));
  if (secrets.length > 0)
    warnings.push(`possible secrets are not ignored by git and are in the snapshot: ${listNames(secrets)}`);
  const skipped = nulSeparated((await git(['ls-files', '-z', '-t'], { folder, env: reads })).output);
  const sparse = skipped.filter((line) => line.startsWith('S ')).map((line) => line.slice(2));
  if (sparse.length > 0) warnings.push(`skip-worktree: edits of ${listNames(sparse)} are not in the snapshot`);
  const files = staged.filter(({ mode }) => mode !== '160000');
  if (files.length === 0) return warnings;
  const input = `${files.map(({ path }) => path).join('\0')}\0`;
  const listed = await git(['check-attr', '-z', '--stdin', 'filter'], { folder, env: reads, input });
  const attributes = nulSeparated(listed.output);
  const filtered = new Set<string>();
  for (let at = 0; at + 2 < attributes.length; at += 3) {
    const [path = '', , value = ''] = attributes.slice(at, at + 3);
    if (value !== 'unspecified' && value !== 'unset') filtered.add(path);
  }
  for (const { mode, path } of files.filter((entry) => filtered.has(entry.path))) {
    const raw = await addRaw(folder, writes, mode, path);
    if (raw === 'pointer') warnings.push(`lfs_pointer: ${path} is a pointer, its content was never fetched here`);
  }
  if (filtered.size > 0) warnings.push(`raw_filtered: ${listNames([...filtered])} went in without their git filter`);
  return warnings;
}

async function addRaw(folder: string, env: Variables, mode: string, path: string): Promise<'raw' | 'pointer' | 'gone'> {
  const place = join(folder, path);
  const found = await lstat(place).catch(() => null);
  if (found === null || !found.isFile()) return 'gone';
  const id = await gitText(['hash-object', '-w', '--no-filters', '--', path], { folder, env });
  const input = `${mode} ${id}\t${path}\0`;
  await git(['update-index', '-z', '--index-info'], { folder, env, input });
  const handle = await open(place, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(LFS_POINTER.length), 0, LFS_POINTER.length, 0);
    return buffer.subarray(0, bytesRead).toString('latin1') === LFS_POINTER ? 'pointer' : 'raw';
  } finally {
    await handle.close();
  }
}

function listNames(all: readonly string[]): string {
  const rest = all.length > NAMED_MAX ? ` and ${all.length - NAMED_MAX} more` : '';
  return `${all.slice(0, NAMED_MAX).join(', ')}${rest}`;
}
