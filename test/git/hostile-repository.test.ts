/** A repository whose settings run a program whenever git gives them a chance: nothing of ours gives it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runGit } from '../../src/foundation/git.ts';
import { gitStateOf } from '../../src/adapters/agent-sessions/git-state.ts';
import { DEFAULT_TERMS } from '../../src/domain/default-terms.ts';
import { checkCommit } from '../../src/adapters/evidence/commit-evidence.ts';
import { checkFile } from '../../src/adapters/evidence/file-evidence.ts';
import { workingNames } from '../../src/adapters/git/git-lists.ts';
import { commitsOf, listedByGit } from '../../src/adapters/migration/git-history.ts';
import { openGitTree } from '../../src/folders/git-tree.ts';
import { tempFolder } from '../support/processes.ts';

interface Trap {
  readonly folder: string;
  /** What was run, if anything. */
  sprung(): string;
}

function trapped(): Trap {
  const folder = tempFolder();
  const mark = join(tempFolder(), 'sprung');
  const git = (...args: readonly string[]): void => {
    execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { stdio: 'ignore' });
  };
  git('init', '-q');
  writeFileSync(join(folder, 'a.md'), 'one\n');
  writeFileSync(join(folder, '.gitattributes'), '*.md filter=Evil.x diff=evil\n');
  git('add', '.');
  git('commit', '-q', '-m', 'one');
  const run = (what: string): string => `sh -c 'echo ${what} >> "${mark}"; cat'`;
  for (const [key, value] of [
    ['filter.Evil.x.clean', run('clean')],
    ['filter.Evil.x.smudge', run('smudge')],
    ['filter.Evil.x.required', 'true'],
    ['diff.evil.textconv', run('textconv')],
    ['diff.evil.command', run('diff')],
    ['core.fsmonitor', run('fsmonitor')],
    ['core.pager', run('pager')],
    ['pager.log', 'true'],
    ['log.showSignature', 'true'],
    ['gpg.program', run('gpg')],
    ['core.hooksPath', join(folder, '.git', 'evil-hooks')],
  ] as const) {
    git('config', key, value);
  }
  mkdirSync(join(folder, '.git', 'evil-hooks'));
  writeFileSync(join(folder, '.git', 'evil-hooks', 'post-index-change'), `#!/bin/sh\necho hook >> "${mark}"\n`, {
    mode: 0o755,
  });
  // Another content of the same length: git has to look into the file to see whether it was changed.
  writeFileSync(join(folder, 'a.md'), 'two\n');
  return { folder, sprung: () => (existsSync(mark) ? readFileSync(mark, 'utf8') : '') };
}

it('the trap works: plain git runs the programs of the repository', () => {
  const { folder, sprung } = trapped();
  execFileSync('git', ['-C', folder, 'status', '--porcelain'], { stdio: 'ignore' });
  expect(sprung()).not.toBe('');
});

it.each<readonly [string, (folder: string) => Promise<unknown>]>([
  ['baton migrate lists files', listedByGit],
  ['baton migrate reads the history', (folder) => commitsOf(folder, new Set(['a.md']))],
  ['baton check lists what is tracked', (folder) => workingNames({ folder })],
  ['a document is looked up', (folder) => openGitTree(folder).authorOf('a.md', 'one\n')],
  [
    'a commit is shown as evidence',
    (folder) => checkCommit('HEAD', { handoff: { createdAt: 0, terms: DEFAULT_TERMS.queue }, options: { folder } }),
  ],
  [
    'a file is shown as evidence',
    (folder) => checkFile('a.md', { handoff: { createdAt: 0, terms: DEFAULT_TERMS.queue }, options: { folder } }),
  ],
  ['a session is described', gitStateOf],
  ['the runner looks at the working tree', (folder) => runGit(['diff-files', '-z', '--name-only'], { folder })],
])('nothing of a hostile repository is run when %s', async (_, look) => {
  const { folder, sprung } = trapped();
  await look(folder);
  expect(sprung()).toBe('');
});

it('what was changed is still seen without its filter', async () => {
  const { folder } = trapped();
  expect((await listedByGit(folder))?.modified).toEqual(new Set(['a.md']));
  expect((await gitStateOf(folder))?.dirty).toEqual([' M a.md']);
});

it('only one file starts git', () => {
  const found = execFileSync('grep', ['-rlE', "(spawn|execFile|spawnSync|execFileSync|program:)[( ]*'git'", 'src'])
    .toString()
    .trim();
  expect(found).toBe('src/foundation/git.ts');
});
