/** A Redis of our own: in its own folder, on a free port, and every write on the disk before it is answered. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';

export interface PrivateRedis {
  readonly url: string;
  readonly version: string;
  stop(): Promise<void>;
}

const PATIENCE_MS = 10_000;

/** Null where it does not start. */
export async function privateRedis(program: string, folder: string): Promise<PrivateRedis | null> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always'];
  const server = spawn(program, [...settings, ...durable], { stdio: 'ignore' });
  const failed = new Promise<false>((resolve) => {
    server.once('error', () => resolve(false));
    server.once('exit', () => resolve(false));
  });
  if (!(await Promise.race([failed, answers(port)]))) return null;
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  return {
    version: /v=(\S+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1] ?? '',
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      server.kill();
      await ended;
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const endMs = performance.now() + PATIENCE_MS;
  while (performance.now() < endMs) {
    const reached = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (reached) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
