/** Encryption, against servers that have it and one that has not: what each sslmode accepts, and what it refuses. */
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SESSION_LEASE_MS } from '../../src/domain/deadlines.ts';
import { present } from '../../src/foundation/assert.ts';
import { systemRandom } from '../../src/foundation/random.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { openPostgresBeat } from '../../src/stores/postgres/heartbeat.ts';
import { openPostgresStore } from '../../src/stores/postgres/open-postgres-store.ts';
import { StoreFault, type Store } from '../../src/stores/store.ts';
import { acceptBy, openingOf, processOf, SESSION, WORKER } from '../contract/builders.ts';
import { put } from '../contract/store-checks.ts';
import { makingCertificates, WITHOUT_OPENSSL, type Certificate } from '../support/certificates.ts';
import { privatePostgres, WITHOUT_POSTGRES, type PrivatePostgres } from '../support/private-postgres.ts';
import { tempFolder } from '../support/processes.ts';
import { faultOf } from './fixture.ts';

/** Longer than a test may take. */
const FOR_EVER_MS = 60 * 60_000;

const SECRET = 'tr0ub4dor-3';

interface Servers {
  readonly authority: Certificate;
  readonly stranger: Certificate;
  readonly client: Certificate;
  readonly right: PrivatePostgres;
  readonly foreign: PrivatePostgres;
  /** Its certificate has the name `localhost` and no number. */
  readonly named: PrivatePostgres;
  readonly plain: PrivatePostgres;
  remove(): Promise<void>;
}

async function startServers(): Promise<Servers | null> {
  const making = await makingCertificates();
  if (making === null) return null;
  const authority = making.authority('Baton test authority');
  const right = making.signedBy(authority, 'somebody', 'DNS:localhost,IP:127.0.0.1');
  const foreign = making.signedBy(authority, 'elsewhere', 'DNS:db.example.org,IP:192.0.2.7');
  const named = making.signedBy(authority, 'somebody', 'DNS:localhost');
  const rules = ['hostssl all certified all cert', 'host all certified all reject'];
  const started = await Promise.all([
    privatePostgres({ fsync: false, encrypted: { certificate: right, authority }, rules }),
    privatePostgres({ fsync: false, encrypted: { certificate: foreign, authority } }),
    privatePostgres({ fsync: false, encrypted: { certificate: named, authority } }),
    privatePostgres({ fsync: false }),
  ]);
  const [one, two, three, four] = started;
  if (one === null || two === null || three === null || four === null) return null;
  return {
    authority,
    stranger: making.authority('another authority'),
    client: making.signedBy(authority, 'certified'),
    right: one,
    foreign: two,
    named: three,
    plain: four,
    remove: async () => {
      await Promise.all([one, two, three, four].map((each) => each.remove()));
      making.remove();
    },
  };
}

const started = await startServers();
const missing = started === null ? ` (${WITHOUT_POSTGRES}; ${WITHOUT_OPENSSL})` : '';

describe.skipIf(started === null)(`a server with TLS${missing}`, () => {
  const servers = (): Servers => present(started, 'there are servers');
  afterAll(async () => started?.remove());

  /** Always with a password, which must not come out again. */
  const address = (server: PrivatePostgres, host: string, parameters: Readonly<Record<string, string>>): string => {
    const { port } = new URL(server.url());
    const query = new URLSearchParams(parameters).toString();
    return `postgres://postgres:${SECRET}@${host}:${port}/postgres${query === '' ? '' : `?${query}`}`;
  };
  const opened = async (url: string): Promise<Store> => {
    const store = await openPostgresStore({ url, limits: NO_LIMITS, random: systemRandom });
    onTestFinished(async () => store.close());
    return store;
  };
  /** How the connections of stores and beats look to the server. */
  const seenBy = async (server: PrivatePostgres): Promise<readonly unknown[]> =>
    server.sql()`select distinct ssl, version, client_dn from pg_stat_ssl join pg_stat_activity using (pid)
      where application_name like 'baton%'`;
  /** Opens a store, uses it, and answers what the server saw. */
  const uses = async (server: PrivatePostgres, url: string): Promise<unknown> => {
    const store = await opened(url);
    await store.sessions.open({ id: SESSION, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS });
    await put(store, openingOf({ id: `a-${Math.random()}` }));
    expect(await store.claim(WORKER, 1, acceptBy())).toHaveLength(1);
    const seen = await seenBy(server);
    await store.close();
    return seen;
  };
  const ENCRYPTED = [{ ssl: true, version: 'TLSv1.3', client_dn: null }];
  const PLAIN = [{ ssl: false, version: null, client_dn: null }];
  const ca = (): string => servers().authority.certPath;

  it.each(['require', 'prefer', 'allow'])('%s encrypts, and does not ask who answers', async (sslmode) => {
    const { right, foreign } = servers();
    expect(await uses(right, address(right, '127.0.0.1', { sslmode }))).toEqual(ENCRYPTED);
    expect(await uses(foreign, address(foreign, 'localhost', { sslmode }))).toEqual(ENCRYPTED);
  });

  it('without sslmode a connection is encrypted where the server can, and plain where it cannot', async () => {
    const { right, foreign, plain } = servers();
    expect(await uses(right, address(right, '127.0.0.1', {}))).toEqual(ENCRYPTED);
    expect(await uses(foreign, address(foreign, 'localhost', {}))).toEqual(ENCRYPTED);
    expect(await uses(plain, address(plain, 'localhost', {}))).toEqual(PLAIN);
  });

  it('nothing is encrypted where sslmode=disable, or where the server cannot and need not', async () => {
    const { right, plain } = servers();
    expect(await uses(right, address(right, '127.0.0.1', { sslmode: 'disable' }))).toEqual(PLAIN);
    expect(await uses(plain, address(plain, 'localhost', { sslmode: 'prefer' }))).toEqual(PLAIN);
  });

  it('a socket of this machine needs no encryption, whatever is asked, as in psql', async () => {
    const { right } = servers();
    const [row] = await right.sql()`select current_setting('unix_socket_directories') as folder`;
    const query = new URLSearchParams({
      host: String(row?.['folder']),
      port: new URL(right.url()).port,
      sslmode: 'verify-full',
    });
    expect(await uses(right, `postgres://postgres@/postgres?${query.toString()}`)).toEqual(PLAIN);
  });

  it.each(['localhost', '127.0.0.1'])('verify-full believes the right server, called %s', async (host) => {
    const { right } = servers();
    const url = address(right, host, { sslmode: 'verify-full', sslrootcert: ca() });
    expect(await uses(right, url)).toEqual(ENCRYPTED);
  });

  it('a root certificate alone asks for everything, and the environment says it as well', async () => {
    const { right, foreign } = servers();
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('PGSSLROOTCERT', ca());
    expect(await uses(right, address(right, '127.0.0.1', {}))).toEqual(ENCRYPTED);
    expect((await refused(address(foreign, '127.0.0.1', {}))).message).toContain('is for another name');
    vi.stubEnv('PGSSLMODE', 'verify-ca');
    expect(await uses(foreign, address(foreign, '127.0.0.1', {}))).toEqual(ENCRYPTED);
    vi.stubEnv('PGSSLMODE', 'disable');
    expect(await uses(right, address(right, '127.0.0.1', {}))).toEqual(PLAIN);
  });

  it.each(['verify-ca', 'require'])('%s with a root certificate asks who signed, not for whom', async (sslmode) => {
    const { foreign, stranger } = servers();
    const url = address(foreign, '127.0.0.1', { sslmode, sslrootcert: ca() });
    expect(await uses(foreign, url)).toEqual(ENCRYPTED);
    const fault = await refused(address(foreign, '127.0.0.1', { sslmode, sslrootcert: stranger.certPath }));
    expect(fault.message).toMatch(/not signed by the authority in sslrootcert.*name the file/s);
  });

  /** Refused at once: whoever is refused for good is not kept waiting for a patience that has no end. */
  const refused = async (url: string): Promise<Error> => {
    const fault = await faultOf(
      openPostgresStore({ url, limits: NO_LIMITS, random: systemRandom, patienceMs: FOR_EVER_MS }),
    );
    expect(fault).toBeInstanceOf(StoreFault);
    expect(fault).toMatchObject({ outcome: 'unchanged' });
    expect(`${fault.stack ?? ''} ${inspect(fault, { depth: 9, showHidden: true })}`).not.toContain(SECRET);
    return fault;
  };

  it.each(['localhost', '127.0.0.1'])('verify-full refuses a server with a foreign name, called %s', async (host) => {
    const { foreign } = servers();
    const fault = await refused(address(foreign, host, { sslmode: 'verify-full', sslrootcert: ca() }));
    expect(fault.message).toMatch(/is for another name .*connect by a name that stands in it/s);
  });

  it('verify-full does not take a number for the name of this machine', async () => {
    const { named } = servers();
    const verified = { sslmode: 'verify-full', sslrootcert: ca() };
    expect(await uses(named, address(named, 'localhost', verified))).toEqual(ENCRYPTED);
    expect((await refused(address(named, '127.0.0.1', verified))).message).toContain('is for another name');
  });

  it('verify-full refuses an authority that it does not know, with and without one of its own', async () => {
    const { right, stranger } = servers();
    const theirs = { sslmode: 'verify-full', sslrootcert: stranger.certPath };
    expect((await refused(address(right, 'localhost', theirs))).message).toMatch(
      /not signed by the authority in sslrootcert.*sslrootcert=/s,
    );
    for (const more of [{}, { sslrootcert: 'system' }]) {
      expect((await refused(address(right, 'localhost', { sslmode: 'verify-full', ...more }))).message).toMatch(
        /not signed by an authority known to Node.*sslrootcert=/s,
      );
    }
  });

  it.each(['require', 'verify-ca', 'verify-full'])('%s refuses a server without TLS', async (sslmode) => {
    const fault = await refused(address(servers().plain, '127.0.0.1', { sslmode }));
    expect(fault.message).toMatch(/does not offer TLS.*ssl = on.*sslmode=disable/s);
  });

  it('files that are no certificates are refused, and an empty one does not mean everybody', async () => {
    const { right, client } = servers();
    const [empty, broken] = [join(tempFolder(), 'empty.crt'), join(tempFolder(), 'broken.crt')];
    writeFileSync(empty, '');
    writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n');
    const wrongs: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
      [{ sslrootcert: empty }, /no certificate in/],
      [{ sslrootcert: broken }, /cannot be used|not signed by/],
      [{ sslrootcert: '/nowhere/ca.crt' }, /could not read \/nowhere/],
      [{ sslcert: client.certPath }, /sslcert and sslkey go together/],
      [{ sslcert: client.certPath, sslkey: ca() }, /cannot be used/],
      [{ sslmode: 'require', sslrootcert: 'system' }, /verify-full only/],
    ];
    for (const [parameters, says] of wrongs) {
      expect((await refused(address(right, 'localhost', { sslmode: 'verify-full', ...parameters }))).message).toMatch(
        says,
      );
    }
  });

  it('a client shows its certificate, where the server asks for one', async () => {
    const { right, client, stranger } = servers();
    await right.sql().unsafe('create role certified login superuser');
    const url = (parameters: Readonly<Record<string, string>>): string =>
      address(right, 'localhost', { sslmode: 'verify-full', sslrootcert: ca(), ...parameters }).replace(
        'postgres:tr0',
        'certified:tr0',
      );
    const shows = url({ sslcert: client.certPath, sslkey: client.keyPath });
    expect(await uses(right, shows)).toEqual([{ ssl: true, version: 'TLSv1.3', client_dn: '/CN=certified' }]);
    expect((await refused(url({}))).message).toContain('requires a valid client certificate');
    const wrong = url({ sslcert: stranger.certPath, sslkey: stranger.keyPath });
    expect((await refused(wrong)).message).toMatch(/alert|unknown ca/i);
  });

  it('of several hosts, the name that is verified is the one connected to', async () => {
    const { right, foreign } = servers();
    const [away, wrong, good] = ['127.0.0.1:1', new URL(foreign.url()).host, `localhost:${new URL(right.url()).port}`];
    const url = (...hosts: readonly string[]): string =>
      `postgres://postgres@${hosts.join(',')}/postgres?sslmode=verify-full&sslrootcert=${ca()}`;
    expect(await uses(right, url(away, good))).toEqual(ENCRYPTED);
    expect(await uses(right, url(wrong, good))).toEqual(ENCRYPTED);
    expect(await seenBy(foreign)).toEqual([]);
    // Whichever comes last: what will not pass by itself is told.
    expect((await refused(url(away, wrong))).message).toContain('is for another name');
    expect((await refused(url(wrong, away))).message).toContain('is for another name');
  });

  it('a beat is encrypted and verified like everything else', async () => {
    const { right, foreign } = servers();
    const verified = { sslmode: 'verify-full', sslrootcert: ca() };
    const url = address(right, '127.0.0.1', verified);
    const store = await opened(url);
    await store.sessions.open({ id: SESSION, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS });
    await store.close();
    const beat = await openPostgresBeat(url, SESSION);
    onTestFinished(async () => beat.close());
    expect(await beat.beat()).toBe(true);
    expect(await seenBy(right)).toEqual(ENCRYPTED);
    const deceived = await openPostgresBeat(address(foreign, '127.0.0.1', verified), SESSION);
    onTestFinished(async () => deceived.close());
    expect((await faultOf(deceived.beat())).message).toContain('is for another name');
  });

  it('what comes along with the answer, before the encryption, is not listened to', async () => {
    const talker = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write('SZ\0\0\0\u0005I'));
    });
    await new Promise<void>((resolve) => talker.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void talker.close());
    const { port } = talker.address() as AddressInfo;
    const fault = await refused(`postgres://u:${SECRET}@127.0.0.1:${port}/d?sslmode=require`);
    expect(fault.message).toContain('before the encryption began');
  });
});
