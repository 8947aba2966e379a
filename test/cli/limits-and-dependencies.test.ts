import { describe, expect, it } from 'vitest';
import { shortIdOf } from '../../src/domain/names.ts';
import { commandDatabases } from './command-databases.ts';
import { makeWorkspace } from './workspaces.ts';

const LIMITED = 'agents:\n  react: { limits: { incoming: 1 } }\n';

describe.each(commandDatabases)('a full recipient on $name', (database) => {
  it('D5, I15: --queue waits for a place, and gets it when one is free', async () => {
    const { run, send } = await makeWorkspace(database, LIMITED);
    const first = await send('react', { n: 1 });
    const refused = await run(['send', '--from', 'me', '--to', 'react']);
    expect(refused).toMatchObject({ code: 6, stdout: '' });
    const second = await send('react', { n: 2 }, ['--queue']);
    const third = await send('react', { n: 3 }, ['--queue']);
    const stateOf = async (id: string): Promise<unknown> =>
      (JSON.parse((await run(['show', id, '--json'])).stdout) as { state: unknown }).state;
    await run(['sync']);
    expect([await stateOf(first), await stateOf(second), await stateOf(third)]).toEqual([
      'offered',
      'blocked',
      'blocked',
    ]);
    await run(['cancel', first, '--as', 'operator']);
    expect(await run(['sync'])).toMatchObject({ code: 0 });
    expect([await stateOf(second), await stateOf(third)]).toEqual(['offered', 'blocked']);
  });

  it('Q9: what depends on another is blocked, also when it was a draft, and freed when that is completed', async () => {
    const { run, send } = await makeWorkspace(database);
    const needed = await send('react');
    const sent = await send('vue', {}, ['--depends', needed]);
    const draft = await run([
      'create',
      '--document',
      '--from',
      'me',
      '--to',
      'qa',
      '--title',
      'x',
      '--depends',
      needed,
    ]);
    const id = draft.stdout.trim();
    const activated = await run(['activate', id, '--as', 'me', '--json']);
    expect(JSON.parse(activated.stdout)).toMatchObject({ state: 'blocked', blockedOn: { reason: 'dependency' } });
    await run(['work', 'react', '--once', '--', 'cat']);
    await run(['sync']);
    for (const each of [sent, id]) {
      expect(JSON.parse((await run(['show', each, '--json'])).stdout)).toMatchObject({ state: 'offered' });
    }
  });

  it('Q11: retry makes a new handoff of a failed one, with other input, in the same chain', async () => {
    const { run, send } = await makeWorkspace(database);
    const old = await send('react', { n: 1 });
    await run(['claim', 'react']);
    const failed = await run([
      'fail',
      old,
      '--fence',
      '1',
      '--as',
      'react',
      '--code',
      'SCHEMA_VALIDATION_FAILED',
      '--message',
      'no n',
    ]);
    expect(failed).toMatchObject({ code: 0, stdout: `${old} failed\n` });
    const retried = await run(['retry', old, '--input', '{"n":2}', '--as', 'me']);
    const id = retried.stdout.trim();
    expect(JSON.parse((await run(['show', id, '--json'])).stdout)).toMatchObject({
      state: 'offered',
      retryOf: old,
      root: old,
      input: { n: 2 },
    });
    const { stdout } = await run(['trace', id]);
    expect(stdout).toMatch(
      new RegExp(
        `^${shortIdOf(old)}  @me → @react  failed[^\\n]*\\n└─ ${shortIdOf(id)}  @me → @react  offered .*retry of ${shortIdOf(old)}\\n$`,
      ),
    );
    const inbox = await run(['inbox', 'me']);
    expect(inbox.stdout).toContain(`failed  ${shortIdOf(old)}  @me → @react: no n`);
  });
});
