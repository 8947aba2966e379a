/** Whoever uses up what they may use is told so; the operator and `/healthz` are answered all the same. */
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../support/processes.ts';
import { served, statusOf, written, type Served } from './served.ts';

/** More than the server takes in all. */
const MANY = 1_100;

interface Line {
  readonly socket: Socket;
  heard(): string;
  isClosed(): boolean;
}

/** Connections of their own, as many programs would have them; all are closed with the test. */
async function open(server: Served, count: number, text: string): Promise<readonly Line[]> {
  const lines = Array.from({ length: count }, (): Line => {
    let heard = '';
    let isClosed = false;
    const socket = connect(server.port, '127.0.0.1', () => void socket.write(text));
    socket.on('data', (bytes) => (heard += bytes.toString('latin1')));
    socket.on('error', () => undefined).on('close', () => (isClosed = true));
    return { socket, heard: () => heard, isClosed: () => isClosed };
  });
  onTestFinished(() => {
    for (const { socket } of lines) socket.destroy();
  });
  await until('all are connected or refused', () =>
    lines.every(({ socket, isClosed }) => !socket.connecting || isClosed()),
  );
  return lines;
}

/** By raw sockets, so that nothing is retried or taken from a pool. */
async function isAnswered(server: Served, path: string, token?: string): Promise<number> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return statusOf(await server.raw(written(server, `GET ${path}`, headers)));
}

function claiming(server: Served, token: string, seconds: number): string {
  const body = JSON.stringify({ waitSeconds: seconds });
  const headers = {
    Authorization: `Bearer ${token}`,
    Connection: 'keep-alive',
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
  };
  return written(server, 'POST /api/claims', headers, body);
}

describe(`with ${MANY} connections of one token`, () => {
  it('that keep their connection and ask nothing more, the operator and /healthz are answered', async () => {
    const server = await served();
    const [token, operator] = [await server.tokenFor('@greedy'), await server.tokenFor(null)];
    const asking = written(server, 'GET /api/session', {
      Authorization: `Bearer ${token}`,
      Connection: 'keep-alive',
    });
    const lines = await open(server, MANY, asking);
    expect(await isAnswered(server, '/healthz')).toBe(200);
    expect(await isAnswered(server, '/api/handoffs', operator)).toBe(200);
    // Idle ones had to make room.
    await until('some are closed', () => lines.some(({ isClosed }) => isClosed()));
  });

  it('that all wait for work, as many wait as may, the others are told, and the operator and /healthz are answered', async () => {
    const server = await served();
    const [token, operator] = [await server.tokenFor('@greedy'), await server.tokenFor(null)];
    const lines = await open(server, MANY, claiming(server, token, 300));
    expect(await isAnswered(server, '/healthz')).toBe(200);
    expect(await isAnswered(server, '/api/handoffs', operator)).toBe(200);
    const refused = (): readonly Line[] => lines.filter(({ heard }) => statusOf(heard()) === 429);
    const waiting = (): number => lines.filter(({ heard, isClosed }) => heard() === '' && !isClosed()).length;
    await until('the rest are told', () => waiting() === 64 && refused().length > 0);
    const [one] = refused();
    expect(one?.heard()).toMatch(/content-type: application\/problem\+json/i);
    expect(one?.heard()).toMatch(/retry-after: \d+/i);
    // Another agent is not held up by it.
    expect(await isAnswered(server, '/api/handoffs', await server.tokenFor('@modest'))).toBe(200);
  });

  it('that never end their request, the operator and /healthz are answered', async () => {
    const server = await served();
    const operator = await server.tokenFor(null);
    await open(server, MANY, `GET /api/session HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nX-Slow: `);
    expect(await isAnswered(server, '/healthz')).toBe(200);
    expect(await isAnswered(server, '/api/handoffs', operator)).toBe(200);
  });
});

describe('limits of baton.yaml', () => {
  it('when every connection is busy, a new one is for /healthz and operators alone', async () => {
    const server = await served({ configuration: 'server: { connections: 8, connections_per_address: 8 }\n' });
    const [token, operator] = [await server.tokenFor('@greedy'), await server.tokenFor(null)];
    const lines = await open(server, 8, written(server, 'GET /api/events', { Authorization: `Bearer ${token}` }));
    await until('all listen', () => lines.every(({ heard }) => heard().includes('retry:')));
    expect(await isAnswered(server, '/api/handoffs', token)).toBe(429);
    expect(lines.filter(({ isClosed }) => isClosed())).toEqual([]);
    expect(await isAnswered(server, '/healthz')).toBe(200);
    expect(await isAnswered(server, '/api/handoffs', operator)).toBe(200);
    expect(await isAnswered(server, '/api/tokens', operator)).toBe(200);
    lines[0]?.socket.destroy();
    await until('a place is free', async () => (await isAnswered(server, '/api/handoffs', token)) === 200);
  });

  it('waits and streams are counted by token and by address', async () => {
    const limits = 'waits_per_token: 2, waits_per_address: 3, streams_per_token: 1, streams_per_address: 2';
    const server = await served({ configuration: `server: { ${limits} }\n` });
    const tokens = [await server.tokenFor('@a'), await server.tokenFor('@b'), await server.tokenFor('@c')];
    const [a = '', b = '', c = ''] = tokens;
    /** The last one is refused when all others wait. */
    const wait = async (token: string, count: number): Promise<void> => {
      const lines = await open(server, count, claiming(server, token, 300));
      await until('one is refused', () => lines.filter(({ heard }) => statusOf(heard()) === 429).length === 1);
      expect(lines.filter(({ heard }) => heard() !== '')).toHaveLength(1);
    };
    await wait(a, 3);
    await wait(b, 2);
    await wait(c, 1);
    const operator = await server.tokenFor(null);
    const handoff = { from: '@x', to: '@y' };
    const { id } = (await server.ask('POST', '/api/handoffs', { token: operator, body: handoff })).json as {
      id: string;
    };
    expect((await server.ask('GET', `/api/handoffs/${id}?wait=1`, { token: operator })).status).toBe(200);

    const stream = async (token: string): Promise<number> => {
      const answer = await fetch(`${server.url}/api/events`, { headers: { authorization: `Bearer ${token}` } });
      onTestFinished(async () => answer.body?.cancel());
      return answer.status;
    };
    expect([await stream(a), await stream(a), await stream(b), await stream(c)]).toEqual([200, 429, 200, 429]);
    expect(await stream(operator)).toBe(200);
  });

  it('a token that asks too often is told when to ask again, and others are not held up', async () => {
    const server = await served({ configuration: 'server: { requests_per_second: 1 }\n' });
    const [hasty, calm] = [await server.tokenFor('@hasty'), await server.tokenFor('@calm')];
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => server.ask('GET', '/api/session', { token: hasty })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(5);
    expect(refused[0]?.json).toMatchObject({ code: 'rate-limited', retryable: true, status: 429 });
    expect(refused[0]?.headers.get('content-type')).toBe('application/problem+json');
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await server.ask('GET', '/api/session', { token: calm })).status).toBe(200);
    expect((await server.ask('GET', '/healthz')).status).toBe(200);
  });
});
