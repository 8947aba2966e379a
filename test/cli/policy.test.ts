/** What several processes have to agree on is stored in the database, whichever file each of them has read. */
import { createHmac } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { receiver } from '../effects/outbox-world.ts';
import { startBaton, tempFolder, until } from '../support/processes.ts';
import { commandDatabases } from './command-databases.ts';
import { makeWorkspace, sqlite, type Workspace } from './workspaces.ts';

const SEND = ['send', '--from', 'me', '--to', 'react'];
const LIMITED = 'agents:\n  react: { limits: { incoming: 1 } }\n';

/** Another folder with a file of its own, on the database of a workspace. */
function colleague({ address, run }: Workspace, configuration: string | null): Workspace['run'] {
  const folder = tempFolder();
  mkdirSync(join(folder, '.baton'), { mode: 0o700 });
  if (configuration !== null) writeFileSync(join(folder, 'baton.yaml'), configuration);
  const database = address.kind === 'postgres' ? address.url : address.path;
  return (args, options = {}) => run([...args, '--database', database], { ...options, cwd: folder });
}

function rewrite({ folder }: Workspace, configuration: string): void {
  writeFileSync(join(folder, 'baton.yaml'), configuration);
}

describe.each(commandDatabases)('the stored policy on $name', (database) => {
  it('is the one of whoever came first: a colleague with another file is told, and follows it', async () => {
    const first = await makeWorkspace(database, LIMITED);
    const sent = await first.run(SEND);
    expect(sent.code).toBe(0);
    expect(sent.stderr).not.toContain('differs');
    const other = colleague(first, 'limits: { outgoing: 3 }\n');
    const refused = await other(SEND);
    expect(refused.code).toBe(6);
    expect(refused.stderr.split('\n')).toContain(
      'baton: baton.yaml differs from the stored policy (version 1) in agents.react.limits, limits; ' +
        'the stored policy holds. To store what baton.yaml says, run: baton apply',
    );
    // Without any file, the stored policy is all there is.
    const bare = await colleague(first, null)(SEND);
    expect(bare.code).toBe(6);
    expect(bare.stderr).not.toContain('differs');
  });

  it('is still the first baton.yaml where a key was registered before there was one, and the key stays', async () => {
    const workspace = await makeWorkspace(database);
    const { run } = workspace;
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH';
    const withoutFile = colleague(workspace, null);
    expect(await withoutFile(['key', 'add', '@react', key, '--as', 'operator'])).toMatchObject({ code: 0 });
    rewrite(workspace, LIMITED);
    expect(await run(SEND)).toMatchObject({ code: 0 });
    expect(await run(SEND)).toMatchObject({ code: 6 });
    expect((await run(['key', 'list', '--as', 'operator'])).stdout).toContain('@react  good');
  });

  it('is not changed by a file that says something else, until it is applied', async () => {
    const workspace = await makeWorkspace(database, LIMITED);
    const { run } = workspace;
    await run(SEND);
    rewrite(workspace, LIMITED.replace('1', '2'));
    expect(await run(SEND)).toMatchObject({ code: 6, stderr: expect.stringContaining('run: baton apply') as string });
    const dry = await run(['apply', '--dry-run']);
    expect(dry.stdout).toBe(
      'agents.react.limits: {"incoming":1} → {"incoming":2}\n' +
        'not stored; without --dry-run this becomes version 2 of the policy\n',
    );
    expect(await run(SEND)).toMatchObject({ code: 6 });
    expect(await run(['apply'])).toMatchObject({
      code: 0,
      stdout: 'agents.react.limits: {"incoming":1} → {"incoming":2}\nstored as version 2 of the policy\n',
    });
    const sent = await run(SEND);
    expect(sent.code).toBe(0);
    expect(sent.stderr).not.toContain('differs');
    expect((await run(['apply'])).stdout).toContain('nothing to change');
    const history = JSON.parse((await run(['apply', '--history', '--json'])).stdout) as readonly object[];
    expect(history).toMatchObject([
      { version: 2, by: 'operator', changed: [{ key: 'agents.react.limits' }] },
      { version: 1, by: 'system' },
    ]);
  });

  it('a webhook is signed by whoever has its secret, also without a file; others leave it and say so', async () => {
    const { port, received } = await receiver();
    const hook = `{ name: ci, url: "http://127.0.0.1:${port}/", secret_env: TEST_HOOK_SECRET }`;
    const workspace = await makeWorkspace(
      database,
      `notifications: { webhooks: [${hook}], allow_hosts: [127.0.0.1] }\n`,
    );
    const { run } = workspace;
    await run(SEND);
    for (const poor of [run, colleague(workspace, ''), colleague(workspace, null)]) {
      const left = await poor(['sync']);
      expect(left.stderr).toContain('the webhook ci is signed with the secret in TEST_HOOK_SECRET, which is not set');
      expect(left.stdout).toContain('1 postponed, 0 given up');
    }
    expect(received).toEqual([]);
    const rich = colleague(workspace, 'notifications: { allow_hosts: [] }\n');
    const carried = await rich(['sync'], { env: { TEST_HOOK_SECRET: 'top secret' } });
    expect(carried.stdout).toContain('1 effects delivered, 0 postponed');
    const [{ headers, text }] = received as [(typeof received)[number]];
    const [, seconds = '', mac = ''] = /^t=(\d+),v1=(.*)$/.exec(String(headers['baton-signature'])) ?? [];
    expect(mac).toBe(createHmac('sha256', 'top secret').update(`${seconds}.${text}`).digest('hex'));
  });
});

describe('the stored policy', () => {
  it('strict is strict also for a folder whose file is not, and only an operator applies another one', async () => {
    const workspace = await makeWorkspace(sqlite, 'identity: strict\n');
    await workspace.run(['list']);
    const other = colleague(workspace, 'identity: local\n');
    expect(await other(SEND)).toMatchObject({ code: 4, stderr: expect.stringContaining('BATON_TOKEN') as string });
    expect(await other(['apply'])).toMatchObject({ code: 4 });
    const operator = (await workspace.run(['token', 'new', '--operator'])).stdout.trim();
    const agent = (
      await workspace.run(['token', 'new', '--for', '@me'], { env: { BATON_TOKEN: operator } })
    ).stdout.trim();
    for (const args of [['apply'], ['apply', '--show'], ['apply', '--history']]) {
      expect(await other(args, { env: { BATON_TOKEN: agent } })).toMatchObject({ code: 4 });
    }
    expect(await other(['apply'], { env: { BATON_TOKEN: operator } })).toMatchObject({ code: 0 });
    expect(await other(SEND)).toMatchObject({ code: 0 });
  });

  it('what is local needs no apply: commands, folders, the desktop, the name of the project', async () => {
    const workspace = await makeWorkspace(sqlite, '');
    await workspace.run(SEND);
    rewrite(
      workspace,
      'project: shop\nfolders: { queue: on }\nnotifications: { desktop: false }\nagents: { react: { command: [cat] } }\n',
    );
    expect(await workspace.run(SEND)).toMatchObject({ code: 0, stderr: '' });
    expect((await workspace.run(['apply'])).stdout).toContain('nothing to change');
  });

  it('the order of keys and the spelling of agents are no difference', async () => {
    const workspace = await makeWorkspace(sqlite, 'agents: { react: { limits: { outgoing: 2, incoming: 1 } } }\n');
    await workspace.run(SEND);
    rewrite(workspace, 'agents: { "@React": { limits: { incoming: 1, outgoing: 2 } } }\n');
    expect(await workspace.run(['list'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('baton init leaves its sample undecided, and stores a file that was there before', async () => {
    const { run } = await makeWorkspace(sqlite, LIMITED);
    await run(['init']);
    const shown = JSON.parse((await run(['apply', '--show', '--json'])).stdout) as object;
    expect(shown).toMatchObject({ version: 1, policy: { agents: { react: { limits: { incoming: 1 } } } } });
  });

  it('a running worker follows a version that is applied while it runs, and stands in for one without a secret', async () => {
    const { port, received } = await receiver();
    const workspace = await makeWorkspace(sqlite, '');
    const poor = workspace.start(['work', '@nobody', '--', 'cat']);
    const ctx = await workspace.open();
    await until('somebody has the duty', async () => (await ctx.store.upkeep.dutyHolder(ctx.liveness.self)) !== null);
    const rich = startBaton(['work', '@noone', '--', 'cat'], {
      cwd: workspace.folder,
      env: { TEST_HOOK_SECRET: 'top secret' },
    });
    await until('both are at work', async () => (await ctx.store.sessions.list()).length === 2);
    const hook = `{ name: ci, url: "http://127.0.0.1:${port}/", secret_env: TEST_HOOK_SECRET }`;
    rewrite(workspace, `notifications: { webhooks: [${hook}], allow_hosts: [127.0.0.1] }\n`);
    await workspace.run(['apply']);
    await until('both follow it', () =>
      [poor, rich].every(({ stderr }) => stderr().includes('follows version 2 of the policy')),
    );
    await workspace.run(SEND);
    await until('it is delivered', () => received.length > 0);
    expect(received[0]?.headers['baton-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    poor.signal('SIGTERM');
    rich.signal('SIGTERM');
    await Promise.all([poor.ended, rich.ended]);
  });
});
