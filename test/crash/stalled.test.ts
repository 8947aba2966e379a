import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databases, dutyPidOf, factsOf, jsonLines, makeWorkspace, storyOf } from '../cli/workspaces.ts';
import { until, untilSays } from '../support/processes.ts';
import { stopWithoutLock } from '../support/stopping.ts';
import { usePrograms } from './built-programs.ts';
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

const LEASE_MS = 1_000;
/** A busy machine lets a beat come late by seconds. */
const BEATEN_LEASE_MS = 5_000;
const SHORT_LEASE = `lease_seconds: ${LEASE_MS / 1000}\n`;
const programs = usePrograms([
  new URL('./programs/busy-worker.ts', import.meta.url),
  new URL('./programs/late.ts', import.meta.url),
]);

describe.each(databases)('a worker that stands still, on $name', (database) => {
  it('I6, I14: one that is stopped past its lease loses the handoff; its late result is refused with 9', async () => {
    const workspace = await makeWorkspace(database, SHORT_LEASE);
    const ctx = await workspace.open();
    const id = await workspace.send('@react');
    const command = 'touch began; while [ ! -e go ]; do sleep 0.02; done; echo \'"first"\'';
    const first = workspace.start(['work', '@react', '--once', '--', 'sh', '-c', command]);
    await until('the command has begun', () => existsSync(join(workspace.folder, 'began')));
    await stopWithoutLock(first, workspace.address);
    // The command goes on and has its answer ready when the worker wakes.
    writeFileSync(join(workspace.folder, 'go'), '');

    const second = await workspace.run(['work', '@react', '--once', '--', 'echo', '"second"']);
    expect(second.code).toBe(0);
    first.signal('SIGCONT');
    const late = await first.ended;
    expect(late).toMatchObject({ code: 9, stdout: '' });
    expect(late.stderr).toMatch(/no heartbeat for too long|no longer yours/);

    expect(await workspace.run(['wait', id])).toMatchObject({ code: 0, stdout: '"second"\n' });
    const facts = await factsOf(ctx, id);
    expect(facts.map((fact) => `${fact.deed} ${fact.fence}`)).toEqual([
      'create 0',
      'accept 1',
      'release 1',
      'accept 2',
      'deliver 2',
      'complete 2',
    ]);
    const [, accepted, released] = facts;
    const silentMs = (released?.at ?? 0) - (accepted?.at ?? 0);
    console.log(`taken from a stopped worker after ${silentMs} ms, with a lease of ${LEASE_MS} ms`);
    expect(silentMs).toBeGreaterThanOrEqual(LEASE_MS);
  });

  it('I6: a result with an old fence is refused even while the next attempt is still running', async () => {
    const { address, start, send, run, folder } = await makeWorkspace(database, SHORT_LEASE);
    const id = await send('@react');
    const late = programs.start('late', { database: address, agent: 'react' }, { input: 'open' });
    await untilSays(late, 'ready');
    const command = 'touch began; while [ ! -e go ]; do sleep 0.02; done; echo \'"second"\'';
    const second = start(['work', '@react', '--once', '--', 'sh', '-c', command]);
    await until('the second attempt runs', () => existsSync(join(folder, 'began'))).catch(async (error: unknown) => {
      const [{ stdout: doctor }, { stdout: shown }] = [await run(['doctor']), await run(['show', id, '--json'])];
      throw new Error(`the second worker said "${second.stderr()}"; ${doctor}; ${shown}`, { cause: error });
    });
    late.say('0\n');
    const { stdout } = await late.ended;
    const refused = { code: 'lease-lost', id, fence: 1, state: 'accepted', newest: 2 };
    expect(jsonLines(stdout).at(-1)).toEqual({ refused });
    writeFileSync(join(folder, 'go'), '');
    expect(await second.ended).toMatchObject({ code: 0 });
    expect(await run(['wait', id])).toMatchObject({ code: 0, stdout: '"second"\n' });
  });

  it('I14: a stopped worker that wakes without having lost anything goes on', async () => {
    const workspace = await makeWorkspace(database);
    const id = await workspace.send('@react');
    const command = 'touch began; while [ ! -e go ]; do sleep 0.02; done; echo 1';
    const worker = workspace.start(['work', '@react', '--once', '--', 'sh', '-c', command]);
    await until('the command has begun', () => existsSync(join(workspace.folder, 'began')));
    await stopWithoutLock(worker, workspace.address);
    writeFileSync(join(workspace.folder, 'go'), '');
    worker.signal('SIGCONT');
    expect(await worker.ended).toMatchObject({ code: 0 });
    expect(await workspace.run(['wait', id])).toMatchObject({ code: 0, stdout: '1\n' });
  });

  it('I14: one whose handler blocks its event loop for longer than its lease keeps its handoff, because its thread beats', async () => {
    const workspace = await makeWorkspace(database, `lease_seconds: ${BEATEN_LEASE_MS / 1000}\n`);
    const ctx = await workspace.open();
    const id = await workspace.send('@react');
    const rival = workspace.start(['work', '@other', '--', 'cat']);
    await untilSays(rival, 'working as @');
    await until('the rival has the duty', async () => (await dutyPidOf(ctx)) === rival.pid);
    const order = {
      database: workspace.address,
      agent: 'react',
      busyMs: 1.5 * BEATEN_LEASE_MS,
      leaseMs: BEATEN_LEASE_MS,
    };
    const busy = await programs.start('busy-worker', order).ended;
    expect(busy).toMatchObject({ code: 0, stderr: '' });
    expect(jsonLines(busy.stdout)).toEqual([{ begun: 1 }, { ended: 1 }, { attempts: 1, refused: 0 }]);
    expect(await storyOf(ctx, id)).toEqual([
      'create by @me',
      'accept by @react',
      'deliver by @react',
      'complete by system',
    ]);
    expect((await ctx.store.load(id))?.handoff).toMatchObject({ state: 'completed', fence: 1 });
    expect(rival.stderr()).not.toContain('taken back');
  });
});
