/** A snapshot (V2): a bare repository whose newest commit is the working tree, uncommitted work included. */
import { appendFile, copyFile, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nulSeparated } from '../foundation/git.ts';
import { ignoreMissing } from '../foundation/or-null.ts';
import { codeOf } from '../foundation/system-error-code.ts';
import { err, ok, type Result } from '../foundation/result.ts';
import type { Snapshot, SnapshotMaker } from './sandbox.ts';
import { git, gitText, gitTextOrNull, SnapshotProblem } from './snapshot-git.ts';
import { findRepository, writeWorkingTree, type WrittenTree } from './working-tree.ts';

/** The date of a snapshot without a parent. It must not depend on the time, so that equal content gets an equal id. */
const NO_PARENT_SECONDS = 946_684_800;
const TEXT_BYTES_MAX = 1024 * 1024;
const ID = /^[0-9a-f]{40,64}$/;

export const gitSnapshots: SnapshotMaker = {
  repositoryAt: (path) =>
    asResult(async () => {
      const { folder } = await findRepository(path);
      const origin = await gitTextOrNull(['config', '--get', 'remote.origin.url'], { folder });
      return { folder: await realpath(folder), origin: origin === '' ? null : origin };
    }),
  take: (folder, target) => asResult(() => take(folder, target)),
  treeOf: (folder) =>
    asResult(async () => {
      const place = await mkdtemp(join(tmpdir(), 'baton-tree-'));
      try {
        return (await writeWorkingTree(folder, join(place, 'repo.git'))).tree;
      } finally {
        await rm(place, { recursive: true, force: true });
      }
    }),
  texts: async (target, commit, paths) => {
    const texts = new Map<string, string>();
    for (const path of paths) {
      const name = `${checkedId(commit)}:${path}`;
      const size = await git(['cat-file', '-s', name], { ...inside(target), codes: [0, 128] });
      if (size.code !== 0 || Number(size.output.toString()) > TEXT_BYTES_MAX) continue;
      const blob = await git(['cat-file', 'blob', name], { ...inside(target), codes: [0, 128] });
      if (blob.code === 0) texts.set(path, blob.output.toString('utf8'));
    }
    return texts;
  },
  describe: async (target, commit) => ({
    files: await filesOf(target, commit),
    tree: await gitText(['rev-parse', `${checkedId(commit)}^{tree}`], inside(target)),
    base: await baseOf(target, commit),
  }),
};

/** Turns problems of the repository into a refusal; other errors are thrown. */
async function asResult<Value>(act: () => Promise<Value>): Promise<Result<Value, string>> {
  try {
    return ok(await act());
  } catch (error) {
    if (error instanceof SnapshotProblem) return err(error.message);
    const code = codeOf(error);
    if (code === null) throw error;
    return err(`the repository cannot be read (${code})`);
  }
}

async function take(path: string, target: string): Promise<Snapshot> {
  const written = await writeWorkingTree(path, target);
  const { repository, tree, warnings } = written;
  const { folder, sharedFolder } = repository;
  const parent = await gitTextOrNull(['rev-parse', '-q', '--verify', 'HEAD^{commit}'], { folder });
  const isDirty = parent === null || (await gitText(['rev-parse', `${parent}^{tree}`], { folder })) !== tree;
  // Only after the files were added: git touches the times of objects in alternates while it adds.
  const alternates = join(target, 'objects', 'info', 'alternates');
  await writeFile(alternates, `${join(sharedFolder, 'objects')}\n`);
  // Only a shallow clone has the file.
  await copyFile(join(sharedFolder, 'shallow'), join(target, 'shallow')).catch(ignoreMissing);
  const commit = isDirty ? await commitTree(written, parent) : parent;
  await writeReferences(written, commit);
  await git(['repack', '-adq', '--window=0'], inside(target));
  await rm(alternates, { force: true });
  await rm(join(target, 'baton-index'), { force: true });
  await appendFile(join(target, 'config'), '[uploadpack]\n\tallowAnySHA1InWant = true\n\tallowFilter = true\n');
  await git(['fsck', '--connectivity-only', '--no-dangling'], inside(target));
  const base = isDirty ? parent : await baseOf(target, commit);
  return {
    commit,
    tree,
    base,
    isDirty,
    changedFiles: await changedFiles(target, base, commit),
    files: await filesOf(target, commit),
    warnings,
  };
}

/** The date is the parent's, so that the same content on the same commit gets the same id. */
async function commitTree({ repository, tree, bare }: WrittenTree, parent: string | null): Promise<string> {
  const { folder } = repository;
  const seconds =
    parent === null ? NO_PARENT_SECONDS : Number(await gitText(['show', '-s', '--format=%ct', parent], { folder }));
  const who = { NAME: 'baton', EMAIL: 'baton@localhost', DATE: `${seconds} +0000` };
  const env = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => Object.entries(who).map(([key, value]) => [`GIT_${role}_${key}`, value])),
  );
  const parents = parent === null ? [] : ['-p', parent];
  const args = ['commit-tree', tree, ...parents, '-m', 'Shadow snapshot: the working tree with uncommitted changes'];
  return gitText(args, { folder: bare, env: { ...env, GIT_DIR: bare } });
}

async function writeReferences({ repository, bare }: WrittenTree, commit: string): Promise<void> {
  const { folder } = repository;
  const branch = (await gitTextOrNull(['symbolic-ref', '-q', '--short', 'HEAD'], { folder })) ?? 'baton-snapshot';
  const listed = await gitText(
    ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags', 'refs/remotes'],
    { folder },
  );
  const others = listed
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith('/HEAD') && !line.endsWith(` refs/heads/${branch}`))
    .map((line) => {
      const at = line.indexOf(' ');
      const name = line.slice(at + 1).replace(/^refs\/remotes\//, 'refs/shadow/remotes/');
      return `update ${name} ${line.slice(0, at)}\n`;
    });
  const input = `update refs/heads/${branch} ${commit}\n${others.join('')}`;
  await git(['update-ref', '--stdin'], { ...inside(bare), input });
  await git(['symbolic-ref', 'HEAD', `refs/heads/${branch}`], inside(bare));
}

function baseOf(target: string, commit: string): Promise<string | null> {
  return gitTextOrNull(['rev-parse', '-q', '--verify', `${checkedId(commit)}^1`], inside(target));
}

async function changedFiles(target: string, base: string | null, commit: string): Promise<readonly string[]> {
  if (base === null) return [...(await filesOf(target, commit)).keys()];
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', base, commit];
  return nulSeparated((await git(args, inside(target))).output);
}

async function filesOf(target: string, commit: string): Promise<ReadonlyMap<string, string>> {
  const listed = await git(['ls-tree', '-r', '-z', checkedId(commit)], inside(target));
  return new Map(
    nulSeparated(listed.output).flatMap((line) => {
      const at = line.indexOf('\t');
      const [, kind = '', id = ''] = line.slice(0, at).split(' ');
      return kind === 'blob' ? [[line.slice(at + 1), id] as const] : [];
    }),
  );
}

function inside(target: string): { readonly folder: string; readonly env: Readonly<Record<string, string>> } {
  return { folder: target, env: { GIT_DIR: target } };
}

/** Becomes an argument of git, so it must be an id and nothing else. */
function checkedId(commit: string): string {
  if (ID.test(commit)) return commit;
  throw new SnapshotProblem(`${JSON.stringify(commit)} is not the id of a commit`);
}
