import { describe, expect, it } from 'vitest';
import { until } from '../support/processes.ts';
import { commandDatabases } from './command-databases.ts';
import { makeWorkspace, sqlite } from './workspaces.ts';

const STRICT = 'identity: strict\nagents:\n  qa: { roles: [verifier] }\n';

describe.each(commandDatabases)('a strict workspace on $name', (database) => {
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

describe.each(commandDatabases)('the first operator token on $name', (database) => {
  const operatorOf = (token: string): { env: Record<string, string> } => ({ env: { BATON_TOKEN: token.trim() } });

  it('is free to make once, and not again when it has expired or was revoked', async () => {
    const { run } = await makeWorkspace(database, STRICT);
    expect(await run(['token', 'new', '--for', 'dev'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('baton token new --operator') as string,
    });
    const first = await run(['token', 'new', '--operator', '--expires', '1']);
    expect(first.code).toBe(0);
    await expect
      .poll(async () => (await run(['token', 'list'], operatorOf(first.stdout))).stderr)
      .toContain('expired at');
    const again = await run(['token', 'new', '--operator']);
    expect(again).toMatchObject({ code: 4, stdout: '' });
    expect(again.stderr).toContain('baton token recover');
  });

  it('must be able to write: one that only reads would lock everybody out', async () => {
    const { run } = await makeWorkspace(database, STRICT);
    const refused = await run(['token', 'new', '--operator', '--scope', 'read']);
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain('leave --scope out');
    const first = await run(['token', 'new', '--operator']);
    expect(first.code).toBe(0);
    expect(await run(['token', 'new', '--operator', '--scope', 'read'], operatorOf(first.stdout))).toMatchObject({
      code: 0,
    });
  });

  it('when it is lost, another is made by a command that says so, and the log has all of it', async () => {
    const { run } = await makeWorkspace(database, STRICT);
    const first = JSON.parse((await run(['token', 'new', '--operator', '--json'])).stdout) as {
      id: string;
      token: string;
    };
    const revoked = await run(['token', 'revoke', first.id], operatorOf(first.token));
    expect(revoked).toMatchObject({ code: 0, stderr: expect.stringContaining('baton token recover') as string });
    expect(await run(['token', 'list'], operatorOf(first.token))).toMatchObject({ code: 4 });
    const recovered = await run(['token', 'recover', '--label', 'found again', '--as', 'operator']);
    expect(recovered.code).toBe(0);
    expect(recovered.stderr).toContain('without showing one');
    const log = await run(['token', 'log', '--json'], operatorOf(recovered.stdout));
    const lines = JSON.parse(log.stdout) as { what: string; token: string; by: string }[];
    expect(lines.map(({ what }) => what)).toEqual(['recovered', 'denied', 'revoked', 'minted']);
    expect(lines.slice(1).map(({ token }) => token)).toEqual([first.id, first.id, first.id]);
    expect(lines[0]?.by).toMatch(/^local user /);
    expect(lines[2]?.by).toBe(`operator with ${first.id}`);
    expect((await run(['token', 'log'], operatorOf(recovered.stdout))).stdout).toContain('found again');
    expect(await run(['token', 'log'])).toMatchObject({ code: 4, stdout: '' });
  });
});

describe('a token that is revoked', () => {
  interface Made {
    readonly id: string;
    readonly token: string;
  }

  async function strictWorkspace(): Promise<{
    readonly workspace: Awaited<ReturnType<typeof makeWorkspace>>;
    readonly operator: { env: Record<string, string> };
    readonly dev: Made;
  }> {
    const workspace = await makeWorkspace(sqlite, STRICT);
    const operator = { env: { BATON_TOKEN: (await workspace.run(['token', 'new', '--operator'])).stdout.trim() } };
    const made = await workspace.run(['token', 'new', '--for', 'dev', '--json'], operator);
    return { workspace, operator, dev: JSON.parse(made.stdout) as Made };
  }

  it('stops a worker that was started with it, and gives back what it runs', async () => {
    const { workspace, operator, dev } = await strictWorkspace();
    const { run, start } = workspace;
    expect(await run(['send', '--from', 'pm', '--to', 'dev'], operator)).toMatchObject({ code: 0 });
    const worker = start(['work', 'dev', '--', 'sleep', '600'], { env: { BATON_TOKEN: dev.token } });
    await until('it runs', () => worker.stderr().includes('attempt 1'));
    expect(await run(['token', 'revoke', dev.id], operator)).toMatchObject({ code: 0 });
    const ended = await worker.ended;
    expect(ended.code).toBe(4);
    expect(ended.stderr).toContain(`the token ${dev.id} was revoked: this worker has stopped`);
    const { items } = await (await workspace.open()).store.find({ by: 'filter', max: 10 });
    expect(new Set(items.map(({ state, attempt, excused }) => `${state} ${attempt - excused}`))).toEqual(
      new Set(['offered 0']),
    );
  });

  it('takes nothing that it waits for, and gives back what was claimed with it', async () => {
    const { workspace, operator, dev } = await strictWorkspace();
    const { run, start } = workspace;
    expect(await run(['send', '--from', 'pm', '--to', 'dev'], operator)).toMatchObject({ code: 0 });
    expect(await run(['claim', 'dev'], { env: { BATON_TOKEN: dev.token } })).toMatchObject({ code: 0 });
    const waiting = start(['claim', 'dev', '--wait', '600'], { env: { BATON_TOKEN: dev.token } });
    const revoked = await run(['token', 'revoke', dev.id], operator);
    expect(revoked.stdout).toContain('given back: 1');
    const ended = await waiting.ended;
    expect([ended.code, ended.stdout]).toEqual([4, '']);
    const { items } = await (await workspace.open()).store.find({ by: 'filter', max: 10 });
    expect(items.map(({ state }) => state)).toEqual(['offered']);
  });

  it('--keep-leases leaves what was claimed with it', async () => {
    const { workspace, operator, dev } = await strictWorkspace();
    const { run } = workspace;
    await run(['send', '--from', 'pm', '--to', 'dev'], operator);
    await run(['claim', 'dev'], { env: { BATON_TOKEN: dev.token } });
    expect(await run(['token', 'revoke', dev.id, '--keep-leases'], operator)).toMatchObject({
      code: 0,
      stdout: `${dev.id} revoked\n`,
    });
    const { items } = await (await workspace.open()).store.find({ by: 'filter', max: 10 });
    expect(items.map(({ state }) => state)).toEqual(['accepted']);
  });
});
