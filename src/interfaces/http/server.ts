/** The socket: a limit on everything that a client can make the server wait for, and an orderly end. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { appOf } from './app.ts';
import { addressOf } from './connections.ts';
import { allowedOriginsFor, guardRequest, type GuardRefusal } from './request-guard.ts';
import type { ServerContext } from './server-context.ts';
import { httpProblem, problemBody, PROBLEM_TYPE } from './problem.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

export interface ServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** More host names of this server, such as that of a proxy. */
  readonly allowHosts: readonly string[];
}

export type RunningServer = Awaited<ReturnType<typeof startServer>>;

const HEAD_MS = 10_000;
const WHOLE_REQUEST_MS = 10_000;
const TIMEOUT_CHECK_MS = 1_000;
const KEPT_ALIVE_MS = 65_000;
const HEAD_BYTES_MAX = 16 * 1024;
/** How long the server reads on from a refused client, so that the client reads the answer. */
const LINGER_MS = 1_000;
const SHUTDOWN_GRACE_MS = 2_000;
const SWEEP_MS = 20;

export async function startServer(serverContext: ServerContext, options: ServerOptions) {
  const server = createServer({
    headersTimeout: HEAD_MS,
    requestTimeout: WHOLE_REQUEST_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    keepAliveTimeout: KEPT_ALIVE_MS,
    maxHeaderSize: HEAD_BYTES_MAX,
  });
  const { connections, maxConnections } = serverContext.capacity;
  server.maxConnections = maxConnections;
  server.on('connection', (socket) => connections.opened(socket));
  const port = await listening(server, options);
  const allowed = allowedOriginsFor(options.host, port, options.allowHosts);
  const answer = getRequestListener(appOf(serverContext, port).fetch, { overrideGlobalObjects: false });
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.on('error', () => undefined);
    connections.onRequest(incoming, outgoing);
    outgoing.once('close', () => recordRequest(serverContext, incoming, outgoing));
    const { method = '', url = '', headers, rawHeaders } = incoming;
    const refused = guardRequest({ method, url, headers, rawHeaders }, allowed);
    if (refused === null) void answer(incoming, outgoing);
    else rejectRequest(serverContext, incoming, outgoing, refused);
  });
  const shown = options.host === '0.0.0.0' || options.host === '::' ? 'localhost' : options.host;
  return {
    url: `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`,
    port,
    /** Takes no new requests, gives those that run a moment to end, then closes. */
    close: () => closed(server),
  };
}

/** Logs neither the query nor any header: both may hold secrets. */
function recordRequest(
  { metrics, log }: ServerContext,
  { method = '', url = '' }: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const status = outgoing.statusCode;
  metrics.answered(method, status);
  log.debug({ method, path: url.split('?', 1)[0], status, whole: outgoing.writableFinished }, 'answered');
}

function rejectRequest(
  { denials }: ServerContext,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { code, says }: GuardRefusal,
): void {
  const problem = httpProblem(code, says);
  const { method = '', url = '', socket } = incoming;
  const { status } = problem;
  if (status === 401 || status === 403) {
    const path = url.split('?', 1)[0] ?? '';
    denials.note({ token: null, by: 'unknown', code, status, method, path, address: addressOf(socket) });
  }
  const body = problemBody(problem);
  outgoing.writeHead(problem.status, {
    ...SECURITY_HEADERS,
    'content-type': PROBLEM_TYPE,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...(code === 'method-not-allowed' ? { allow: 'GET, HEAD, POST, DELETE' } : {}),
  });
  outgoing.end(incoming.method === 'HEAD' ? undefined : body);
  if (incoming.complete) return;
  // Closing a connection while the client still sends would lose the answer.
  incoming.resume();
  const end = setTimeout(() => incoming.socket.destroy(), LINGER_MS);
  incoming.once('close', () => clearTimeout(end));
}

async function listening(server: Server, { host, port }: ServerOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

async function closed(server: Server): Promise<void> {
  const ended = new Promise<void>((resolve) => void server.close(() => resolve()));
  // A connection that is kept alive after its last answer would hold up the end.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const closeNow = setTimeout(() => server.closeAllConnections(), SHUTDOWN_GRACE_MS);
  await ended;
  clearInterval(sweep);
  clearTimeout(closeNow);
}
