import { describe, expect, it } from 'vitest';
import { databases, makeWorkspace, sqlite } from './workspaces.ts';

const STRICT = 'identity: strict\nagents:\n  qa: { roles: [verifier] }\n';

describe.each(databases)('a strict workspace on $name', (database) => {
  it('lets nobody move a handoff without the token of the one they say they are', async () => {
    const { run } = await makeWorkspace(database, STRICT);
    const first = await run(['token', 'new', '--operator']);
    expect(first).toMatchObject({ code: 0 });
    const operator = { env: { BATON_TOKEN: first.stdout.trim() } };
    expect(await run(['token', 'new', '--for', 'dev'])).toMatchObject({ code: 4, stdout: '' });
    const tokenOf = async (agent: string, ...more: readonly string[]): Promise<{ env: Record<string, string> }> => {
      const made = await run(['token', 'new', '--for', agent, ...more], operator);
      expect(made).toMatchObject({ code: 0 });
      return { env: { BATON_TOKEN: made.stdout.trim() } };
    };
    const [pm, dev, again, qa] = [await tokenOf('pm'), await tokenOf('dev'), await tokenOf('dev'), await tokenOf('qa')];
    const send = ['send', '--from', 'pm', '--to', 'dev', '--verifier', 'qa'];

    expect(await run(send)).toMatchObject({ code: 4, stderr: expect.stringContaining('BATON_TOKEN') as string });
    expect(await run(send, dev)).toMatchObject({ code: 4 });
    expect(await run([...send, '--as', 'pm'], dev)).toMatchObject({ code: 4 });
    const id = (await run(send, pm)).stdout.trim();
    expect(await run(['claim', 'dev'], qa)).toMatchObject({ code: 4 });
    expect(await run(['claim', 'dev'], dev)).toMatchObject({ code: 0 });
    expect(await run(['deliver', id, '--fence', '1'], dev)).toMatchObject({ code: 0 });
    // The same doer under another token is the same doer.
    expect(await run(['verify', id], again)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('is the doer') as string,
    });
    expect(await run(['verify', id], { env: { BATON_TOKEN: 'baton_wrong' } })).toMatchObject({ code: 4 });
    expect(await run(['verify', id], qa)).toMatchObject({ code: 0, stdout: `${id} completed\n` });
    expect(await run(['list'])).toMatchObject({ code: 0 });
  });

  it('a token that is revoked, has expired or may only read moves nothing', async () => {
    const { run } = await makeWorkspace(database, STRICT);
    const operator = { env: { BATON_TOKEN: (await run(['token', 'new', '--operator'])).stdout.trim() } };
    const made = JSON.parse((await run(['token', 'new', '--for', 'pm', '--json'], operator)).stdout) as {
      id: string;
      token: string;
    };
    const readOnly = (await run(['token', 'new', '--for', 'pm', '--scope', 'read'], operator)).stdout.trim();
    const send = ['send', '--from', 'pm', '--to', 'dev'];
    const as = (token: string): { env: Record<string, string> } => ({ env: { BATON_TOKEN: token } });
    expect(await run(send, as(made.token))).toMatchObject({ code: 0 });
    expect(await run(send, as(readOnly))).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('not allow to write') as string,
    });
    expect(await run(['list'], as(readOnly))).toMatchObject({ code: 0 });
    expect(await run(['token', 'revoke', made.id], operator)).toMatchObject({ code: 0 });
    expect(await run(send, as(made.token))).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('was revoked') as string,
    });
    expect(await run(['token', 'revoke', made.id], operator)).toMatchObject({ code: 3 });
    const listed = await run(['token', 'list', '--json'], operator);
    expect(listed.stdout).not.toContain(made.token);
    expect(JSON.parse(listed.stdout)).toHaveLength(3);
  });
});

it('a strict workspace gives its whole content to the operator alone', async () => {
  const { run } = await makeWorkspace(sqlite, STRICT);
  const operator = { env: { BATON_TOKEN: (await run(['token', 'new', '--operator'])).stdout.trim() } };
  const agent = { env: { BATON_TOKEN: (await run(['token', 'new', '--for', 'pm'], operator)).stdout.trim() } };
  for (const args of [
    ['export', 'all.jsonl'],
    ['backup', 'copy.db'],
  ]) {
    expect(await run(args)).toMatchObject({ code: 4, stdout: '' });
    expect(await run(args, agent)).toMatchObject({ code: 4, stdout: '' });
    expect(await run(args, operator)).toMatchObject({ code: 0 });
  }
  expect(await run(['import', 'all.jsonl'])).toMatchObject({ code: 4, stdout: '' });
  expect(await run(['import', 'all.jsonl'], operator)).toMatchObject({ code: 0 });
});
