/** `baton serve` as a process: what it prints, how it ends, and that two of them do not fight. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HandoffView, WholeView } from '../../src/interfaces/shared/views.ts';
import { databases, makeWorkspace, sqlite, type Workspace } from '../cli/workspaces.ts';
import { isAlive, until, untilSays, type Running } from '../support/processes.ts';

interface Server {
  readonly running: Running;
  readonly url: string;
  readonly link: string;
  readonly token: string;
}

async function serve(workspace: Workspace, more: readonly string[] = [], env = {}): Promise<Server> {
  const running = workspace.start(['serve', '--port', '0', ...more], { env });
  await untilSays(running, 'the link works once');
  // That is on standard error, and may arrive before the link on standard output.
  await until('the link is printed', () => running.stdout().endsWith('\n'));
  const link = running.stdout().trim();
  const { url, token } = JSON.parse(readFileSync(join(workspace.folder, '.baton/serve.json'), 'utf8')) as Server;
  expect(link.startsWith(`${url}/login?code=`)).toBe(true);
  return { running, url, link, token };
}

async function ask({ url, token }: Server, path: string, body?: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  if (body === undefined) return fetch(`${url}${path}`, { headers });
  return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

const UPPER = `
let text = '';
process.stdin.on('data', (piece) => (text += piece)).on('end', () => {
  const { input } = JSON.parse(text);
  process.stderr.write('\\u001b[31mworking\\n');
  process.stdout.write(JSON.stringify({ said: input.say.toUpperCase(), at: process.cwd() }));
});
`;

describe.each(databases)('baton serve on $name', (database) => {
  it('serves, works for the agents of baton.yaml, and ends in order', async () => {
    const workspace = await makeWorkspace(
      database,
      `project: relay\nagents:\n  loud: { command: [${JSON.stringify(process.execPath)}, upper.mjs], concurrency: 2 }\n`,
    );
    writeFileSync(join(workspace.folder, 'upper.mjs'), UPPER);
    const server = await serve(workspace);
    const sent = await ask(server, '/api/handoffs', { from: '@me', to: '@loud', input: { say: 'hello' } });
    const { id } = (await sent.json()) as HandoffView;
    const settled = (await (await ask(server, `/api/handoffs/${id}/wait?seconds=30`)).json()) as WholeView;
    expect(settled.result).toEqual({ said: 'HELLO', at: workspace.folder });
    expect(await workspace.run(['wait', id])).toMatchObject({ code: 0 });
    // What others write cannot colour our log.
    expect(server.running.stderr()).not.toContain('\u001b');

    server.running.signal('SIGTERM');
    expect(await server.running.ended).toMatchObject({ code: 0, signal: null });
    expect(existsSync(join(workspace.folder, '.baton/serve.json'))).toBe(false);
    const tokens = await (await workspace.open()).store.tokens.list();
    expect(tokens.every(({ revokedAt }) => revokedAt !== null)).toBe(true);
  });
});

describe('baton serve', () => {
  it('says where the first one is instead of fighting with it, and takes over from one that was killed', async () => {
    const workspace = await makeWorkspace(sqlite);
    const first = await serve(workspace);
    const second = await workspace.run(['serve', '--port', '0']);
    expect(second.code).toBe(4);
    expect(second.stderr).toContain(`served already at ${first.url}`);
    const link = /http\S+\/login\?code=\S+/.exec(second.stderr)?.[0] ?? '';
    const code = new URL(link).searchParams.get('code');
    expect((await ask(first, '/api/session', { code })).status).toBe(200);
    expect((await ask(first, '/healthz')).status).toBe(200);

    first.running.signal('SIGKILL');
    await first.running.ended;
    expect(isAlive(first.running.pid)).toBe(false);
    const third = await serve(workspace);
    expect((await ask(third, '/api/handoffs')).status).toBe(200);
    expect((await ask({ ...third, token: first.token }, '/api/handoffs')).status).toBe(401);
  });

  it('lets nobody of another machine in unless that is wished for, and says what is missing', async () => {
    const workspace = await makeWorkspace(sqlite);
    for (const host of ['0.0.0.0', '::', '192.0.2.1']) {
      const refused = await workspace.run(['serve', '--host', host, '--port', '0']);
      expect([host, refused.code]).toEqual([host, 5]);
      expect(refused.stderr).toContain('no TLS');
    }
    const wrong = await workspace.run(['serve', '--host', 'example.org']);
    expect(wrong.code).toBe(5);
    const server = await serve(workspace, ['--host', '0.0.0.0', '--without-tls', '--allow-host', 'baton.example.org']);
    const port = new URL(server.url).port;
    expect(server.url).toBe(`http://localhost:${port}`);
    expect((await ask(server, '/healthz')).status).toBe(200);
  });

  it('says so when its port is taken, and takes another where none was asked for', async () => {
    const workspace = await makeWorkspace(sqlite);
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await until('it listens', () => other.listening);
    const { port } = other.address() as AddressInfo;
    const refused = await workspace.run(['serve', '--port', String(port)]);
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining(`port ${port} is taken`)]);
    expect(existsSync(join(workspace.folder, '.baton/serve.json'))).toBe(false);
  });

  it('is the operator’s business where tokens are needed', async () => {
    const workspace = await makeWorkspace(sqlite, 'identity: strict\n');
    const refused = await workspace.run(['serve', '--port', '0']);
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('token')]);
  });

  it('sweeps: what a lost worker held is offered again', async () => {
    const workspace = await makeWorkspace(sqlite, 'lease_seconds: 1\n');
    const server = await serve(workspace);
    const worker = workspace.start(['work', '@slow', '--', 'sleep', '600']);
    const id = await workspace.send('@slow');
    const stateOf = async (): Promise<string> =>
      ((await (await ask(server, `/api/handoffs/${id}`)).json()) as HandoffView).state;
    await until('it is taken', async () => (await stateOf()) === 'accepted');
    worker.signal('SIGKILL');
    await until('it is offered again', async () => (await stateOf()) === 'offered');
    expect(server.running.stderr()).toContain('handoff-recovered');
  });
});
