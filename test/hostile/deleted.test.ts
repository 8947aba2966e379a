/** Somebody deletes the database under our feet: we stop and say so, and do not quietly begin a new one. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dutyPidOf, makeWorkspace, sqlite } from '../cli/workspaces.ts';
import { until, untilSays } from '../support/processes.ts';

const SAYS = 'was removed or replaced while in use';

describe('.baton deleted while in use', () => {
  it('I4: an idle worker stops, and makes nothing new', async () => {
    const { start, folder } = await makeWorkspace(sqlite);
    const worker = start(['work', '@react', '--', 'cat']);
    await untilSays(worker, 'working as @');
    rmSync(join(folder, '.baton'), { recursive: true });
    const { code, stdout, stderr } = await worker.ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`${join(folder, '.baton/baton.db')} ${SAYS}`);
    expect(readdirSync(folder)).toEqual(['baton.yaml']);
  });

  it('I4: a worker in the middle of an attempt does not say that its result was taken, and stops', async () => {
    const { start, send, folder } = await makeWorkspace(sqlite);
    const id = await send('@react');
    const command = 'touch began; while [ ! -e go ]; do sleep 0.02; done; echo 1';
    const worker = start(['work', '@react', '--', 'sh', '-c', command]);
    await until('the command has begun', () => existsSync(join(folder, 'began')));
    rmSync(join(folder, '.baton'), { recursive: true });
    writeFileSync(join(folder, 'go'), '');
    const { code, stderr } = await worker.ended;
    expect(code).toBe(1);
    expect(stderr).toContain(`${join(folder, '.baton/baton.db')} ${SAYS}`);
    expect(stderr).not.toContain(`${id} completed`);
    expect(readdirSync(folder)).not.toContain('.baton');
  });

  it('I4: one who waits is not left waiting for ever', async () => {
    const { start, send, folder, open } = await makeWorkspace(sqlite);
    const ctx = await open();
    const waiter = start(['wait', await send('@nobody')]);
    await until('it waits', async () => (await dutyPidOf(ctx)) === waiter.pid);
    rmSync(join(folder, '.baton'), { recursive: true });
    const { code, stdout, stderr } = await waiter.ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(SAYS);
  });

  it('I4: another database in its place is not written to', async () => {
    const { start, send, folder, run } = await makeWorkspace(sqlite);
    await send('@react');
    const command = 'touch began; while [ ! -e go ]; do sleep 0.02; done; echo 1';
    const worker = start(['work', '@react', '--', 'sh', '-c', command]);
    await until('the command has begun', () => existsSync(join(folder, 'began')));
    renameSync(join(folder, '.baton'), join(folder, 'old'));
    mkdirSync(join(folder, '.baton'));
    const other = await send('@other');
    writeFileSync(join(folder, 'go'), '');
    const { code, stderr } = await worker.ended;
    expect(code).toBe(1);
    expect(stderr).toContain(SAYS);
    expect((await run(['wait', other, '--timeout', '0'])).code).toBe(7);
  });
});
