/**
 * Checks the head of a request before anything reads it. Any page can make a browser on this machine send requests, so the
 * host and the origin are checked every time, also when no origin is given. The other checks close ways that only attackers
 * and broken proxies use.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ProblemCode } from '../shared/problems.ts';

export const BODY_BYTES_MAX = 1024 * 1024;
const ADDRESS_MAX = 8 * 1024;

export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, unmerged, so that repeated headers are seen. */
  readonly rawHeaders: readonly string[];
}

export interface AllowedOrigins {
  /** As in the `Host` header, in lower case. */
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
}

export interface GuardRefusal {
  readonly code: ProblemCode;
  readonly says: string;
}

export const METHODS = ['GET', 'HEAD', 'POST', 'DELETE'];
const OVERRIDES = ['x-http-method-override', 'x-http-method', 'x-method-override'];
/** A secret in an address would end up in histories, logs and referrers. */
const SECRET_NAMES = ['token', 'access_token', 'api_key', 'apikey', 'authorization', 'bearer', 'baton_token'];

export function guardRequest(head: RequestHead, allowed: AllowedOrigins): GuardRefusal | null {
  return (
    wrongHost(head, allowed) ??
    wrongMethod(head) ??
    wrongOrigin(head, allowed) ??
    wrongAddress(head) ??
    wrongBody(head) ??
    null
  );
}

function wrongHost({ headers, rawHeaders }: RequestHead, { hosts }: AllowedOrigins): GuardRefusal | null {
  const given = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  const host = headers.host?.toLowerCase() ?? '';
  if (given === 1 && hosts.has(host)) return null;
  return {
    code: 'host-refused',
    says: `this server does not accept the host name ${JSON.stringify(host)}; allow it with: baton serve --allow-host`,
  };
}

function wrongMethod({ method, headers }: RequestHead): GuardRefusal | null {
  const pretends = OVERRIDES.find((name) => headers[name] !== undefined);
  if (METHODS.includes(method) && pretends === undefined) return null;
  const says = pretends === undefined ? `${method} is not allowed here` : 'a header cannot override the method';
  return { code: 'method-not-allowed', says };
}

function wrongOrigin({ method, url, headers }: RequestHead, { origins }: AllowedOrigins): GuardRefusal | null {
  const { origin } = headers;
  if (origin !== undefined && !origins.has(origin.toLowerCase())) {
    return { code: 'origin-refused', says: `requests from pages of ${JSON.stringify(origin)} are not allowed` };
  }
  // For a browser, another port of this machine is the same site and gets its cookies.
  const site = headers['sec-fetch-site'];
  const elsewhere = site === 'cross-site' || site === 'same-site';
  const isVisit = (method === 'GET' || method === 'HEAD') && !url.startsWith('/api/');
  if (!elsewhere || isVisit) return null;
  return { code: 'origin-refused', says: 'requests from pages of other origins are not allowed' };
}

function wrongAddress({ url }: RequestHead): GuardRefusal | null {
  if (!url.startsWith('/') || url.startsWith('//') || url.length > ADDRESS_MAX) {
    return { code: 'bad-request', says: `a URL must be a path of at most ${ADDRESS_MAX} characters` };
  }
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const names = [...new URLSearchParams(query).keys()].map((name) => name.toLowerCase());
  if (names.includes('_method')) return { code: 'method-not-allowed', says: 'a parameter cannot override the method' };
  if (!names.some((name) => SECRET_NAMES.includes(name))) return null;
  return { code: 'token-refused', says: 'a token in a URL is not accepted; send it as Authorization: Bearer …' };
}

function wrongBody({ method, headers }: RequestHead): GuardRefusal | null {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return { code: 'not-a-media-type', says: `the content encoding ${JSON.stringify(encoding)} is not supported` };
  }
  const length = Number(headers['content-length'] ?? 0);
  if (length > BODY_BYTES_MAX) {
    return { code: 'body-too-large', says: `the body has ${length} bytes; at most ${BODY_BYTES_MAX} are allowed` };
  }
  const hasBody = length > 0 || headers['transfer-encoding'] !== undefined;
  if (hasBody && method !== 'POST') return { code: 'bad-request', says: `${method} takes no body` };
  const type = headers['content-type'];
  const needsContentType = hasBody || (method === 'POST' && type !== undefined);
  if (!needsContentType || /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type ?? '')) return null;
  return { code: 'not-a-media-type', says: 'a body needs the content type application/json' };
}

/** The host names of this server, and the origins whose pages may send requests. */
export function allowedOriginsFor(host: string, port: number, more: readonly string[]): AllowedOrigins {
  const own = ['localhost', '127.0.0.1', '[::1]', host.includes(':') ? `[${host}]` : host].map((name) =>
    `${name}:${port}`.toLowerCase(),
  );
  // A browser leaves out the default port.
  const bare = port === 80 ? own.map((name) => name.replace(/:80$/, '')) : [];
  const named = more.map((name) => name.toLowerCase());
  return {
    hosts: new Set([...own, ...bare, ...named]),
    origins: new Set([
      ...[...own, ...bare, ...named].map((name) => `http://${name}`),
      ...named.map((name) => `https://${name}`),
    ]),
  };
}
