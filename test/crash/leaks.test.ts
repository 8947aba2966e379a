import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { sendMany } from '../../src/engine/handoffs/send.ts';
import { commandDatabases } from '../cli/command-databases.ts';
import { agentOf, makeWorkspace } from '../cli/workspaces.ts';
import { markedProcesses, until, untilSays } from '../support/processes.ts';

const HANDOFFS = 30;

describe.each(commandDatabases)('a worker that has run many commands, on $name', (database) => {
  it('I21: has no more descriptors, threads or children than before, and leaves no files', async () => {
    const { start, open, send, run, folder } = await makeWorkspace(database);
    const ctx = await open();
    const worker = start(['work', '@react', '--concurrency', '4', '--', 'sh', '-c', 'echo said >&2; cat']);
    await untilSays(worker, 'working as @');
    // The first ones make what is then kept: connections, bells, the thread that beats.
    const warm = await Promise.all(Array.from({ length: 4 }, () => send('@react')));
    for (const id of warm) expect(await run(['wait', id, '--timeout', '30'])).toMatchObject({ code: 0 });
    const before = await settledCounts(worker.pid);
    const files = readdirSync(folder, { recursive: true }).length;

    const from = agentOf('me');
    const request = { from, to: agentOf('react'), input: { text: 'x'.repeat(20_000) } };
    const sent = await sendMany(
      ctx,
      agentPrincipal(from),
      Array.from({ length: HANDOFFS }, () => request),
    );
    expect(sent.ok).toBe(true);
    await until('all are done', async () => {
      const { items } = await ctx.store.find({ by: 'filter', states: ['offered', 'accepted'], max: 1 });
      return items.length === 0;
    });
    expect(await settledCounts(worker.pid)).toEqual(before);
    expect(readdirSync(folder, { recursive: true })).toHaveLength(files);

    /** When no command of the worker is left. */
    async function settledCounts(pid: number): Promise<{ descriptors: number; threads: number }> {
      await until(
        'no command is left',
        () => !markedProcesses().some(({ command }) => command.includes('echo said >&2') && !command.includes('baton')),
      );
      // A pipe of the last command may be closed a moment later than the command ends.
      let last = '';
      return until('its descriptors do not change any more', () => {
        const counts = countsOf(pid);
        const isSame = JSON.stringify(counts) === last;
        last = JSON.stringify(counts);
        return isSame ? counts : null;
      });
    }
  });
});

function countsOf(pid: number): { readonly descriptors: number; readonly threads: number } {
  return { descriptors: readdirSync(`/proc/${pid}/fd`).length, threads: readdirSync(`/proc/${pid}/task`).length };
}
