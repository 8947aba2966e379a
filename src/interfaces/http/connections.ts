/**
 * How many connections there may be, in all and from one address. Where a limit is reached, the connection that has been
 * idle for longest since its last answer is closed for the new one. Where none is idle, the new one is reserved: it is
 * answered once, and only to `/healthz`, pages and operators, so that whoever has exhausted the server cannot hide it from
 * those who run it. Where even the reserve is used up, one that has not asked anything yet is closed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  opened(socket: Socket): void;
  /** A request has come on it; until its answer is complete the connection is not idle. */
  asked(incoming: IncomingMessage, outgoing: ServerResponse): void;
  isReserved(socket: Socket): boolean;
}

/** Beyond the limit, for those who may always ask. */
export const RESERVED_CONNECTIONS = 64;

export function openConnections(limits: {
  readonly connections: number;
  readonly connectionsPerAddress: number;
}): Connections {
  const addresses = new Map<Socket, string>();
  const perAddress = new Map<string, number>();
  const answering = new Map<Socket, number>();
  /** Those that have had an answer and wait for the next request; oldest first. */
  const idle = new Set<Socket>();
  /** Those that have not sent a whole request yet; oldest first. */
  const unheard = new Set<Socket>();
  const reserved = new WeakSet<Socket>();

  const forget = (socket: Socket): void => {
    const address = addresses.get(socket);
    if (address === undefined) return;
    addresses.delete(socket);
    idle.delete(socket);
    unheard.delete(socket);
    answering.delete(socket);
    const left = (perAddress.get(address) ?? 1) - 1;
    if (left === 0) perAddress.delete(address);
    else perAddress.set(address, left);
  };
  /** True: there is room for one more now. */
  const closeOne = (among: Iterable<Socket>, isWanted: (socket: Socket) => boolean = () => true): boolean => {
    const found = [...among].find(isWanted);
    if (found === undefined) return false;
    forget(found);
    found.destroy();
    return true;
  };

  return {
    opened: (socket) => {
      const address = addressOf(socket);
      const own = perAddress.get(address) ?? 0;
      const hasRoom = own < limits.connectionsPerAddress || closeOne(idle, (other) => addresses.get(other) === address);
      if (!hasRoom || (addresses.size >= limits.connections && !closeOne(idle))) reserved.add(socket);
      if (addresses.size >= limits.connections + RESERVED_CONNECTIONS && !closeOne(unheard)) {
        socket.destroy();
        return;
      }
      addresses.set(socket, address);
      perAddress.set(address, (perAddress.get(address) ?? 0) + 1);
      unheard.add(socket);
      socket.once('close', () => forget(socket));
    },
    asked: (incoming, outgoing) => {
      const { socket } = incoming;
      idle.delete(socket);
      answering.set(socket, (answering.get(socket) ?? 0) + 1);
      const heard = (): void => void unheard.delete(socket);
      if (hasBody(incoming)) incoming.once('end', heard).once('close', heard);
      else heard();
      if (reserved.has(socket)) outgoing.shouldKeepAlive = false;
      outgoing.once('close', () => {
        const left = (answering.get(socket) ?? 1) - 1;
        if (left > 0) answering.set(socket, left);
        else answering.delete(socket);
        if (left <= 0 && addresses.has(socket)) idle.add(socket);
      });
    },
    isReserved: (socket) => reserved.has(socket),
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** An IPv4 address has one form, whatever kind of socket it came through. */
export function addressOf({ remoteAddress = 'unknown' }: Pick<Socket, 'remoteAddress'>): string {
  return remoteAddress.replace(/^::ffff:/, '');
}
