/**
 * Connects to a server: one host after the other, encrypted as the address requires.
 *
 * The driver gets a socket that is already encrypted. Its own TLS checks the certificate of a server with a numeric
 * address against the name `localhost`, and treats a server without TLS as unreachable.
 */
import { defined } from '../../foundation/defined.ts';
import { messageOf } from '../../foundation/error-message.ts';
import { connect, isIP, type Socket } from 'node:net';
import { connect as secure, createSecureContext, type SecureContext } from 'node:tls';
import type { Address, Tls } from './address.ts';
import { connectError, type ConnectionError } from './connection-error.ts';

export async function connectSocket({ hosts, tls, connectTimeoutMs, shown }: Address): Promise<Socket> {
  let problem: ConnectionError | null = null;
  for (const { host, port } of hosts) {
    const isSocket = host.startsWith('/');
    // `noDelay`: statements are sent while others are being answered.
    const socket = isSocket ? connect({ path: `${host}/.s.PGSQL.${port}` }) : connect({ host, port, noDelay: true });
    // The driver handles errors once it has the socket.
    socket.on('error', () => undefined);
    const late = setTimeout(() => socket.destroy(new ServerTimeout(shown)), connectTimeoutMs);
    try {
      await event(socket, 'connect');
      // As in psql: a Unix socket needs no encryption.
      return tls === false || isSocket ? socket : await encrypted(socket, host, tls);
    } catch (error) {
      socket.destroy();
      // A permanent error is reported even if the next host is only unreachable.
      if (problem?.kind !== 'fault') problem = connectError(error);
    } finally {
      clearTimeout(late);
    }
  }
  throw problem ?? connectError(new Error(`${shown} names no host`));
}

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const YES = 0x53;
const NO = 0x4e;

async function encrypted(socket: Socket, host: string, tls: Tls): Promise<Socket> {
  const context = contextOf(tls);
  socket.write(SSL_REQUEST);
  const answer = await event(socket, 'data');
  if (answer[0] === NO && tls.mode === 'prefer') return socket;
  if (answer[0] === NO) {
    throw new TlsError(
      `${host} does not offer TLS, which sslmode=${tls.mode} asks for: switch it on at the server (ssl = on), ` +
        'or use sslmode=disable on a trusted network',
    );
  }
  if (answer[0] !== YES) throw new ServerTimeout(host);
  // Further bytes were not encrypted, and an attacker may have sent them.
  if (answer.length > 1) throw new TlsError(`${host} sent more than its answer before the encryption began`);

  const secured = secure({
    socket,
    secureContext: context,
    // The certificate is checked against the connected host, even if it is numeric.
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: tls.mode === 'verify-ca' || tls.mode === 'verify-full',
    ...(tls.mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  });
  secured.on('error', () => undefined);
  try {
    await event(secured, 'secureConnect');
    return secured;
  } catch (error) {
    secured.destroy();
    throw tlsErrorOf(error, host, tls);
  }
}

function contextOf({ ca, cert, key }: Tls): SecureContext {
  try {
    return createSecureContext(defined({ ca, cert, key }));
  } catch (error) {
    throw new TlsError(`sslrootcert, sslcert or sslkey cannot be used: ${messageOf(error)}`);
  }
}

/** A lost connection is temporary. All other TLS errors need a change of the configuration. */
function tlsErrorOf(error: unknown, host: string, { ca }: Tls): unknown {
  const { kind, code } = connectError(error);
  if (kind !== 'fault') return error;
  const says = messageOf(error);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return new TlsError(
      `the certificate of ${host} is for another name (${says}): connect by a name that stands in it, ` +
        'or check only who signed it, with sslmode=verify-ca',
    );
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return new TlsError(`the certificate of ${host} is not valid today (${says}): renew it, or set the clock right`);
  }
  if (code.startsWith('ERR_')) {
    return new TlsError(
      `${host} and Baton could not agree on TLS (${says}): correct it at the server, ` +
        'or use sslmode=disable on a trusted network',
    );
  }
  const known = ca === undefined ? 'an authority known to Node' : 'the authority in sslrootcert';
  return new TlsError(
    `the certificate of ${host} was not signed by ${known} (${says}): ` +
      "name the file with the right authority's certificate, with sslrootcert=…",
  );
}

/** Has no code, so it counts as permanent. */
class TlsError extends Error {
  override readonly name = 'Refusal';
}

export class ServerTimeout extends Error {
  override readonly name = 'SilentServer';
  readonly code = 'ETIMEDOUT';

  constructor(shown: string) {
    super(`${shown} does not answer`);
  }
}

class ClosedByServer extends Error {
  override readonly name = 'ClosedByServer';
  readonly code = 'ECONNRESET';
}

function event(socket: Socket, name: 'data'): Promise<Buffer>;
function event(socket: Socket, name: 'connect' | 'secureConnect'): Promise<unknown>;
async function event(socket: Socket, name: string): Promise<unknown> {
  const leaving = new AbortController();
  try {
    return await new Promise((resolve, reject) => {
      const until = (each: string, end: (value: unknown) => void): void => {
        socket.once(each, end);
        leaving.signal.addEventListener('abort', () => socket.off(each, end));
      };
      until(name, resolve);
      until('error', reject);
      until('close', () => reject(new ClosedByServer('the server closed the connection')));
    });
  } finally {
    leaving.abort();
  }
}
