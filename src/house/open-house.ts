/** Wires the parts together: the only place that knows every concrete one. */
import { systemClock, systemTimers } from '../foundation/clock.ts';
import { systemRandom } from '../foundation/random.ts';
import { SESSION_LEASE_MS } from '../domain/deadlines.ts';
import { NO_LIMITS, type Limits } from '../domain/limits.ts';
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
import { openStore } from './open-store.ts';

export interface HouseOptions {
  readonly database: DatabaseAddress;
  /** Default: none. */
  readonly limits?: Limits;
  /** The database when it is open already. */
  readonly store?: Store;
  readonly liveness?: Liveness;
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
  readonly documentFolder?: DocumentFolderOptions & { readonly isStrict: () => boolean };
}

export interface House {
  readonly around: Surroundings;
  close(): Promise<void>;
}

export async function openHouse(options: HouseOptions): Promise<House> {
  const {
    database,
    limits = NO_LIMITS,
    rules = NO_RULES,
    leaseMs = SESSION_LEASE_MS,
    report = () => undefined,
  } = options;
  const liveness = options.liveness ?? systemLiveness(systemTimers);
  const place = options.workspace ?? options.queueFolder;
  const store = options.store ?? (await openStore({ ...options, limits, report }, liveness));
  const around: Surroundings = {
    store: guardSecrets(store, () => rules.secrets, report),
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    liveness,
    heartbeat: threadHeartbeat(database, leaseMs),
    leaseMs,
    rules: place === undefined ? rules : extended(rules, { artifacts: artifactsWhenNeeded(place) }),
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

/** Rules that follow the stored policy are getters: a spread would keep the values of one moment. */
function extended(rules: HouseRules, more: Partial<HouseRules>): HouseRules {
  const properties = { ...Object.getOwnPropertyDescriptors(rules), ...Object.getOwnPropertyDescriptors(more) };
  return Object.defineProperties({}, properties) as HouseRules;
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
  return { ...around, rules: extended(around.rules, { tasks, carriers }) };
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
  return { ...around, rules: extended(around.rules, { queue: openQueueMirror(around, folder) }) };
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
  return { ...around, rules: extended(around.rules, { documents: openDocumentMirror(around, folder, place) }) };
}
