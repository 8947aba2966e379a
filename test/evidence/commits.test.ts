import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { tempFolder } from '../support/processes.ts';
import { deskIn, type DeskUnderTest } from './evidence-world.ts';

describe('a commit as evidence', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it('D7: is kept by its full id, whatever it was called', async () => {
    const { desk, git, folder } = repository();
    const head = git('rev-parse', 'HEAD');
    git('tag', '-a', 'v1', '-m', 'one');
    git('branch', 'feature/x');
    for (const name of ['HEAD', head, head.slice(0, 10), 'v1', 'feature/x', 'v1^0', ` ${head}\n`]) {
      const { check, claim } = await desk.show('commit', name);
      expect(check).toMatchObject({ verdict: 'true' });
      expect(claim.evidence).toEqual([{ kind: 'commit', commit: head }]);
      expect(await desk.again(claim)).toMatchObject({ verdict: 'true' });
    }
    mkdirSync(join(folder, 'deeper'));
    expect((await deskIn(join(folder, 'deeper')).show('commit', 'HEAD')).check.verdict).toBe('true');
  });

  it('D7: is false when there is no such commit, also for a file or a tree of that name', async () => {
    const { desk, git } = repository();
    for (const name of ['0'.repeat(40), 'f'.repeat(64), 'no-such-branch', git('rev-parse', 'HEAD^{tree}')]) {
      const { check, claim } = await desk.show('commit', name);
      expect(check).toMatchObject({ verdict: 'false', says: expect.stringMatching(/there is no commit/) as unknown });
      expect(claim.evidence).toEqual([]);
    }
  });

  it('D7: is false when it has been taken out of the repository since', async () => {
    const { desk, git, folder } = repository();
    const { claim } = await desk.show('commit', 'HEAD');
    const head = git('rev-parse', 'HEAD');
    rmSync(join(folder, '.git', 'objects', head.slice(0, 2), head.slice(2)));
    expect(await desk.again(claim)).toMatchObject({
      verdict: 'false',
      says: expect.stringMatching(/but now/) as unknown,
    });
  });

  it.each(['--help', '-h', '--output=pwned', '--git-dir=/', ':/first', 'HEAD:file', 'HEAD..HEAD', 'a b', '', '$(id)'])(
    'never hands %j to git as anything but a name',
    async (name) => {
      const { desk, folder } = repository();
      expect((await desk.show('commit', name)).check).toMatchObject({
        verdict: 'false',
        says: expect.stringMatching(/is not the name of a commit/) as unknown,
      });
      expect(existsSync(join(folder, 'pwned'))).toBe(false);
    },
  );

  it('is false outside a repository, with what to do', async () => {
    expect((await deskIn().show('commit', 'HEAD')).check).toMatchObject({
      verdict: 'false',
      says: expect.stringMatching(/in no git repository/) as unknown,
    });
  });

  it('is false where there is no git', async () => {
    const { desk } = repository();
    vi.stubEnv('PATH', tempFolder());
    expect((await desk.show('commit', 'HEAD')).check).toMatchObject({
      verdict: 'false',
      says: expect.stringMatching(/git could not be started \(ENOENT\)/) as unknown,
    });
  });

  it('is looked up here, whatever repository our own environment names', async () => {
    const { desk } = repository();
    vi.stubEnv('GIT_DIR', join(tempFolder(), 'nowhere'));
    expect((await desk.show('commit', 'HEAD')).check.verdict).toBe('true');
  });
});

function repository(): { desk: DeskUnderTest; folder: string; git: (...args: readonly string[]) => string } {
  const folder = tempFolder();
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test', '-c', 'commit.gpgsign=false'];
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', folder, ...identity, ...args], { encoding: 'utf8' }).trim();
  git('init', '--quiet');
  const desk = deskIn(folder);
  desk.write('file', 'content');
  git('add', 'file');
  git('commit', '--quiet', '-m', 'first');
  return { desk, folder, git };
}
