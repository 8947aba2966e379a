/** A worker whose heartbeat thread cannot run. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { factsOf, makeWorkspace, sqlite } from '../cli/workspaces.ts';
import { until } from '../support/processes.ts';
import { usePrograms } from './built-programs.ts';

/** It breaks at its start, or when a file says so. */
const broken = usePrograms([new URL('./programs/command.ts', import.meta.url)], {
  file: /heartbeat-thread\.ts$/,
  replace: 'const order = workerData as HeartbeatOptions;',
  by: `const order = workerData as HeartbeatOptions;
    const { existsSync } = await import('node:fs');
    if (process.env['BREAK'] === 'at once') throw new Error('no thread today');
    setInterval(() => { if (existsSync(process.env['BREAK'] ?? '')) throw new Error('out of memory'); }, 20);`,
});

it('says so and ends with 1, instead of opening one session after the other', async () => {
  const workspace = await makeWorkspace(sqlite);
  const id = await workspace.send('@react');
  const options = { cwd: workspace.folder, env: { BREAK: 'at once' } };
  const worked = await broken.start('command', ['work', '@react', '--', 'cat'], options).ended;
  expect(worked).toMatchObject({ code: 1, stdout: '' });
  expect(worked.stderr).toContain('baton: the heartbeat thread does not run (no thread today)');
  const ctx = await workspace.open();
  expect(await ctx.store.sessions.list()).toEqual([]);
  expect((await factsOf(ctx, id)).map(({ deed }) => deed)).toEqual(['create']);
});

it('I13: a worker that loses its thread gives back what it holds, uncounted, and ends with 1', async () => {
  const workspace = await makeWorkspace(sqlite);
  const id = await workspace.send('@react');
  const [breaks, began] = [join(workspace.folder, 'breaks'), join(workspace.folder, 'began')];
  const worker = broken.start('command', ['work', '@react', '--', 'sh', '-c', 'touch began; exec sleep 60'], {
    cwd: workspace.folder,
    env: { BREAK: breaks },
  });
  await until('the command has begun', () => existsSync(began));
  writeFileSync(breaks, '');
  const worked = await worker.ended;
  expect(worked).toMatchObject({ code: 1, stdout: '' });
  expect(worked.stderr).toContain('baton: the heartbeat thread does not run (out of memory)');
  const ctx = await workspace.open();
  const facts = await factsOf(ctx, id);
  expect(facts.map(({ deed, by }) => `${deed} by ${by}`)).toEqual([
    'create by @me',
    'accept by @react',
    'release by @react',
  ]);
  expect(await ctx.store.sessions.list()).toEqual([]);
});
