/**
 * Reaches a server: one host after the other, encrypted as the address asks.
 *
 * The driver is handed a socket that is secure already. Its own way to TLS checks the certificate of a server that is
 * called by its number against the name `localhost`, and takes a server without TLS for one that is away.
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
    // Without the delay that small packets are otherwise held back for: statements are sent while others are answered.
    const socket = isSocket ? connect({ path: `${host}/.s.PGSQL.${port}` }) : connect({ host, port, noDelay: true });
    // The driver listens from the moment it has the socket; until then this does.
    socket.on('error', () => undefined);
    const late = setTimeout(() => socket.destroy(new SilentServer(shown)), connectTimeoutMs);
    try {
      await event(socket, 'connect');
      // As psql does it: nobody listens in on a socket of this machine.
      return tls === false || isSocket ? socket : await encrypted(socket, host, tls);
    } catch (error) {
      socket.destroy();
      // What is wrong for good is told, even when the next host is only away.
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
    throw new Refusal(
      `${host} does not offer TLS, which sslmode=${tls.mode} asks for: switch it on at the server (ssl = on), ` +
        'or say sslmode=disable where nobody can listen in',
    );
  }
  if (answer[0] !== YES) throw new SilentServer(host);
  // Whatever came along with the answer was not encrypted, and somebody else may have written it.
  if (answer.length > 1) throw new Refusal(`${host} sent more than its answer before the encryption began`);

  const secured = secure({
    socket,
    secureContext: context,
    // The name that is verified is the one that was connected to, also when it is a number.
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
    throw refusalOf(error, host, tls);
  }
}

function contextOf({ ca, cert, key }: Tls): SecureContext {
  try {
    return createSecureContext(defined({ ca, cert, key }));
  } catch (error) {
    throw new Refusal(`sslrootcert, sslcert or sslkey cannot be used: ${messageOf(error)}`);
  }
}

/** A line that was cut passes by itself; everything else about TLS has to be changed by somebody. */
function refusalOf(error: unknown, host: string, { ca }: Tls): unknown {
  const { kind, code } = connectError(error);
  if (kind !== 'fault') return error;
  const says = messageOf(error);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return new Refusal(
      `the certificate of ${host} is for another name (${says}): connect by a name that stands in it, ` +
        'or check only who signed it, with sslmode=verify-ca',
    );
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return new Refusal(`the certificate of ${host} is not valid today (${says}): renew it, or set the clock right`);
  }
  if (code.startsWith('ERR_')) {
    return new Refusal(
      `${host} and Baton could not agree on TLS (${says}): correct it at the server, ` +
        'or say sslmode=disable where nobody can listen in',
    );
  }
  const known = ca === undefined ? 'an authority known to Node' : 'the authority in sslrootcert';
  return new Refusal(
    `the certificate of ${host} was not signed by ${known} (${says}): ` +
      "name the file with the right authority's certificate, with sslrootcert=…",
  );
}

/** Without a code, so that it counts as wrong for good. */
class Refusal extends Error {
  override readonly name = 'Refusal';
}

export class SilentServer extends Error {
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
      const until = (each: string, end: (heard: unknown) => void): void => {
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
