import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  BATON,
  type Ended,
  markedProcesses,
  quickBaton,
  start,
  startBaton,
  tempFolder,
  until,
  untilSays,
} from '../support/processes.ts';
import { databases, dutyPidOf, makeWorkspace, sqlite, storyOf } from './workspaces.ts';

describe.each(databases)('interrupting baton on $name', (database) => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    '%s once: running work is finished, nothing new is taken, and the exit code is %d',
    async (signal, code) => {
      const { start: startIn, send, folder, open } = await makeWorkspace(database);
      const [first, second] = [await send('@react'), await send('@react')];
      const command = 'touch began; while [ ! -e go ]; do sleep 0.02; done; echo 1';
      const worker = startIn(['work', '@react', '--', 'sh', '-c', command]);
      await until('the command has begun', () => existsSync(join(folder, 'began')));
      worker.signal(signal);
      await untilSays(worker, 'stopping when the running work is done; press Ctrl-C again to release it now');
      writeFileSync(join(folder, 'go'), '');
      expect(await worker.ended).toMatchObject({ code, stdout: '' });
      const ctx = await open();
      expect((await ctx.store.load(first))?.handoff.state).toBe('completed');
      expect(await storyOf(ctx, second)).toEqual(['create by @me']);
    },
  );

  it('Ctrl-C twice: the command is ended, and its work given back without counting as an attempt', async () => {
    const { start: startIn, send, folder, open } = await makeWorkspace(database);
    const id = await send('@react');
    const worker = startIn(['work', '@react', '--', 'sh', '-c', 'touch began; sleep 600 & sleep 600']);
    await until('the command has begun', () => existsSync(join(folder, 'began')));
    worker.signal('SIGINT');
    await untilSays(worker, 'press Ctrl-C again to release it now');
    worker.signal('SIGINT');
    expect(await worker.ended).toMatchObject({ code: 130, stdout: '' });
    const ctx = await open();
    expect(await storyOf(ctx, id)).toEqual(['create by @me', 'accept by @react', 'release by @react']);
    expect((await ctx.store.load(id))?.handoff).toMatchObject({ state: 'offered', attempt: 1, excused: 1 });
    await until('nothing of the command is left', () => markedProcesses().length === 0);
  });

  it('Ctrl-C while waiting: the handoff goes on without us', async () => {
    const { start: startIn, send, open } = await makeWorkspace(database);
    const id = await send('@nobody');
    const ctx = await open();
    const waiter = startIn(['wait', id]);
    // Whoever waits stands by for the duty, after it has learnt to be interrupted.
    await until('it has the duty', async () => (await dutyPidOf(ctx)) === waiter.pid);
    waiter.signal('SIGINT');
    const ended = await waiter.ended;
    expect(ended).toMatchObject({ code: 130, stdout: '' });
    expect(ended.stderr).toBe(`stopped waiting; ${id} continues. Wait again with: baton wait ${id}\n`);
  });

  it('an idle worker ends at once', async () => {
    const { start: startIn } = await makeWorkspace(database);
    const worker = startIn(['work', '@react', '--', 'cat']);
    await untilSays(worker, 'working as @');
    worker.signal('SIGINT');
    const ended = await worker.ended;
    expect(ended).toMatchObject({ code: 130, stdout: '' });
    expect(ended.stderr.trim().split('\n').at(-1)).toBe('stopping');
  });
});

describe('a reader that has seen enough', () => {
  it('an answer that could not be written is no success, and is told in one line', async () => {
    const cwd = tempFolder();
    await quickBaton(['init'], { cwd });
    const send = async (option: string): Promise<Ended> => {
      const line = `"${process.execPath}" "$0" send --from me --to react ${option} >/dev/full`;
      return start('sh', ['-c', line, BATON], { cwd }).ended;
    };
    const { code, stderr } = await send('');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^baton: the answer could not be written \(.*ENOSPC.*\)\n$/);
    const told = await send('--json');
    expect(told.code).toBe(1);
    expect(JSON.parse(told.stderr)).toMatchObject({
      error: { code: 'fault', message: expect.stringContaining('ENOSPC') as string },
    });
  });

  it('I21: "baton demo | head -1" ends quietly and leaves nothing behind', async () => {
    const folder = tempFolder();
    const shell = start('sh', ['-c', `"${process.execPath}" "$0" demo 2> errors | head -1; cat errors >&2`, BATON], {
      cwd: folder,
      env: { TMPDIR: folder },
    });
    const { code, stderr } = await shell.ended;
    expect(code).toBe(0);
    expect(stderr).not.toContain('EPIPE');
    expect(readdirSync(folder)).toEqual(['errors']);
  });

  it('a worker whose events nobody reads any more does not crash with a stack', async () => {
    const { folder, send } = await makeWorkspace(sqlite);
    await send('@react');
    const worker = startBaton(['work', '@react', '--json', '--', 'cat'], { cwd: folder });
    worker.stopReading();
    const { stderr, code } = await worker.ended;
    expect([code, stderr]).toEqual([0, '']);
  });

  it('a worker whose reader has gone finishes what runs, and takes nothing more', async () => {
    const { folder, send, run } = await makeWorkspace(sqlite);
    const first = await send('react', { n: 1 });
    await send('react', { n: 2 });
    const third = await send('react', { n: 3 });
    const slowly = 'sleep 0.3; cat; sleep 0.3';
    const line = `"${process.execPath}" "$0" work react --json -- sh -c '${slowly}' 2>/dev/null | head -1`;
    const shell = start('sh', ['-c', line, BATON], { cwd: folder });
    await shell.ended;
    const stateOf = async (id: string): Promise<unknown> =>
      (JSON.parse((await run(['show', id, '--json'])).stdout) as { state: unknown }).state;
    expect([await stateOf(first), await stateOf(third)]).toEqual(['completed', 'offered']);
    expect((await run(['list', '--state', 'accepted'])).stdout).toBe('');
  });
});
