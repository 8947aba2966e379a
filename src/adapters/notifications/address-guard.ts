/**
 * Which addresses may be called from here. A url comes from a configuration or from another program, and its name may
 * resolve to another address the next time. So the name is resolved once, the address is judged, and the caller connects to
 * exactly that address.
 */
import { BlockList, isIP } from 'node:net';

export interface Address {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (name: string) => Promise<readonly Address[]>;

/** Ranges that are not the public internet, and public ones that belong to the machine's host. */
const CLOSED_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
/** Outside of this, IPv6 has nothing for us: loopback, local, multicast, and every form that wraps an IPv4 address. */
const OPEN_V6 = ['2000::', 3] as const;
const CLOSED_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const closedV4 = listOf(CLOSED_V4, 'ipv4');
const closedV6 = listOf(CLOSED_V6, 'ipv6');
const openV6 = listOf([OPEN_V6], 'ipv6');

/**
 * `allowHosts` opens what is closed: a name (`localhost`), an address (`127.0.0.1`, `::1`), both also with a port
 * (`127.0.0.1:8080`, `[::1]:8080`), or a range (`10.0.0.0/8`).
 */
export function guardAddresses(allowHosts: readonly string[], resolve: Resolve) {
  const allowed = allowHosts.map(readAllowed);
  return {
    /** The address to connect to, or why not. `final`: no later answer of the name service can change it. */
    async admit(url: URL) {
      const host = hostOf(url);
      const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
      const may = ({ address }: Address): boolean =>
        isPublic(address) || allowed.some((each) => each.ports(port) && (each.name === host || each.covers(address)));
      const family = isIP(host);
      if (family !== 0) {
        const to = { address: host, family };
        return may(to) ? { to } : { refused: wording(host, host), final: true };
      }
      const found = await resolve(host);
      // One closed address among open ones is how a name is made to lead inside at the second look.
      const closed = found.find((each) => isIP(each.address) === 0 || !may(each));
      if (closed !== undefined) return { refused: wording(host, closed.address), final: false };
      // IPv4 first: a machine without a way for IPv6 still has the names of both.
      const [to] = found.toSorted((a, b) => a.family - b.family);
      return to === undefined ? { refused: `${host} has no address`, final: false } : { to };
    },
  };
}

function wording(host: string, address: string): string {
  const says =
    host === address ? `${host} is not a public address` : `${host} leads to ${address}, which is not public`;
  return `${says}; allow it with allow_hosts if that is meant`;
}

export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !closedV4.check(address, 'ipv4');
  return (
    isIP(address) === 6 && !address.includes('%') && openV6.check(address, 'ipv6') && !closedV6.check(address, 'ipv6')
  );
}

/** Without the brackets of IPv6 and the dot that ends a full name. The parser of urls has made one form of all others. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

interface Allowed {
  readonly name: string | null;
  covers(address: string): boolean;
  ports(port: string): boolean;
}

function readAllowed(text: string): Allowed {
  const range = /^(.+)\/(\d{1,3})$/.exec(text);
  if (range !== null) return withList(range[1] ?? '', Number(range[2]), null, text);
  const [, bracketed, plain, port = null] = /^(?:\[(.+)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = (bracketed ?? plain ?? text).toLowerCase().replace(/\.$/, '');
  const family = isIP(host);
  if (family !== 0) return withList(host, family === 4 ? 32 : 128, port, text);
  if (!/^[a-z0-9_.-]+$/.test(host))
    throw new Error(`allow_hosts: ${JSON.stringify(text)} is no host, address or range`);
  return { name: host, covers: () => false, ports: (each) => port === null || each === port };
}

function withList(address: string, prefix: number, port: string | null, text: string): Allowed {
  const family = isIP(address);
  if (family === 0 || prefix > (family === 4 ? 32 : 128)) {
    throw new Error(`allow_hosts: ${JSON.stringify(text)} is no host, address or range`);
  }
  const list = listOf([[address, prefix]], family === 4 ? 'ipv4' : 'ipv6');
  return {
    name: null,
    covers: (each) => isIP(each) === family && !each.includes('%') && list.check(each, family === 4 ? 'ipv4' : 'ipv6'),
    ports: (each) => port === null || each === port,
  };
}

function listOf(ranges: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, family);
  return list;
}
