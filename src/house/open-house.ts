/** Wires the parts together: the only place that knows every concrete one. */
import { systemClock, systemTimers } from '../foundation/clock.ts';
import { systemRandom } from '../foundation/random.ts';
import { SESSION_LEASE_MS } from '../domain/deadlines.ts';
import type { Limits } from '../domain/limits.ts';
import { guardSecrets } from '../engine/secrets/guard-store.ts';
import {
  NO_RULES,
  type EngineEvent,
  type HouseRules,
  type Liveness,
  type Surroundings,
} from '../engine/surroundings.ts';
import type { DocumentFolderOptions } from '../folders/document-folder.ts';
import type { QueueFolderOptions } from '../folders/queue-folder.ts';
import type { TaskFolderOptions } from '../folders/task-folder.ts';
import type { Store } from '../stores/store.ts';
import { artifactsWhenNeeded } from './artifacts-when-needed.ts';
import type { DatabaseAddress } from './database-address.ts';
import { threadHeartbeat } from './heartbeat.ts';
import { systemLiveness } from './liveness.ts';

export interface HouseOptions {
  readonly database: DatabaseAddress;
  readonly limits: Limits;
  readonly rules?: HouseRules;
  readonly leaseMs?: number;
  readonly report?: (event: EngineEvent) => void;
  /** Where programs that only know files take part. */
  readonly queueFolder?: QueueFolderOptions;
  /** Where artifacts are; without it, beside the queue. */
  readonly workspace?: QueueFolderOptions;
  /** Where the files of tasks are. */
  readonly taskFolder?: TaskFolderOptions & { readonly isRequired: boolean };
  /** Whoever only reads gets along with a database file that cannot be written. */
  readonly onlyReads?: boolean;
  /** Told why, while a server is waited for at the beginning. */
  readonly waiting?: (why: Error) => void;
  /** Where documents are markdown in a repository; strict: a text alone is nobody's word. */
  readonly documentFolder?: DocumentFolderOptions & { readonly strict: boolean };
}

export interface House {
  readonly around: Surroundings;
  close(): Promise<void>;
}

export async function openHouse(options: HouseOptions): Promise<House> {
  const { database, rules = NO_RULES, leaseMs = SESSION_LEASE_MS, report = () => undefined } = options;
  const liveness = systemLiveness(systemTimers);
  const place = options.workspace ?? options.queueFolder;
  const store = await openStore(options, liveness, report);
  const around: Surroundings = {
    store: guardSecrets(store, rules.secrets, report),
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    liveness,
    heartbeat: threadHeartbeat(database, leaseMs),
    leaseMs,
    rules: place === undefined ? rules : { ...rules, artifacts: artifactsWhenNeeded(place) },
    report,
  };
  const closing: Closing = [() => around.rules.artifacts?.close()];
  const withTasks = await keepingTasks(around, options.taskFolder, closing);
  const withMessages = await withQueue(withTasks, options.queueFolder, closing);
  return {
    around: await withDocuments(withMessages, options.documentFolder, closing),
    close: async () => {
      for (const close of closing) close();
      await store.close();
    },
  };
}

type Closing = (() => void)[];

async function keepingTasks(
  around: Surroundings,
  place: HouseOptions['taskFolder'],
  closing: Closing,
): Promise<Surroundings> {
  if (place === undefined) return around;
  const { openTaskFolder } = await import('../folders/task-folder.ts');
  const { openTaskKeeper, taskCarrier } = await import('../engine/tasks/task-keeper.ts');
  const folder = openTaskFolder(place);
  closing.push(() => folder.close());
  const tasks = openTaskKeeper(around, folder, place.isRequired);
  const carriers = [...around.rules.carriers, taskCarrier(tasks)];
  return { ...around, rules: { ...around.rules, tasks, carriers } };
}

async function withQueue(
  around: Surroundings,
  place: QueueFolderOptions | undefined,
  closing: Closing,
): Promise<Surroundings> {
  if (place === undefined) return around;
  const { openQueueFolder } = await import('../folders/queue-folder.ts');
  const { openQueueMirror } = await import('../engine/queue/mirror.ts');
  const folder = openQueueFolder(place);
  closing.push(() => folder.close());
  return { ...around, rules: { ...around.rules, queue: openQueueMirror(around, folder) } };
}

async function withDocuments(
  around: Surroundings,
  place: HouseOptions['documentFolder'],
  closing: Closing,
): Promise<Surroundings> {
  if (place === undefined) return around;
  const { openDocumentFolder } = await import('../folders/document-folder.ts');
  const { openDocumentMirror } = await import('../engine/documents/mirror.ts');
  const folder = openDocumentFolder(place);
  closing.push(() => folder.close());
  return { ...around, rules: { ...around.rules, documents: openDocumentMirror(around, folder, place) } };
}

async function openStore(
  { database, limits, waiting, onlyReads = false }: Pick<HouseOptions, 'database' | 'limits' | 'waiting' | 'onlyReads'>,
  liveness: Liveness,
  report: (event: EngineEvent) => void,
): Promise<Store> {
  if (database.kind === 'postgres') {
    const { openPostgresStore } = await import('../stores/postgres/open-postgres-store.ts');
    const told = waiting === undefined ? {} : { waiting };
    return openPostgresStore({ url: database.url, limits, random: systemRandom, ...told });
  }
  const { openSqliteStore } = await import('../stores/sqlite/open-sqlite-store.ts');
  return openSqliteStore({
    path: database.path,
    limits,
    clock: systemClock,
    random: systemRandom,
    boot: liveness.self.boot,
    isAlive: (process) => liveness.of(process) === 'alive',
    waiting: (says) => report({ kind: 'store-waiting', says }),
    ...(onlyReads ? { readOnly: (says: string) => report({ kind: 'store-read-only', says }) } : {}),
  });
}
