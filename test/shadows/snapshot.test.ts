import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  existsSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { containing } from '../support/expected.ts';
import { gitSnapshots } from '../../src/shadows/snapshot.ts';
import type { Snapshot } from '../../src/shadows/sandbox.ts';
import { tempFolder } from '../support/processes.ts';
import { git, makeRepository, writeFiles } from './samples.ts';

/** Every file with what the system knows of it: whoever touches one of them is seen. */
function fingerprint(folder: string): string {
  const lines: string[] = [];
  const walk = (at: string): void => {
    for (const name of readdirSync(at).toSorted()) {
      const path = join(at, name);
      const { mode, size, mtimeNs, ctimeNs, ino, nlink } = lstatSync(path, { bigint: true });
      const kind = lstatSync(path);
      const content = kind.isFile()
        ? createHash('sha256').update(readFileSync(path)).digest('hex')
        : kind.isSymbolicLink()
          ? readlinkSync(path)
          : '';
      lines.push([path, mode, kind.isDirectory() ? '' : size, mtimeNs, ctimeNs, ino, nlink, content].join(' '));
      if (kind.isDirectory()) walk(path);
    }
  };
  walk(folder);
  return lines.join('\n');
}

async function take(folder: string): Promise<Snapshot & { readonly target: string }> {
  const target = join(tempFolder(), 'repo.git');
  const taken = await gitSnapshots.take(folder, target);
  if (!taken.ok) throw new Error(taken.refusal);
  return { ...taken.value, target };
}

function contentOf(target: string, commit: string, path: string): string {
  return execFileSync('git', ['--git-dir', target, 'show', `${commit}:${path}`], { encoding: 'utf8' });
}

describe('a snapshot of a working tree', () => {
  it('V2: holds modified, untracked, renamed and deleted files, and leaves the repository as it is to the byte', async () => {
    const folder = makeRepository({
      'kept.js': 'a',
      'modified.js': 'b',
      'deleted.js': 'c',
      'old-name.js': 'd',
      '.gitignore': 'ignored/\n*.log\n',
      '.gitattributes': '*.can filter=canary\n',
      'filtered.can': 'raw',
      'assumed.js': 'seen',
    });
    const canary = join(tempFolder(), 'ran');
    for (const name of ['pre-commit', 'post-index-change', 'reference-transaction', 'fsmonitor-watchman']) {
      writeFileSync(join(folder, '.git/hooks', name), `#!/bin/sh\necho ${name} >> '${canary}'\n`);
      chmodSync(join(folder, '.git/hooks', name), 0o755);
    }
    git(folder, 'config', 'core.fsmonitor', '.git/hooks/fsmonitor-watchman');
    git(folder, 'config', 'filter.canary.clean', `sh -c 'echo filter >> "${canary}"; cat'`);
    git(folder, 'config', 'filter.canary.required', 'true');
    git(folder, 'stash', 'list');
    git(folder, 'update-index', '--assume-unchanged', 'assumed.js');
    rmSync(canary, { force: true });
    writeFiles(folder, {
      'modified.js': 'b2',
      'untracked/new.js': 'n',
      'ignored/i.js': 'i',
      'x.log': 'l',
      'assumed.js': 'hidden',
      'sp ace "q".js': 'q',
      'filtered.can': 'raw2',
    });
    rmSync(join(folder, 'deleted.js'));
    writeFiles(folder, { 'new-name.js': 'd' });
    rmSync(join(folder, 'old-name.js'));
    symlinkSync('/etc/passwd', join(folder, 'link'));
    const before = fingerprint(folder);
    const snapshot = await take(folder);
    expect(fingerprint(folder)).toBe(before);
    expect(existsSync(canary)).toBe(false);
    expect([...snapshot.files.keys()].toSorted()).toEqual([
      '.gitattributes',
      '.gitignore',
      'assumed.js',
      'filtered.can',
      'kept.js',
      'link',
      'modified.js',
      'new-name.js',
      'sp ace "q".js',
      'untracked/new.js',
    ]);
    expect(contentOf(snapshot.target, snapshot.commit, 'modified.js')).toBe('b2');
    expect(contentOf(snapshot.target, snapshot.commit, 'assumed.js')).toBe('hidden');
    expect(contentOf(snapshot.target, snapshot.commit, 'filtered.can')).toBe('raw2');
    expect(contentOf(snapshot.target, snapshot.commit, 'link')).toBe('/etc/passwd');
    expect(snapshot.warnings.join()).toContain('filtered.can');
    expect(snapshot.base).toBe(git(folder, 'rev-parse', 'HEAD'));
  });

  it('V2: the same content has the same id, and a clean tree is its own commit', async () => {
    const folder = makeRepository({ 'a.js': '1' });
    expect((await take(folder)).commit).toBe(git(folder, 'rev-parse', 'HEAD'));
    writeFiles(folder, { 'a.js': '2' });
    const [one, other] = [await take(folder), await take(folder)];
    expect(one.commit).toBe(other.commit);
    expect(one.changedFiles).toEqual(['a.js']);
    expect(await gitSnapshots.treeOf(folder)).toEqual({ ok: true, value: one.tree });
  });

  it('V2: works without a commit, on a detached HEAD, in a worktree and in a shallow clone', async () => {
    const empty = join(tempFolder(), 'empty');
    mkdirSync(empty);
    git(empty, 'init', '-q');
    writeFiles(empty, { 'a.js': '1' });
    expect(await take(empty)).toMatchObject({ base: null, isDirty: true, changedFiles: ['a.js'] });

    const folder = makeRepository({ 'a.js': '1' });
    git(folder, 'commit', '-q', '--allow-empty', '-m', 'second');
    const worktree = join(tempFolder(), 'worktree');
    git(folder, 'worktree', 'add', '-q', '--detach', worktree);
    writeFiles(worktree, { 'a.js': 'in the worktree' });
    const taken = await take(worktree);
    expect(contentOf(taken.target, 'HEAD', 'a.js')).toBe('in the worktree');

    const shallow = join(tempFolder(), 'shallow');
    git(folder, 'clone', '-q', '--depth', '1', `file://${folder}`, shallow);
    writeFiles(shallow, { 'b.js': 'new' });
    expect((await take(shallow)).changedFiles).toEqual(['b.js']);
  });

  it('V2: names submodules as unsupported, and files that look like secrets', async () => {
    const inner = makeRepository({ 'inner.js': '1' }, {}, 'inner');
    const folder = makeRepository({ 'a.js': '1', '.env': 'TOKEN=x' });
    git(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
    const { warnings } = await take(folder);
    expect(warnings.join('\n')).toMatch(/submodules_unsupported: sub/);
    expect(warnings.join('\n')).toMatch(/secrets.*\.env/);
  });

  it('V2: a folder that is no repository, and one whose settings point elsewhere, are answers', async () => {
    const nowhere = tempFolder();
    expect(await gitSnapshots.take(nowhere, join(nowhere, 'x.git'))).toMatchObject({
      ok: false,
      refusal: containing('git init'),
    });
    const folder = makeRepository({ 'a.js': '1' });
    const other = makeRepository({ 'secret.js': '1' });
    git(folder, 'config', 'core.worktree', other);
    expect(await gitSnapshots.take(folder, join(tempFolder(), 'x.git'))).toMatchObject({
      ok: false,
      refusal: containing('elsewhere'),
    });
  });
});
