/**
 * A proxy between a client and PostgreSQL that delays what clients send by a fixed time, and counts statements and round
 * trips (a client sends after it has received).
 */
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

export interface DelayProxy {
  /** The same address by way of the proxy. */
  through(url: string): string;
  counts(): Counts;
  close(): Promise<void>;
}

export interface Counts {
  readonly statements: number;
  readonly roundTrips: number;
  /** Open now. */
  readonly connections: number;
}

const [SIMPLE_QUERY, EXECUTE] = ['Q'.charCodeAt(0), 'E'.charCodeAt(0)];
const TLS_REQUEST = 80_877_103;

export async function delayProxy(serverUrl: string, delayMs: number): Promise<DelayProxy> {
  const counted = { statements: 0, roundTrips: 0 };
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: Number(new URL(serverUrl).port), host: '127.0.0.1', noDelay: true });
    const countStatements = statementsIn(() => (counted.statements += 1));
    let hasHeard = true;
    const write = delayed(delayMs, upstream);
    open.add(client);
    client.on('data', (chunk) => {
      countStatements(chunk);
      if (hasHeard) counted.roundTrips += 1;
      hasHeard = false;
      write(chunk);
    });
    upstream.on('data', (chunk) => {
      hasHeard = true;
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        other.destroy();
        open.delete(client);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    through: (url) => Object.assign(new URL(url), { port: String((server.address() as AddressInfo).port) }).href,
    counts: () => ({ ...counted, connections: open.size }),
    close: async () => {
      for (const each of open) each.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One timer at a time keeps the order. */
function delayed(delayMs: number, to: Socket): (chunk: Buffer) => void {
  if (delayMs === 0) return (chunk) => void to.write(chunk);
  const waiting: { readonly chunk: Buffer; readonly dueMs: number }[] = [];
  const pass = (): void => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const restMs = next.dueMs - performance.now();
      if (restMs > 0) {
        setTimeout(pass, restMs);
        return;
      }
      to.write(next.chunk);
      waiting.shift();
    }
  };
  return (chunk) => {
    waiting.push({ chunk, dueMs: performance.now() + delayMs });
    if (waiting.length === 1) setTimeout(pass, delayMs);
  };
}

/** Follows the messages of one client, of which only the first ones (a wish for TLS, the name of the database) have no type. */
function statementsIn(found: () => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let skip = 0;
  let isStarted = false;
  return (chunk) => {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    rest = Buffer.alloc(0);
    for (;;) {
      const skipped = Math.min(skip, bytes.length);
      skip -= skipped;
      bytes = bytes.subarray(skipped);
      const head = isStarted ? 5 : 8;
      if (skip > 0 || bytes.length === 0) return;
      if (bytes.length < head) {
        rest = bytes;
        return;
      }
      if (isStarted) {
        if (bytes[0] === SIMPLE_QUERY || bytes[0] === EXECUTE) found();
        skip = 1 + bytes.readUInt32BE(1);
      } else {
        isStarted = bytes.readUInt32BE(4) !== TLS_REQUEST;
        skip = bytes.readUInt32BE(0);
      }
    }
  };
}
