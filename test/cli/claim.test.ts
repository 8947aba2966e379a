import { describe, expect, it } from 'vitest';
import { shortIdOf } from '../../src/domain/names.ts';
import { commandDatabases } from './command-databases.ts';
import { makeWorkspace, storyOf } from './workspaces.ts';

describe.each(commandDatabases)('by hand on $name', (database) => {
  it('claim of nothing answers 3 at once, and 7 after waiting; it never stays', async () => {
    const { run } = await makeWorkspace(database);
    expect(await run(['claim', 'react'])).toMatchObject({ code: 3, stdout: '' });
    expect(await run(['claim', 'react', '--wait', '0.2'])).toMatchObject({ code: 7, stdout: '' });
  });

  it('claim of a paused agent says so, and how to resume it', async () => {
    const { run, send } = await makeWorkspace(database);
    await send('react');
    expect(await run(['pause', 'react', '--as', 'operator'])).toMatchObject({ code: 0 });
    for (const wait of [[], ['--wait', '0.2']]) {
      const { code, stderr } = await run(['claim', 'react', ...wait]);
      expect([code, stderr]).toEqual([wait.length === 0 ? 3 : 7, expect.stringContaining('baton resume @react')]);
    }
    expect(await run(['resume', 'react', '--as', 'operator'])).toMatchObject({ code: 0 });
    expect(await run(['claim', 'react'])).toMatchObject({ code: 0 });
  });

  it('Q4: claim takes the next one, renew keeps it, release gives it back, deliver settles with the fence', async () => {
    const workspace = await makeWorkspace(database);
    const { run, send } = workspace;
    const waiting = run(['claim', 'react', '--wait', '30']);
    const id = await send('react', { n: 1 });
    const claimed = JSON.parse((await waiting).stdout) as { id: string; fence: number; input: unknown };
    expect(claimed).toMatchObject({ id, fence: 1, state: 'accepted', input: { n: 1 }, heldBy: '@react' });
    expect(await run(['claim', 'react'])).toMatchObject({ code: 3 });
    expect(await run(['claim', 'react', '--as', 'vue'])).toMatchObject({ code: 4 });
    expect(await run(['renew', id, '--fence', '1', '--lease', '60', '--as', 'react'])).toMatchObject({ code: 0 });
    expect(await run(['release', id, '--fence', '1', '--as', 'react'])).toMatchObject({ code: 0 });
    expect(await run(['accept', id, '--as', 'react'])).toMatchObject({ code: 0, stdout: `${id} accepted (fence 2)\n` });
    const late = await run(['deliver', id, '--fence', '1', '--as', 'react']);
    expect(late).toMatchObject({ code: 9, stdout: '' });
    const asked = await run(['block', id, '--fence', '2', '--question', 'which colour?', '--as', 'react']);
    expect(asked).toMatchObject({ code: 0, stdout: `${id} blocked\n` });
    expect((await run(['inbox', 'me', '--clear'])).stdout).toContain(
      `question  ${shortIdOf(id)}  @me → @react: which colour?`,
    );
    expect((await run(['inbox', 'me'])).stdout).toBe('');
    expect(await run(['unblock', id, '--answer', 'blue', '--as', 'me'])).toMatchObject({ code: 0 });
    expect(await run(['accept', id, '--as', 'react'])).toMatchObject({ code: 0 });
    const settled = await run(['deliver', id, '--fence', '3', '--artifact', '{"n":2}', '--as', 'react']);
    expect(settled).toMatchObject({ code: 0 });
    expect(await run(['wait', id])).toMatchObject({ code: 0, stdout: '{\n  "n": 2\n}\n' });
    expect(await storyOf(await workspace.open(), id)).toEqual([
      'create by @me',
      'accept by @react',
      'renew by @react',
      'release by @react',
      'accept by @react',
      'block by @react',
      'unblock by @me',
      'accept by @react',
      'deliver by @react',
      'complete by system',
    ]);
  });

  it('I6: an earlier holder cannot settle what somebody else has claimed, with an old fence or without one', async () => {
    const { run, send } = await makeWorkspace(database);
    const id = await send('react', { n: 1 });
    expect(await run(['claim', 'react'])).toMatchObject({ code: 0 });
    expect(await run(['release', id, '--fence', '1', '--as', 'react'])).toMatchObject({ code: 0 });
    expect(await run(['claim', 'react'])).toMatchObject({ code: 0 });
    const asReact = ['--as', 'react'];
    const moves: readonly (readonly string[])[] = [
      ['deliver', id, '--artifact', '"stale"', ...asReact],
      ['fail', id, '--code', 'X', '--message', 'stale', ...asReact],
      ['release', id, ...asReact],
      ['renew', id, ...asReact],
      ['progress', id, '--at', '0.5', ...asReact],
      ['block', id, '--question', 'why?', ...asReact],
      ['reject', id, '--type', 'unclear', '--reason', 'stale', ...asReact],
    ];
    for (const move of moves) {
      const without = await run(move);
      expect([move[0], without.code, without.stdout]).toEqual([move[0], 9, '']);
      expect(without.stderr).toMatch(/needs the fence of your acceptance.*--fence.*baton claim/s);
      const old = await run([...move, '--fence', '1']);
      expect([move[0], old.code]).toEqual([move[0], 9]);
    }
    const mine = await run(['deliver', id, '--artifact', '"right"', '--as', 'react'], {
      env: { BATON_HANDOFF_ID: id, BATON_FENCE: '2' },
    });
    expect(mine).toMatchObject({ code: 0 });
    expect(await run(['wait', id])).toMatchObject({ code: 0, stdout: '"right"\n' });
  });

  it('says until when it is held: the end of the lease or of the attempt, whichever comes first', async () => {
    const { run, send } = await makeWorkspace(database);
    const heldMs = async (args: readonly string[]): Promise<number> => {
      const { stdout } = await run([...args, '--json']);
      const { since, until } = JSON.parse(stdout) as { since: string; until: string };
      return Date.parse(until) - Date.parse(since);
    };
    await send('react');
    expect(await heldMs(['claim', 'react'])).toBe(300_000);
    await send('react');
    expect(await heldMs(['claim', 'react', '--lease', '60'])).toBe(60_000);
    const long = await send('react', {}, ['--timeout', '7200']);
    expect(await heldMs(['accept', long, '--as', 'react'])).toBe(900_000);
    const id = await send('react');
    const accepted = await run(['accept', id, '--as', 'react']);
    expect(accepted.stdout).toBe(`${id} accepted (fence 1)\n`);
    expect(accepted.stderr).toMatch(/^held until 20[0-9T:.-]+Z\n$/);
  });

  it('reject, cancel and list by words, task, agent and state', async () => {
    const { run, send } = await makeWorkspace(database);
    const wood = await send('react', { material: 'Holzkohle' }, ['--task', 'T-1', '--title', 'Grill']);
    const iron = await send('vue', { material: 'iron' }, ['--task', 'T-2', '--priority', 'low']);
    const why = ['--type', 'skill_gap', '--reason', 'no fire here'];
    expect(await run(['reject', wood, ...why, '--as', 'react'])).toMatchObject({
      code: 0,
      stdout: `${wood} rejected\n`,
    });
    expect(await run(['cancel', iron, '--as', 'vue'])).toMatchObject({ code: 4 });
    expect(await run(['cancel', iron, '--as', 'me', '--reason', 'rain'])).toMatchObject({ code: 0 });
    const ids = async (...args: readonly string[]): Promise<readonly string[]> => {
      const listed = JSON.parse((await run(['list', '--json', ...args])).stdout) as { items: { id: string }[] };
      return listed.items.map((item) => item.id);
    };
    expect(await ids('--text', 'holzkohle grill')).toEqual([wood]);
    expect(await ids('--text', 'holzkohle iron')).toEqual([]);
    expect(await ids('--task', 'T-2')).toEqual([iron]);
    expect(await ids('--agent', '@me')).toEqual([iron, wood]);
    expect(await ids('--state', 'rejected')).toEqual([wood]);
    expect(await ids('--state', 'open')).toEqual([]);
    const first = JSON.parse((await run(['list', '--json', '--limit', '1'])).stdout) as { next: string };
    expect(await ids('--limit', '1', '--after', first.next)).toEqual([wood]);
    const shown = await run(['wait', wood, '--json']);
    expect(shown.code).toBe(8);
    expect(JSON.parse(shown.stdout)).toMatchObject({ failure: { code: 'REJECTED', message: 'no fire here' } });
  });
});
