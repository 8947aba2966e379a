/**
 * Reads a database address. Missing parts come from the environment, as in psql.
 *
 * The password is passed only to the driver; every text that leaves this store goes through `withoutPassword`.
 */
import { readFileSync } from 'node:fs';
import { StoreFault } from '../store.ts';

export interface Address {
  /** The address without its password. */
  readonly shown: string;
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  /** False: the connection is not encrypted. */
  readonly tls: Tls | false;
  readonly connectTimeoutMs: number;
  /** One of several hosts may be a standby: connect only to a host that can be written to. */
  readonly mustWrite: boolean;
  /** False behind a pooler that lends connections for one transaction: no notifications, no prepared statements. */
  readonly notify: boolean;
}

export interface Tls {
  readonly mode: 'prefer' | 'require' | 'verify-ca' | 'verify-full';
  /** The content of the files: trusted authorities, our certificate, and its key. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

const PORT = 5432;
const CONNECT_TIMEOUT_MS = 10_000;
/** The driver would send any other parameter to the server as a setting, and a misspelt one would be lost silently. */
const KNOWN_PARAMETERS = new Set([
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'connect_timeout',
  'application_name',
  'target_session_attrs',
  'channel_binding',
  'notify',
]);

/** The address without secrets, for messages. Rather removes too much than too little. */
export function withoutPassword(address: string): string {
  const [, scheme, rest] = /^(postgres(?:ql)?:\/*)?(.*)$/is.exec(address) ?? ['', '', address];
  const end = (rest ?? '').lastIndexOf('@');
  const who = (rest ?? '').slice(0, Math.max(0, end));
  // Without a scheme, the part before a colon may be anything.
  const shownWho = !who.includes(':') ? who : scheme === undefined ? '***' : `${who.slice(0, who.indexOf(':'))}:***`;
  const shown = end < 0 ? (rest ?? '') : `${shownWho}@${(rest ?? '').slice(end + 1)}`;
  return `${scheme ?? ''}${shown}`.replaceAll(/([?&](?:password|sslpassword)=)[^&#]*/gi, '$1***');
}

/** The address without its passwords, still valid. */
export function withoutSecrets(address: string): string {
  const shown = new URL(address);
  shown.password = '';
  for (const name of ['password', 'sslpassword']) shown.searchParams.delete(name);
  return shown.href;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function readAddress(address: string, environment: Environment): Address {
  const shown = withoutPassword(address);
  const parts = /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::(.*))?@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/is.exec(
    address,
  );
  if (parts === null) throw invalidAddress(shown, 'it should look like postgres://user@host:5432/database');
  const [, user, password, authority = '', database, query = ''] = parts;
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (!KNOWN_PARAMETERS.has(name)) throw invalidAddress(shown, `"${name}" is not a parameter known here`);
  }
  const given = (name: string, variable: string): string | undefined =>
    parameters.get(name) ?? (environment[variable] === '' ? undefined : environment[variable]);
  const hosts = hostsOf(authority, parameters, environment);
  return {
    shown,
    hosts,
    user: decoded(user, shown) ?? given('user', 'PGUSER'),
    password: decoded(password, shown) ?? given('password', 'PGPASSWORD'),
    database: decoded(database, shown) ?? given('dbname', 'PGDATABASE'),
    tls: tlsOf(given, shown),
    connectTimeoutMs: Number(given('connect_timeout', 'PGCONNECT_TIMEOUT') ?? 0) * 1000 || CONNECT_TIMEOUT_MS,
    mustWrite: mustWriteOf(given('target_session_attrs', 'PGTARGETSESSIONATTRS'), hosts, shown),
    notify: notifyOf(parameters.get('notify'), shown),
  };
}

/** A host that begins with `/` is the folder of a Unix socket. */
function hostsOf(authority: string, parameters: URLSearchParams, environment: Environment): Address['hosts'] {
  const names = authority === '' ? (parameters.get('host') ?? environment['PGHOST'] ?? 'localhost') : authority;
  const port = Number(parameters.get('port') ?? environment['PGPORT'] ?? PORT);
  return names.split(',').map((name) => {
    const host = decodeURIComponent(name);
    const [, bracketed, plain, ownPort] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(host) ?? [];
    return { host: bracketed ?? plain ?? host, port: ownPort === undefined ? port : Number(ownPort) };
  });
}

type Given = (name: string, variable: string) => string | undefined;

/**
 * As in psql: `require` encrypts without checking the server, `verify-ca` checks who signed the certificate, `verify-full`
 * also checks the host name. The default is `prefer`, or `verify-full` where a certificate is named.
 */
function tlsOf(given: Given, shown: string): Tls | false {
  const rootcert = given('sslrootcert', 'PGSSLROOTCERT');
  const sslcert = given('sslcert', 'PGSSLCERT');
  const mode = given('sslmode', 'PGSSLMODE') ?? ((rootcert ?? sslcert) === undefined ? 'prefer' : 'verify-full');
  if (mode === 'disable') return false;
  const own = ownCertificate(sslcert, given('sslkey', 'PGSSLKEY'), shown);
  // Everyone can get a certificate from a public authority, so its signature alone proves nothing.
  if (rootcert === 'system' && mode !== 'verify-full') {
    throw invalidAddress(shown, 'sslrootcert=system can be used with sslmode=verify-full only');
  }
  const ca = rootcert === undefined || rootcert === 'system' ? {} : { ca: authoritiesIn(rootcert, shown) };
  switch (mode) {
    case 'allow':
    case 'prefer':
      return { mode: 'prefer', ...own };
    case 'require':
      // As in psql: a given root certificate is used.
      return { mode: rootcert === undefined ? 'require' : 'verify-ca', ...ca, ...own };
    case 'verify-ca':
    case 'verify-full':
      return { mode, ...ca, ...own };
    default:
      throw invalidAddress(shown, `sslmode "${mode}" is not known`);
  }
}

function ownCertificate(cert: string | undefined, key: string | undefined, shown: string): Pick<Tls, 'cert' | 'key'> {
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined || key === undefined) throw invalidAddress(shown, 'sslcert and sslkey go together');
  return { cert: fileText(cert, shown), key: fileText(key, shown) };
}

/** Refuses a file without a certificate: it would count as none, and every public authority would be trusted. */
function authoritiesIn(path: string, shown: string): string {
  const text = fileText(path, shown);
  if (!text.includes('-----BEGIN ')) throw invalidAddress(shown, `there is no certificate in ${path}`);
  return text;
}

function fileText(path: string, shown: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StoreFault(`could not read ${path}, named for ${shown}`, 'unchanged', { cause: error });
  }
}

function notifyOf(text: string | null, shown: string): boolean {
  if (text === null || text === 'on' || text === 'off') return text !== 'off';
  throw invalidAddress(shown, `notify is "on" or "off", not "${text}"`);
}

/** Baton needs to write, so read-only targets are refused. */
function mustWriteOf(text: string | undefined, hosts: Address['hosts'], shown: string): boolean {
  if (text === undefined) return hosts.length > 1;
  if (['any', 'read-write', 'primary'].includes(text)) return text !== 'any';
  throw invalidAddress(shown, `target_session_attrs is "any", "read-write" or "primary", not "${text}"`);
}

function decoded(text: string | undefined, shown: string): string | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidAddress(shown, 'a "%" in a name or password is written %25');
  }
}

function invalidAddress(shown: string, says: string): StoreFault {
  return new StoreFault(`the database address ${shown} cannot be read: ${says}`, 'unchanged');
}
