import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SPEC_DOCUMENT } from '../formats/document/spec-document.ts';
import { type Ended, quickBaton, tempFolder } from '../support/processes.ts';
import { makeRepository, type Repository } from './repository.ts';

const HOOK = '.git/hooks/pre-commit';

async function init({ folder, env }: Repository, ...args: readonly string[]): Promise<Ended> {
  return quickBaton(['init', ...args], { cwd: folder, env });
}

/** As a person commits, with every hook. */
function commit({ folder, env }: Repository, message = 'work'): { readonly ok: boolean; readonly says: string } {
  const own = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false'];
  const ended = spawnSync('git', [...own, 'commit', '-q', '-m', message], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { ok: ended.status === 0, says: ended.stdout + ended.stderr };
}

function existing(repository: Repository, text: string, name = HOOK): string {
  const path = join(repository.folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

describe('baton init --git-hook', () => {
  it('D13: keeps a misplaced handoff out of a commit, and lets everything else in', async () => {
    const repository = makeRepository();
    expect(await init(repository, '--git-hook')).toMatchObject({ code: 0, stderr: '' });
    repository.write('notes/x y.md', SPEC_DOCUMENT);
    repository.git('add', '-A');
    const refused = commit(repository);
    expect(refused.ok).toBe(false);
    expect(refused.says).toContain('notes/x y.md:1:1: a handoff outside of _handoffs/');
    repository.git('reset', '-q', 'notes');
    expect(commit(repository)).toMatchObject({ ok: true });
  });

  it('D13: a commit of code alone starts nothing, and every name that a handoff can have starts the check', async () => {
    const repository = makeRepository();
    await init(repository, '--git-hook');
    const bin = tempFolder();
    const started = join(bin, 'started');
    writeFileSync(join(bin, 'baton'), `#!/bin/sh\ntouch '${started}'\n`, { mode: 0o755 });
    const watched = { ...repository, env: { ...repository.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` } };
    const startedFor = (name: string): boolean => {
      rmSync(started, { force: true });
      repository.write(name, `${name}\n`);
      repository.git('add', '-A');
      expect(commit(watched)).toMatchObject({ ok: true });
      return existsSync(started);
    };
    startedFor('first.md');
    for (const name of ['src/a.ts', 'lib/a.b.py', 'über.ts'])
      expect([name, startedFor(name)]).toEqual([name, name === 'über.ts']);
    for (const name of ['a.MD', 'x/notes', 'b.yaml', '_handoffs/active/handoff-a.bak', 'ü.md', 'c.txt'])
      expect([name, startedFor(name)]).toEqual([name, true]);
  });

  it('D13: judges what is committed by name, not what else is staged', async () => {
    const repository = makeRepository();
    repository.commit({ 'a.md': 'a\n' });
    await init(repository, '--git-hook');
    repository.write('a.md', 'b\n');
    repository.write('bad.md', SPEC_DOCUMENT);
    repository.git('add', 'bad.md');
    expect(() => repository.git('commit', '-q', '-m', 'only a', '--', 'a.md')).not.toThrow();
    expect(() => repository.git('commit', '-q', '-m', 'the rest')).toThrow('bad.md:1:1: a handoff');
  });

  it('D13: is safe to repeat and goes without a trace', async () => {
    const repository = makeRepository();
    const before = readdirSync(join(repository.folder, '.git/hooks'));
    await init(repository, '--git-hook');
    const text = readFileSync(join(repository.folder, HOOK), 'utf8');
    const again = await init(repository, '--git-hook');
    expect(again.stdout).toContain('is a workspace already');
    expect(readFileSync(join(repository.folder, HOOK), 'utf8')).toBe(text);
    const gone = await init(repository, '--remove-git-hook');
    expect(gone).toMatchObject({ code: 0, stdout: expect.stringContaining(`taken out of ${HOOK}, `) as string });
    expect(readdirSync(join(repository.folder, '.git/hooks'))).toEqual(before);
    expect(await init(repository, '--remove-git-hook')).toMatchObject({ stdout: `nothing of ours in ${HOOK}\n` });
  });

  it.each([
    ['a shell script', '#!/bin/sh\nset -e\necho ran "$@" >> ran.txt\n'],
    ['a bash script by env', '#!/usr/bin/env bash\n# mine\necho ran >> ran.txt'],
    ['a program of another language', '#!/usr/bin/env node\nrequire("fs").appendFileSync("ran.txt", "ran\\n")\n'],
  ])('D13: %s that is there runs too, and comes back to the byte', async (_what, text) => {
    const repository = makeRepository();
    const path = existing(repository, text);
    await init(repository, '--git-hook');
    repository.write('a.md', 'a\n');
    repository.git('add', 'a.md');
    expect(commit(repository)).toMatchObject({ ok: true });
    expect(readFileSync(join(repository.folder, 'ran.txt'), 'utf8')).toMatch(/^ran/);
    repository.write('bad.md', SPEC_DOCUMENT);
    repository.git('add', 'bad.md');
    expect(commit(repository).ok).toBe(false);
    await init(repository, '--remove-git-hook');
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(lstatSync(path).mode & 0o777).toBe(0o755);
    expect(readdirSync(join(path, '..')).filter((name) => name.includes('baton'))).toEqual([]);
  });

  it('D13: a hook that says no still says no', async () => {
    const repository = makeRepository();
    existing(repository, '#!/usr/bin/env node\nprocess.exit(7)\n');
    await init(repository, '--git-hook');
    repository.write('a.md', 'a\n');
    repository.git('add', 'a.md');
    expect(commit(repository).ok).toBe(false);
  });

  it('D13: a hook that is a link stays a link, and what it leads to is not written', async () => {
    const repository = makeRepository();
    const elsewhere = join(tempFolder(), 'shared-hook');
    writeFileSync(elsewhere, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const path = join(repository.folder, HOOK);
    mkdirSync(join(path, '..'), { recursive: true });
    symlinkSync(elsewhere, path);
    await init(repository, '--git-hook');
    expect(readFileSync(elsewhere, 'utf8')).toBe('#!/bin/sh\nexit 0\n');
    await init(repository, '--remove-git-hook');
    expect(readlinkSync(path)).toBe(elsewhere);
  });

  it('D13: follows core.hooksPath of this repository, and of husky to where people write', async () => {
    const repository = makeRepository();
    repository.git('config', 'core.hooksPath', '.githooks');
    expect((await init(repository, '--git-hook')).stdout).toContain('.githooks/pre-commit');
    expect(existsSync(join(repository.folder, HOOK))).toBe(false);
    const husky = makeRepository();
    husky.git('config', 'core.hooksPath', '.husky/_');
    existing(husky, 'npm test\n', '.husky/pre-commit');
    expect((await init(husky, '--git-hook')).stdout).toContain('.husky/pre-commit');
    expect(readFileSync(join(husky.folder, '.husky/pre-commit'), 'utf8')).toMatch(/^# baton: begin[^]*npm test\n$/);
    await init(husky, '--remove-git-hook');
    expect(readFileSync(join(husky.folder, '.husky/pre-commit'), 'utf8')).toBe('npm test\n');
  });

  it('D13: writes nothing into a folder of hooks that belongs to all repositories of a user', async () => {
    const repository = makeRepository();
    const shared = tempFolder();
    const home = tempFolder();
    writeFileSync(join(home, '.gitconfig'), `[core]\n\thooksPath = ${shared}\n`);
    const env = { PATH: repository.env['PATH'] ?? '', HOME: home };
    const refused = await quickBaton(['init', '--git-hook'], { cwd: repository.folder, env });
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain('for all your repositories');
    expect(readdirSync(shared)).toEqual([]);
  });

  it('D13: works where .git is a file: a worktree has the hooks of its repository', async () => {
    const repository = makeRepository();
    repository.commit({ 'a.md': 'a\n' });
    const tree = join(tempFolder(), 'tree');
    repository.git('worktree', 'add', '-q', tree);
    const made = await quickBaton(['init', '--git-hook'], { cwd: tree, env: repository.env });
    expect(made.code).toBe(0);
    expect(existsSync(join(repository.folder, HOOK))).toBe(true);
    writeFileSync(join(tree, 'bad.md'), SPEC_DOCUMENT);
    const env = { ...process.env, ...repository.env };
    execFileSync('git', ['add', 'bad.md'], { cwd: tree, env });
    expect(commit({ ...repository, folder: tree }).says).toContain('bad.md:1:1: a handoff');
  });

  it('D13: says so where there is no repository, where hooks are off, and where one sleeps', async () => {
    const nowhere = await quickBaton(['init', '--git-hook'], { cwd: tempFolder() });
    expect(nowhere).toMatchObject({ code: 5 });
    expect(nowhere.stderr).toContain('in no git repository');
    const off = makeRepository();
    off.git('config', 'core.hooksPath', '/dev/null');
    expect((await init(off, '--git-hook')).stderr).toContain('switched off');
    const asleep = makeRepository();
    chmodSync(existing(asleep, '#!/bin/sh\nexit 1\n'), 0o644);
    expect((await init(asleep, '--git-hook')).stderr).toContain('not executable');
  });

  it('D13: a machine without baton commits, and is told that nobody looked', async () => {
    const repository = makeRepository();
    await init(repository, '--git-hook');
    repository.write('bad.md', SPEC_DOCUMENT);
    repository.git('add', 'bad.md');
    const { PATH = '' } = process.env;
    const said = commit({ ...repository, env: { ...repository.env, PATH } });
    expect(said).toMatchObject({ ok: true });
    expect(said.says).toContain('baton is not installed');
  });

  it('D17: after git has brought no document, nothing is started; after it has, baton is', async () => {
    const repository = makeRepository();
    await init(repository, '--git-hook');
    const { folder, git } = repository;
    repository.commit({ 'a.txt': 'a\n' });
    const called = join(folder, '.git', 'called');
    const bin = tempFolder();
    writeFileSync(join(bin, 'baton'), `#!/bin/sh\necho "$@" >> '${called}'\n`);
    chmodSync(join(bin, 'baton'), 0o755);
    const run = (name: string): string => {
      const env = { ...process.env, ...repository.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
      execFileSync('sh', [join(folder, '.git', 'hooks', name)], { cwd: folder, env });
      return existsSync(called) ? readFileSync(called, 'utf8') : '';
    };
    mkdirSync(join(folder, '.baton', 'documents'), { recursive: true });
    writeFileSync(join(folder, '.baton', 'documents', 'tips'), git('rev-parse', 'HEAD'));
    repository.commit({ 'b.txt': 'b\n' });
    for (const name of ['post-merge', 'post-checkout', 'post-rewrite']) expect(run(name)).toBe('');
    repository.commit({ '_handoffs/active/x.md': 'x\n' });
    expect(run('post-merge')).toBe('sync --quiet\n');
  });

  it('a part of an older version is renewed in place', async () => {
    const repository = makeRepository();
    await init(repository, '--git-hook');
    const path = join(repository.folder, '.git/hooks/post-merge');
    const now = readFileSync(path, 'utf8');
    writeFileSync(path, `${now.replace(/if git diff[\s\S]*?elif/, 'if')}echo mine\n`);
    await init(repository, '--git-hook');
    expect(readFileSync(path, 'utf8')).toBe(`${now}echo mine\n`);
  });
});
