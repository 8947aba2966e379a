/** Real processes whose monotonic clock differs by a day: to them the wall clock was set (Linux time namespaces). */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { BATON, start, until } from '../support/processes.ts';
import { databases, makeWorkspace } from './workspaces.ts';

const DAY_SECONDS = 24 * 60 * 60;
const NAMESPACE = ['--time', '--fork', `--monotonic=${DAY_SECONDS}`];

describe.each(databases)('a wall clock that was set, on $name', (database) => {
  it('I19: a fresh process takes no claim by hand away after a jump, and does where there was none', async ({
    skip,
  }) => {
    if (spawnSync('unshare', [...NAMESPACE, 'true']).status !== 0)
      return skip('needs root and time namespaces (unshare)');
    const { folder, address, run, send } = await makeWorkspace(database);
    const stateOf = async (id: string): Promise<unknown> =>
      (JSON.parse((await run(['show', id, '--json'])).stdout) as { state: unknown }).state;
    const env = address.kind === 'postgres' ? { BATON_DATABASE: address.url } : {};
    const dayAhead = ['unshare', ...NAMESPACE, process.execPath, BATON, 'sync'] as const;
    const [program, ...args] = dayAhead;
    // Long before the claim somebody looked, when the monotonic clock said a day more for the same wall clock.
    expect(await start(program, args, { cwd: folder, env }).ended).toMatchObject({ code: 0 });
    const id = await send('react');
    const claimed = await run(['claim', 'react', '--lease', '1']);
    const { until: heldUntil } = JSON.parse(claimed.stdout) as { until: string };
    await until('its lease is over by the wall clock', () => Date.now() > Date.parse(heldUntil) + 1_000);
    expect(await run(['sync'])).toMatchObject({ code: 0 });
    expect(await stateOf(id)).toBe('accepted');
    await until('a whole lease has passed since the jump was seen', async () => {
      await run(['sync']);
      return (await stateOf(id)) === 'offered';
    });
  });
});
