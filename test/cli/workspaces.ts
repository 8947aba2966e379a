/** A workspace for the test that calls it, on each database that there is; and a look into it from outside. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import type { Json } from '../../src/foundation/json.ts';
import type { Fact } from '../../src/domain/facts.ts';
import type { Terms } from '../../src/domain/handoff.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { readAgentId, type AgentId, type HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { DEFAULT_RETRY } from '../../src/domain/retry-policy.ts';
import type { Context } from '../../src/engine/context.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import type { DatabaseAddress } from '../../src/workspace/database-address.ts';
import { openApp } from '../../src/app/open-app.ts';
import { WITHOUT_POSTGRES, type PrivatePostgres } from '../support/private-postgres.ts';
import { sharedPostgres, WITH_TABLES } from '../support/shared-postgres.ts';
import { putDatabase } from '../support/sqlite-with-tables.ts';
import {
  quickBaton,
  startBaton,
  tempFolder,
  type Ended,
  type Running,
  type StartOptions,
} from '../support/processes.ts';

export interface TestDatabase {
  readonly name: string;
  /** A new database with our tables for one workspace. */
  readonly make: (folder: string) => Promise<DatabaseAddress>;
}

export const sqlite: TestDatabase = {
  name: 'SQLite',
  make: async (folder) => {
    const path = join(folder, '.baton', 'baton.db');
    putDatabase(path);
    return { kind: 'sqlite', path };
  },
};

/** As a fresh clone has it: the first command that writes makes the file. */
export const sqliteWithoutFile: TestDatabase = {
  name: 'SQLite without a file',
  make: async (folder) => ({ kind: 'sqlite', path: join(folder, '.baton', 'baton.db') }),
};

let server: Promise<PrivatePostgres | null> | null = null;
let databasesMade = 0;

/** The server is started by the first test that needs it. */
async function newDatabase(template?: string): Promise<DatabaseAddress> {
  server ??= sharedPostgres();
  const running = await server;
  if (running === null) throw new Error(WITHOUT_POSTGRES);
  databasesMade += 1;
  return { kind: 'postgres', url: await running.createDatabase(`workspace_${databasesMade}`, template) };
}

export const postgresql: TestDatabase = { name: 'PostgreSQL', make: () => newDatabase(WITH_TABLES) };

/** As the administrator of a server makes it: the first command that writes makes the tables. */
export const postgresqlWithoutTables: TestDatabase = { name: 'PostgreSQL without tables', make: () => newDatabase() };

export const databases: readonly TestDatabase[] = [sqlite, postgresql];

export interface Workspace {
  readonly folder: string;
  readonly address: DatabaseAddress;
  /** Runs the command in this workspace to its end. */
  readonly run: (args: readonly string[], options?: StartOptions) => Promise<Ended>;
  readonly start: (args: readonly string[], options?: StartOptions) => Running;
  /** The engine's surroundings on the same database, in the process of the test. */
  readonly open: () => Promise<Context>;
  /** Sends and answers the id. */
  readonly send: (to: string, input?: unknown, more?: readonly string[]) => Promise<HandoffId>;
}

export async function makeWorkspace(database: TestDatabase, configuration = ''): Promise<Workspace> {
  const folder = tempFolder();
  mkdirSync(join(folder, '.baton'), { mode: 0o700 });
  writeFileSync(join(folder, 'baton.yaml'), configuration);
  const address = await database.make(folder);
  const place = address.kind === 'postgres' ? { BATON_DATABASE: address.url } : {};
  const inside = (options: StartOptions): StartOptions => ({
    ...options,
    cwd: options.cwd ?? folder,
    env: { ...place, ...options.env },
  });
  const run = (args: readonly string[], options: StartOptions = {}): Promise<Ended> =>
    quickBaton(args, inside(options));
  return {
    folder,
    address,
    run,
    start: (args, options = {}) => startBaton(args, inside(options)),
    open: () => openFor(address),
    send: async (to, input = {}, more = []) => {
      const sent = await run(['send', '--from', '@me', '--to', to, '--input', JSON.stringify(input), ...more]);
      if (sent.code !== 0) throw new Error(`send ended with ${sent.code}: ${sent.stderr}`);
      return sent.stdout.trim() as HandoffId;
    },
  };
}

/** Opened for the test that calls this, and closed after it. */
export async function openFor(database: DatabaseAddress): Promise<Context> {
  const app = await openApp({ database, limits: NO_LIMITS });
  onTestFinished(async () => app.close());
  return app.ctx;
}

export async function factsOf({ store }: Context, handoff: HandoffId): Promise<readonly Fact[]> {
  return (await store.facts({ handoff, max: 10_000 })).map((read) => read.fact);
}

/** The trail in words: what happened and by whom. */
export async function storyOf(ctx: Context, handoff: HandoffId): Promise<readonly string[]> {
  return (await factsOf(ctx, handoff)).map((fact) => `${fact.deed} by ${fact.by}`);
}

export function agentOf(name: string): AgentId {
  return present(readAgentId(name), `${name} is a name of an agent`);
}

/** One JSON document per line. */
export function jsonLines(text: string): readonly unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

/** Sends with terms that the command line cannot express. */
export async function sendWith(ctx: Context, to: string, terms: Partial<Terms>, input: Json = {}): Promise<HandoffId> {
  const from = agentOf('me');
  const sent = await send(ctx, agentPrincipal(from), { from, to: agentOf(to), input, terms });
  if (!sent.ok) throw new Error(`refused: ${sent.refusal.code}`);
  return sent.value.id;
}

/** The first failure is the last. */
export const NO_RETRIES = { retry: { ...DEFAULT_RETRY, retriesMax: 0 } } as const satisfies Partial<Terms>;

/** The process that sweeps for all on this host, if there is one. */
export async function dutyPidOf({ store, liveness }: Context): Promise<number | null> {
  return (await store.upkeep.dutyHolder(liveness.self))?.process.pid ?? null;
}
