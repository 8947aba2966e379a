/**
 * Limits the connections, in all and per address. At the limit, the connection that has been idle for longest is closed for
 * the new one. If none is idle, the new one is reserved: it is answered once, and only to `/healthz`, pages and operators,
 * so that operators can still reach an exhausted server. If the reserve is used up, a connection that has not sent a request
 * yet is closed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerLimits } from '../../workspace/server-limits.ts';

/** Connections beyond the limit, for callers who are always answered. */
export const RESERVED_CONNECTIONS = 64;

export function openConnections(limits: Pick<ServerLimits, 'connections' | 'connectionsPerAddress'>) {
  const open = new Map<Socket, { readonly address: string; readonly leave: () => void }>();
  const perAddress = countsByKey<string>();
  const answering = countsByKey<Socket>();
  /** Have had an answer and wait for the next request; oldest first. */
  const idle = new Set<Socket>();
  /** Have not sent a whole request yet; oldest first. */
  const awaitingRequest = new Set<Socket>();
  const reserved = new WeakSet<Socket>();

  const forget = (socket: Socket): void => {
    open.get(socket)?.leave();
    open.delete(socket);
    idle.delete(socket);
    awaitingRequest.delete(socket);
  };
  /** Returns whether there is room for one more connection now. */
  const closeOne = (among: Iterable<Socket>, isWanted: (socket: Socket) => boolean = () => true): boolean => {
    const found = [...among].find(isWanted);
    if (found === undefined) return false;
    forget(found);
    found.destroy();
    return true;
  };

  return {
    opened: (socket: Socket): void => {
      const address = addressOf(socket);
      const isSame = (other: Socket): boolean => open.get(other)?.address === address;
      const hasRoom = perAddress.count(address) < limits.connectionsPerAddress || closeOne(idle, isSame);
      if (!hasRoom || (open.size >= limits.connections && !closeOne(idle))) reserved.add(socket);
      if (open.size >= limits.connections + RESERVED_CONNECTIONS && !closeOne(awaitingRequest)) {
        socket.destroy();
        return;
      }
      open.set(socket, { address, leave: perAddress.add(address) });
      awaitingRequest.add(socket);
      socket.once('close', () => forget(socket));
    },
    /** Called for each request. The connection is not idle until the answer is complete. */
    onRequest: (incoming: IncomingMessage, outgoing: ServerResponse): void => {
      const { socket } = incoming;
      idle.delete(socket);
      const answered = answering.add(socket);
      const requestReceived = (): void => void awaitingRequest.delete(socket);
      if (hasBody(incoming)) incoming.once('end', requestReceived).once('close', requestReceived);
      else requestReceived();
      if (reserved.has(socket)) outgoing.shouldKeepAlive = false;
      outgoing.once('close', () => {
        answered();
        if (answering.count(socket) === 0 && open.has(socket)) idle.add(socket);
      });
    },
    isReserved: (socket: Socket): boolean => reserved.has(socket),
  };
}

/** Counts by key. `add` answers how to take its one away again. */
export function countsByKey<Key>(): { count(key: Key): number; add(key: Key): () => void } {
  const counts = new Map<Key, number>();
  return {
    count: (key) => counts.get(key) ?? 0,
    add: (key) => {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return () => {
        const left = (counts.get(key) ?? 1) - 1;
        if (left === 0) counts.delete(key);
        else counts.set(key, left);
      };
    },
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** An IPv4 address has one form on IPv4 and on IPv6 sockets. */
export function addressOf({ remoteAddress = 'unknown' }: Pick<Socket, 'remoteAddress'>): string {
  return remoteAddress.replace(/^::ffff:/, '');
}
