import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandDatabases } from './command-databases.ts';
import { makeWorkspace } from './workspaces.ts';

interface Heard {
  readonly key: string;
  readonly event: string;
  readonly signature: string | undefined;
  readonly text: string;
}

async function listen(heard: Heard[], port = 0): Promise<{ port: number; stop: () => Promise<void> }> {
  const server: Server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const name = (header: string): string => String(request.headers[header] ?? '');
      const signature = request.headers['baton-signature'];
      heard.push({ key: name('idempotency-key'), event: name('baton-event'), signature: signature?.toString(), text });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, stop };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

describe.each(commandDatabases)('a webhook on $name', (database) => {
  it('I9, D15: a receiver that was down gets each event once by key when it is back', async () => {
    const before = await listen([]);
    await before.stop();
    const { port } = before;
    const configuration = `notifications:
  allow_hosts: ['127.0.0.1:${port}']
  webhooks: [{ url: 'http://127.0.0.1:${port}/hook', events: [cancelled], secret_env: HOOK_SECRET }]
`;
    const { run, send } = await makeWorkspace(database, configuration);
    const ids = [await send('react'), await send('react'), await send('react')];
    for (const id of ids) await run(['cancel', id, '--as', 'me']);
    // Nobody is there: nothing is lost, and nothing is given up.
    const sync = async (): Promise<unknown> =>
      JSON.parse((await run(['sync', '--json'], { env: { HOOK_SECRET: 's' } })).stdout);
    expect(await sync()).toMatchObject({ carried: 0, postponed: 3, dropped: 0 });

    const heard: Heard[] = [];
    const server = await listen(heard, port);
    onTestFinished(server.stop);
    // Each comes back after its own pause; a worker on duty would do the same by itself.
    const duty = await makeDuty(run);
    onTestFinished(duty.stop);
    await expect.poll(() => heard.length).toBe(3);
    await duty.stop();
    expect(await sync()).toMatchObject({ carried: 0, postponed: 0 });
    expect(new Set(heard.map(({ key }) => key)).size).toBe(3);
    expect(heard.map(({ event }) => event)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(heard.every(({ signature }) => /^t=\d+,v1=[0-9a-f]{64}$/.test(signature ?? ''))).toBe(true);
    const told = heard.map(({ text }) => (JSON.parse(text) as { body: { handoff: string } }).body.handoff);
    expect(told.toSorted()).toEqual(ids.toSorted());
  });
});

/** Whoever waits also stands by for the duty. */
async function makeDuty(
  run: (args: readonly string[], options?: { env?: Record<string, string> }) => Promise<unknown>,
): Promise<{ stop: () => Promise<void> }> {
  let over = false;
  const looking = (async () => {
    while (!over) await run(['sync'], { env: { HOOK_SECRET: 's' } });
  })();
  return {
    stop: async () => {
      over = true;
      await looking;
    },
  };
}
