/**
 * One PostgreSQL for all test files of a run that need no settings of their own: started by the first file that asks,
 * ended with the run. Each file has databases of its own, whose names carry its mark.
 *
 * Files run in processes of their own. They find the server by a file in a folder that the run has made.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { systemRandom } from '../../src/foundation/random.ts';
import { needComponent } from './components.ts';
import {
  connectTo,
  type PrivateOptions,
  privatePostgres,
  type PrivatePostgres,
  unprivileged,
} from './private-postgres.ts';

const FOLDER_VARIABLE = 'BATON_TEST_SERVERS';
/** A database with our tables and nothing in them. To copy it takes half the time that it takes to make another. */
export const WITH_TABLES = 'with_tables';
const LOOK_AGAIN_MS = 50;
/** Making and starting one takes two seconds, or a minute where everything is busy. */
const START_MAX_MS = 170_000;

interface Started {
  readonly port: number;
  readonly data: string;
}

/** Before the first test file. */
export function prepareSharedServers(): void {
  process.env[FOLDER_VARIABLE] = mkdtempSync(join(tmpdir(), 'baton-test-servers-'));
}

/** After the last one. */
export async function endSharedServers(): Promise<void> {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined) return;
  const binaries = readdirSync(folder).length === 0 ? null : await needComponent('postgres');
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
    const { data } = read(join(folder, name));
    const args = ['-D', data, '-m', 'immediate', 'stop'];
    spawnSync(join(binaries ?? '', 'pg_ctl'), args, { ...unprivileged(), cwd: '/' });
    rmSync(join(data, '..'), { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Null where there is no PostgreSQL. What would disturb other files (stopping it, for one) is refused. */
export async function sharedPostgres(): Promise<PrivatePostgres | null> {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined) return startOne({});
  const started = await startedOnce(join(folder, 'postgres'));
  return started === null ? null : share(connectTo(started.port));
}

async function startedOnce(place: string): Promise<Started | null> {
  const [file, lock] = [`${place}.json`, `${place}.lock`];
  const endMs = performance.now() + START_MAX_MS;
  while (!existsSync(file)) {
    if (!tryLock(lock)) {
      if (performance.now() > endMs) throw new Error(`another test file was to start PostgreSQL and did not: ${lock}`);
      await pause(LOOK_AGAIN_MS);
      continue;
    }
    try {
      if (existsSync(file)) break;
      const server = await startOne({ outlivesProcess: true });
      if (server === null) return null;
      const [row] = await server.sql()`select current_setting('data_directory') as data`;
      const started: Started = { port: Number(new URL(server.url()).port), data: String(row?.['data']) };
      await server.remove();
      writeFileSync(`${file}.draft`, JSON.stringify(started));
      renameSync(`${file}.draft`, file);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
  return read(file);
}

async function startOne(options: Pick<PrivateOptions, 'outlivesProcess'>): Promise<PrivatePostgres | null> {
  const server = await privatePostgres({ fsync: true, ...options });
  if (server === null) return null;
  const url = await server.createDatabase(WITH_TABLES);
  // Loaded here, because the process that starts and ends all test files needs nothing of it.
  const { openPostgresStore } = await import('../../src/stores/postgres/open-postgres-store.ts');
  await (await openPostgresStore({ url, limits: NO_LIMITS, random: systemRandom })).close();
  return server;
}

function tryLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}

function read(file: string): Started {
  return JSON.parse(readFileSync(file, 'utf8')) as Started;
}

function share(
  connected: Pick<PrivatePostgres, 'url' | 'sql' | 'session' | 'createDatabase' | 'remove'>,
): PrivatePostgres {
  const mark = `_${randomUUID().slice(0, 8)}`;
  const made: string[] = [];
  const own = (name: string | undefined): string | undefined =>
    name === undefined || [WITH_TABLES, 'postgres'].includes(name) || name.endsWith(mark) ? name : `${name}${mark}`;
  const refused = (): never => {
    throw new Error('other test files use this server too; a test that does this to it needs privatePostgres');
  };
  return {
    url: (name) => connected.url(own(name)),
    sql: (name) => connected.sql(own(name)),
    session: (name) => connected.session(own(name) ?? name),
    createDatabase: async (name, template) => {
      const full = own(name) ?? name;
      made.push(full);
      return connected.createDatabase(full, own(template));
    },
    stop: refused,
    start: refused,
    promote: refused,
    requirePasswordOf: refused,
    remove: async () => {
      for (const name of made) await connected.sql().unsafe(`drop database if exists "${name}" with (force)`);
      await connected.remove();
    },
  };
}
