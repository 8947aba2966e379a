import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isAlive, tempFolder, until } from '../support/processes.ts';
import { ASKED, deskIn } from './evidence-world.ts';

describe('a command as evidence', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it('D7: is run in the workspace, and kept with its exit code and the hash of its output', async () => {
    const { folder, show, again } = deskIn();
    const { check, claim } = await show('command', 'pwd > where; echo out; echo err >&2');
    expect(check).toMatchObject({ verdict: 'true' });
    expect(claim.evidence).toMatchObject([
      { exitCode: 0, outputSha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown },
    ]);
    expect(readFileSync(join(folder, 'where'), 'utf8').trim()).toBe(folder);
    expect(await again(claim)).toMatchObject({
      verdict: 'true',
      says: expect.stringMatching(/the same output/) as unknown,
    });
  });

  it('D7: is false when it fails, and tells its last words', async () => {
    const { check, claim } = await deskIn().show('command', 'echo "2 tests failed" >&2; exit 7');
    expect(check).toMatchObject({
      verdict: 'false',
      says: expect.stringMatching(/exit code 7; it says: 2 tests failed/) as unknown,
    });
    expect(claim.evidence).toEqual([]);
  });

  it('D7: that passed and now fails is false', async () => {
    const { folder, write, show, again } = deskIn();
    write('built', '');
    const { claim } = await show('command', 'test -e built');
    rmSync(join(folder, 'built'));
    expect(await again(claim)).toMatchObject({
      verdict: 'false',
      says: expect.stringMatching(/passed when.*but now/) as unknown,
    });
  });

  it('D7: with another output is still true, and says so', async () => {
    const { write, show, again } = deskIn();
    write('count', '1');
    const { claim } = await show('command', 'cat count');
    write('count', '2');
    expect(await again(claim)).toMatchObject({
      verdict: 'true',
      says: expect.stringMatching(/another output/) as unknown,
    });
  });

  it('is not run where the workspace does not allow it, on both looks, and says how to allow it', async () => {
    const { folder, show, again } = deskIn(tempFolder(), 'refused');
    const { check } = await show('command', 'touch ran');
    expect(check).toMatchObject({
      verdict: 'false',
      says: expect.stringContaining('evidence: { commands: sandbox }') as unknown,
    });
    const claimed = { kind: 'command', command: 'touch ran', exitCode: 0, outputSha256: '' } as const;
    expect(await again({ deliverable: 'it', evidence: [claimed] })).toMatchObject({ verdict: 'false' });
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  it('sees nothing of our environment but four variables, and no input', async () => {
    vi.stubEnv('BATON_SECRET', 'hunter2');
    const { folder, show } = deskIn();
    expect((await show('command', 'env > env; cat > input')).check.verdict).toBe('true');
    const names = readFileSync(join(folder, 'env'), 'utf8').match(/^\w+(?==)/gm) ?? [];
    // The shell adds the last three by itself.
    expect(names.filter((name) => !['PATH', 'HOME', 'LANG', 'TMPDIR', 'PWD', 'SHLVL', '_'].includes(name))).toEqual([]);
    expect(readFileSync(join(folder, 'input'), 'utf8')).toBe('');
  });

  it('ends with its children, even if one keeps the pipe open', async () => {
    const { folder, show } = deskIn();
    const { check } = await show('command', 'sleep 600 & echo $! > child; echo done');
    expect(check).toMatchObject({ verdict: 'true' });
    const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
    await until('the child has ended', () => !isAlive(child));
  });

  it('does not wait for a child that has left its group with the pipe', async () => {
    const { folder, show } = deskIn();
    const { check } = await show(
      'command',
      'setsid sh -c "echo \\$\\$ > child; exec sleep 600" & until [ -s child ]; do :; done',
    );
    const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
    expect(check).toMatchObject({ verdict: 'true' });
    process.kill(child, 'SIGKILL');
  });

  it('is ended, with its children, when its time is up', async () => {
    const { folder, show } = deskIn(tempFolder(), 'allowed', 300);
    const { check } = await show('command', 'trap "" TERM; echo $$ > self; sleep 600 & wait');
    expect(check).toMatchObject({
      verdict: 'false',
      says: expect.stringMatching(/did not end within 300 ms/) as unknown,
    });
    expect(isAlive(Number(readFileSync(join(folder, 'self'), 'utf8')))).toBe(false);
  });

  it('is ended when it says more than anybody keeps', async () => {
    const { check } = await deskIn().show('command', 'yes');
    expect(check).toMatchObject({ verdict: 'false', says: expect.stringMatching(/says too much/) as unknown });
  });

  it('is ended when nobody wants to know any more', async () => {
    const { folder, desk } = deskIn();
    const giveUp = new AbortController();
    const looking = desk.collect(
      [{ deliverable: 'it', kind: 'command', value: 'echo $$ > self; exec sleep 600' }],
      ASKED,
      giveUp.signal,
    );
    const end = looking.catch((error: unknown) => error);
    const pid = await until(
      'it runs',
      () => existsSync(join(folder, 'self')) && Number(readFileSync(join(folder, 'self'))),
    );
    giveUp.abort();
    expect(await end).toMatchObject({ name: 'AbortError' });
    expect(isAlive(pid)).toBe(false);
  });

  it.each(['', '   ', 'x'.repeat(10_000), 'echo \0', 'no-such-program-anywhere', 'kill -9 $$', '('])(
    'is false for %j',
    async (command) => {
      expect((await deskIn().show('command', command)).check.verdict).toBe('false');
    },
  );

  it('cannot be started where the folder is gone, and that is false too', async () => {
    const { folder, show } = deskIn();
    rmSync(folder, { recursive: true });
    expect((await show('command', 'true')).check).toMatchObject({
      verdict: 'false',
      says: expect.stringMatching(/could not be started/) as unknown,
    });
  });
});
