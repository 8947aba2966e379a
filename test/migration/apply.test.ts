import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { quickBaton, tempFolder } from '../support/processes.ts';

const OPEN = '# Handoff: water\n\n**From:** ivy\n**To:** basil\n**Status:** open\n**Created:** 2026-03-04\n';
const FILES = {
  'a/handoffs/handoff-water-20260304.md': OPEN,
  'a/handoffs/handoff-prune-20260305.md': OPEN.replace('water', 'prune').replace('open', 'done'),
  'a/handoffs/handoff-review-20260306.md': OPEN.replace('water', 'review').replace('open', 'ready for review'),
  'a/handoffs/done/handoff-hose-20260307.md': OPEN.replace('water', 'hose').replace('ivy', 'fern'),
  'docs/handoff-format.md': OPEN,
  'deploy/handoff.yaml': 'kind: Service\nmetadata: { name: handoff }\nspec: { from: ivy, to: basil }\n',
  'notes.txt': 'nothing\n',
};
const DONE = '_handoffs/archived';

describe('D14: --apply and --undo', () => {
  it('makes one commit that passes baton check, and --undo puts everything back', async () => {
    const folder = await repository(FILES);
    const before = treeOf(folder, 'HEAD');
    const applied = await json(folder, ['migrate', '--apply']);
    expect(applied['applied']).toMatchObject({ migrated: 4, cleared: 4, left: [] });
    expect(git(folder, 'status', '--porcelain')).toBe('');
    expect(git(folder, 'rev-list', '--count', 'HEAD').trim()).toBe('2');
    for (const kept of ['docs/handoff-format.md', 'deploy/handoff.yaml', 'notes.txt'])
      expect(existsSync(join(folder, kept))).toBe(true);
    expect(existsSync(join(folder, 'a'))).toBe(false);
    expect(await quickBaton(['check'], { cwd: folder })).toMatchObject({ code: 0 });
    expect(await quickBaton(['check', '--since', 'HEAD~1'], { cwd: folder })).toMatchObject({ code: 0 });

    expect(await json(folder, ['migrate', '--undo'])).toMatchObject({
      reverted: git(folder, 'rev-parse', 'HEAD~1').trim(),
    });
    expect(treeOf(folder, 'HEAD')).toBe(before);
    expect(git(folder, 'status', '--porcelain')).toBe('');
    for (const [path, text] of Object.entries(FILES)) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
    const again = await quickBaton(['migrate', '--undo'], { cwd: folder });
    expect(again).toMatchObject({ code: 5 });
    expect(again.stderr).toContain('there is no migration to undo');
  });

  it('closed stays closed, and a review status invents no acknowledgement', async () => {
    const folder = await repository(FILES);
    const { steps } = await json(folder, ['migrate', '--apply']);
    const written = new Map(
      (steps as { document: string; title: string }[]).map(({ title, document }) => [title, document] as const),
    );
    expect(written.get('hose')).toContain(DONE);
    expect(written.get('prune')).toContain(DONE);
    expect(textOf(folder, written.get('prune'))).toContain('imported: "true"');
    const review = textOf(folder, written.get('review'));
    expect(review).toContain('status: Active');
    expect(review).not.toContain('acknowledged_by: basil');
  });

  it('is refused on a tree with changes, and done on a new branch beside them', async () => {
    const folder = await repository(FILES);
    writeFileSync(join(folder, 'notes.txt'), 'changed\n');
    const refused = await quickBaton(['migrate', '--apply'], { cwd: folder });
    expect(refused).toMatchObject({ code: 5 });
    expect(refused.stderr).toContain('use --branch NAME');
    expect(existsSync(join(folder, 'a/handoffs/handoff-water-20260304.md'))).toBe(true);

    const main = git(folder, 'symbolic-ref', '--short', 'HEAD').trim();
    expect((await json(folder, ['migrate', '--apply', '--branch', 'old-handoffs']))['applied']).toMatchObject({
      migrated: 4,
    });
    expect(git(folder, 'symbolic-ref', '--short', 'HEAD').trim()).toBe('old-handoffs');
    expect(git(folder, 'status', '--porcelain')).toBe(' M notes.txt\n');
    expect(git(folder, 'diff', '--name-only', main, 'HEAD')).not.toContain('notes.txt');
  });

  it('leaves what is not committed, because git could not bring it back', async () => {
    const folder = await repository({ 'notes.txt': 'nothing\n' });
    put(folder, { 'handoffs/handoff-water-20260304.md': OPEN });
    const { applied } = await json(folder, ['migrate', '--apply']);
    expect(applied).toMatchObject({
      migrated: 0,
      left: [{ path: 'handoffs/handoff-water-20260304.md' }],
      commit: null,
    });
    expect(readFileSync(join(folder, 'handoffs/handoff-water-20260304.md'), 'utf8')).toBe(OPEN);
  });

  it('--undo touches nothing when a migrated document was changed since', async () => {
    const folder = await repository(FILES);
    const { steps } = await json(folder, ['migrate', '--apply']);
    const path = (steps as { document: string }[])[0]?.document ?? '';
    writeFileSync(join(folder, path), `${textOf(folder, path)}More.\n`);
    git(folder, 'commit', '-qam', 'more');
    const refused = await quickBaton(['migrate', '--undo'], { cwd: folder });
    expect(refused).toMatchObject({ code: 5 });
    expect(refused.stderr).toContain('git revert');
    expect(existsSync(join(folder, path))).toBe(true);
  });
});

async function repository(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = tempFolder();
  git(folder, 'init', '-q');
  expect(await quickBaton(['init'], { cwd: folder })).toMatchObject({ code: 0 });
  put(folder, files);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'all');
  return folder;
}

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

async function json(folder: string, args: readonly string[]): Promise<Record<string, unknown>> {
  const ended = await quickBaton([...args, '--json'], { cwd: folder });
  expect(ended).toMatchObject({ code: 0 });
  return JSON.parse(ended.stdout) as Record<string, unknown>;
}

function git(folder: string, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  return execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
}

function treeOf(folder: string, commit: string): string {
  return git(folder, 'rev-parse', `${commit}^{tree}`);
}

function textOf(folder: string, path: string | undefined): string {
  return readFileSync(join(folder, path ?? ''), 'utf8');
}
