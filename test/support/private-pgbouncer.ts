/**
 * A PgBouncer of our own before a private PostgreSQL: it lends connections for one transaction, from a pool so small
 * that they change hands all the time.
 */
import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { howToGet, needComponent } from './components.ts';
import { freePort, unprivileged, type PrivatePostgres } from './private-postgres.ts';

export const WITHOUT_PGBOUNCER = howToGet('pgbouncer');

export interface PrivatePgBouncer {
  /** The address of a database through the pooler, as it was given for the server itself. */
  through(url: string): string;
  remove(): Promise<void>;
}

export interface BouncerOptions {
  readonly poolSize: number;
  /** Who may come in, without a password. */
  readonly users?: readonly string[];
  /** Lines of its configuration. */
  readonly settings?: readonly string[];
}

const LOOK_AGAIN_MS = 20;
const READY_MAX_MS = 20_000;

/** Null where there is no PgBouncer and none may be installed. */
export async function privatePgBouncer(
  server: PrivatePostgres,
  options: BouncerOptions,
): Promise<PrivatePgBouncer | null> {
  const program = await needComponent('pgbouncer');
  if (program === null) return null;
  const identity = unprivileged();
  const home = mkdtempSync(join(tmpdir(), 'baton-pgbouncer-'));
  const port = await freePort();
  const [configuration, users, log] = [join(home, 'pgbouncer.ini'), join(home, 'users.txt'), join(home, 'log')];
  const settings = [
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${users}`,
    `logfile = ${log}`,
    'pool_mode = transaction',
    `default_pool_size = ${options.poolSize}`,
    'max_client_conn = 400',
    // Tests use many databases, each for a moment.
    'server_idle_timeout = 1',
    ...(options.settings ?? []),
  ];
  const { hostname, port: serverPort } = new URL(server.url());
  const databases = `[databases]\n* = host=${hostname} port=${serverPort}\n`;
  writeFileSync(configuration, `${databases}[pgbouncer]\n${settings.join('\n')}\n`);
  writeFileSync(users, (options.users ?? ['postgres']).map((user) => `"${user}" ""\n`).join(''));
  for (const path of [home, configuration, users]) if (identity !== null) chownSync(path, identity.uid, identity.gid);

  const child = spawn(program, ['-q', configuration], { ...identity, cwd: home, stdio: 'ignore' });
  const over = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  const leave = (): void => {
    child.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  process.once('exit', leave);

  const endMs = performance.now() + READY_MAX_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || performance.now() > endMs) {
      throw new Error(`PgBouncer did not start: ${readFileSync(log, 'utf8')}`);
    }
    await pause(LOOK_AGAIN_MS);
  }
  return {
    through: (url) => Object.assign(new URL(url), { port: String(port) }).href,
    remove: async () => {
      process.off('exit', leave);
      leave();
      await over;
    },
  };
}

async function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('connect', () => socket.destroy());
    socket.on('error', () => resolve(false));
  });
}
