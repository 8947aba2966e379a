/** Stands between a store and its server, and loses answers: what was asked for has happened, and nobody is told. */
import { connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  readonly port: number;
  /** Cuts the connection on which the server answers next (or, after letting some pass), instead of passing it on. */
  loseNextAnswer(letPass?: number): void;
  /** What is connected now hears nothing any more, as behind a firewall that has forgotten it. */
  fallSilent(): void;
  /** How many answers were lost. */
  readonly lost: number;
  close(): Promise<void>;
}

export async function cuttingProxy(toPort: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let left: number | null = null;
  let lost = 0;
  const server = createServer((client) => {
    const upstream = connect({ port: toPort, host: '127.0.0.1', noDelay: true });
    client.setNoDelay(true);
    const end = (): void => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('close', end);
    }
    client.on('data', (data) => upstream.write(data));
    upstream.on('data', (data) => {
      if (silent.has(upstream)) return;
      if (left === null || left > 0) {
        left = left === null ? null : left - 1;
        client.write(data);
        return;
      }
      left = null;
      lost += 1;
      end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    port: address.port,
    loseNextAnswer: (letPass = 0) => {
      left = letPass;
    },
    fallSilent: () => {
      for (const socket of sockets) silent.add(socket);
    },
    get lost() {
      return lost;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
