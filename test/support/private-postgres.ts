/**
 * A PostgreSQL of our own for one test file: in a temporary folder, on a free port, gone when the tests are over.
 *
 * For tests that stop it, or need settings of their own; all others share one (`shared-postgres.ts`). PostgreSQL refuses to run as root; root starts it as the user `postgres`, or else as `nobody`.
 */
import { execFile, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import type { Certificate } from './certificates.ts';
import { howToGet, needComponent } from './components.ts';
import { memoryFolder } from './memory-folder.ts';

export interface PrivatePostgres {
  /** The address of a database; without a name, of the one that is always there. */
  url(database?: string): string;
  /** A new database, made as a copy of `template` where one is given. Answers its address. */
  createDatabase(name: string, template?: string): Promise<string>;
  /** Connections of the test itself, the same for every call, closed with the server. */
  sql(database?: string): postgres.Sql;
  /** One connection alone, on which a transaction can be held open. */
  session(database: string): postgres.Sql;
  /** The server dies as by a power cut (`immediate`) or ends its connections first (`fast`), and does not come back. */
  stop(how: 'immediate' | 'fast'): Promise<void>;
  start(): Promise<void>;
  /** A standby becomes a server of its own. */
  promote(): Promise<void>;
  /** From now on this role comes in with its password only; all others need none. */
  requirePasswordOf(role: string): Promise<void>;
  /** Stops it and removes everything. */
  remove(): Promise<void>;
}

export interface PrivateOptions {
  /** It goes on when this process ends, and `remove` only closes the connections to it. */
  readonly outlivesProcess?: true;
  /** Where its files are; in memory, unless said, where there is room. */
  readonly folder?: string;
  /** Off is faster, and enough where no test takes the power away or asks `baton doctor`. */
  readonly fsync: boolean;
  /** Follows this one and can only be read from, until it is promoted. */
  readonly standbyOf?: PrivatePostgres;
  /** `name=value` settings of the server. */
  readonly settings?: readonly string[];
  /** Lines of pg_hba.conf before those that let everybody in. */
  readonly rules?: readonly string[];
  /** The server speaks TLS, shows this certificate, and believes those of clients that this authority has signed. */
  readonly encrypted?: { readonly certificate: Certificate; readonly authority: Certificate };
}

/** Null where there is no PostgreSQL and none may be installed: the test skips and says `WITHOUT_POSTGRES`. */
export const WITHOUT_POSTGRES = howToGet('postgres');

const run = promisify(execFile);

export async function privatePostgres(options: PrivateOptions): Promise<PrivatePostgres | null> {
  const binaries = await needComponent('postgres');
  if (binaries === null) return null;
  const identity = unprivileged();
  const home = mkdtempSync(join(options.folder ?? memoryFolder() ?? tmpdir(), 'baton-pg-'));
  const data = join(home, 'data');
  mkdirSync(data, { mode: 0o700 });
  for (const path of [home, data]) if (identity !== null) chownSync(path, identity.uid, identity.gid);
  const port = await freePort();
  const program = (name: string, ...args: readonly string[]): Promise<unknown> =>
    run(join(binaries, name), args, { ...identity, cwd: home, env: { ...process.env, PGUSER: '', LC_ALL: 'C.UTF-8' } });

  const settings = [
    `port=${port}`,
    `unix_socket_directories=${home}`,
    'listen_addresses=127.0.0.1',
    `fsync=${options.fsync ? 'on' : 'off'}`,
    // Its workers run whenever they like, which makes plans and timings depend on chance.
    'autovacuum=off',
    'max_connections=400',
    ...(options.settings ?? []),
    ...(options.encrypted === undefined
      ? []
      : ['ssl=on', `ssl_cert_file=${home}/cert`, `ssl_key_file=${home}/key`, `ssl_ca_file=${home}/authority`]),
  ];
  const flags = settings.map((setting) => `-c ${setting}`).join(' ');
  const control = (...args: readonly string[]): Promise<unknown> => program('pg_ctl', '-D', data, '-w', ...args);
  const connected = connectTo(port);
  const start = async (): Promise<void> => {
    await control('-l', join(home, 'log'), '-o', flags, 'start');
  };
  const stop = async (how: 'immediate' | 'fast'): Promise<void> => {
    await control('-m', how, 'stop');
  };

  const leave = (): void => {
    spawnSync(join(binaries, 'pg_ctl'), ['-D', data, '-m', 'immediate', 'stop'], { ...identity, cwd: '/' });
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  const interrupted = (): void => {
    leave();
    process.exit(130);
  };
  if (options.outlivesProcess !== true) {
    process.once('exit', leave);
    process.once('SIGINT', interrupted);
    process.once('SIGTERM', interrupted);
  }

  if (options.standbyOf === undefined) {
    await program('initdb', '-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync', '-E', 'UTF8', '--locale=C.UTF-8');
  } else {
    await program('pg_basebackup', '-d', options.standbyOf.url(), '-D', data, '-R', '--checkpoint=fast', '--no-sync');
  }
  if (options.encrypted !== undefined) {
    const { certificate, authority } = options.encrypted;
    const files = { cert: certificate.certPath, key: certificate.keyPath, authority: authority.certPath };
    for (const [name, from] of Object.entries(files)) {
      // The server refuses a key that others could read.
      writeFileSync(join(home, name), readFileSync(from), { mode: 0o600 });
      if (identity !== null) chownSync(join(home, name), identity.uid, identity.gid);
    }
  }
  const hba = join(data, 'pg_hba.conf');
  writeFileSync(hba, [...(options.rules ?? []), readFileSync(hba, 'utf8')].join('\n'));
  await start();

  return {
    ...connected,
    stop,
    start,
    promote: async () => {
      await control('promote');
    },
    requirePasswordOf: async (role) => {
      writeFileSync(hba, `host all ${role} all scram-sha-256\n${readFileSync(hba, 'utf8')}`);
      await control('reload');
    },
    remove: async () => {
      await connected.remove();
      if (options.outlivesProcess === true) return;
      process.off('exit', leave);
      process.off('SIGINT', interrupted);
      process.off('SIGTERM', interrupted);
      leave();
    },
  };
}

/** Ways to a server on this port; `remove` closes them and leaves the server as it is. */
export function connectTo(
  port: number,
): Pick<PrivatePostgres, 'url' | 'sql' | 'session' | 'createDatabase' | 'remove'> {
  const url = (database = 'postgres'): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const connections = new Map<string, postgres.Sql>();
  const connect = (name: string, database: string, max: number): postgres.Sql => {
    const made = postgres(url(database), { max, onnotice: () => undefined, fetch_types: false, backoff: () => 0.1 });
    connections.set(name, made);
    return made;
  };
  return {
    url,
    sql: (database = 'postgres') => connections.get(database) ?? connect(database, database, 3),
    session: (database) => connect(`${database} ${connections.size}`, database, 1),
    createDatabase: async (name, template) => {
      const admin = postgres(url(), { max: 1, onnotice: () => undefined, fetch_types: false });
      try {
        const [row] = await admin`select current_setting('server_version_num')::int >= 150000 as chooses`;
        const from = template === undefined ? '' : ` template "${template}"`;
        // To copy the files takes a quarter of the time that it takes to log each page of them.
        await admin.unsafe(`create database "${name}"${from}${row?.['chooses'] === true ? ' strategy file_copy' : ''}`);
      } finally {
        await admin.end();
      }
      return url(name);
    },
    remove: async () => {
      await Promise.all([...connections.values()].map((each) => each.end({ timeout: 1 }).catch(() => undefined)));
    },
  };
}

export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** The user whom servers run as that refuse to be root; null where we are not root ourselves. */
export function unprivileged(): Identity | null {
  if (process.getuid?.() !== 0) return null;
  for (const user of ['postgres', 'nobody']) {
    const uid = numberFrom('id', '-u', user);
    const gid = numberFrom('id', '-g', user);
    if (uid !== null && gid !== null) return { uid, gid };
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody"');
}

function numberFrom(program: string, ...args: readonly string[]): number | null {
  const told = spawnSync(program, args, { encoding: 'utf8' });
  return told.status === 0 ? Number(told.stdout.trim()) : null;
}

export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
