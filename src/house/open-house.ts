/** Wires the parts together: the only place that knows every concrete one. */
import { systemClock, systemTimers } from '../foundation/clock.ts';
import { systemRandom } from '../foundation/random.ts';
import { SESSION_LEASE_MS } from '../domain/deadlines.ts';
import type { Limits } from '../domain/limits.ts';
import { NO_RULES, type EngineEvent, type HouseRules, type Surroundings } from '../engine/surroundings.ts';
import type { DocumentFolderOptions } from '../folders/document-folder.ts';
import type { QueueFolderOptions } from '../folders/queue-folder.ts';
import type { Store } from '../stores/store.ts';
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
  /** Where documents are markdown in a repository; strict: a text alone is nobody's word. */
  readonly documentFolder?: DocumentFolderOptions & { readonly strict: boolean };
}

export interface House {
  readonly around: Surroundings;
  close(): Promise<void>;
}

export async function openHouse(options: HouseOptions): Promise<House> {
  const { database, limits, rules = NO_RULES, leaseMs = SESSION_LEASE_MS, report = () => undefined } = options;
  const liveness = systemLiveness(systemTimers);
  const store = await openStore(database, limits, liveness.self.boot);
  const around: Surroundings = {
    store,
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    liveness,
    heartbeat: threadHeartbeat(database, leaseMs),
    leaseMs,
    rules,
    report,
  };
  const withMessages = await withQueue(around, options.queueFolder);
  return { around: await withDocuments(withMessages, options.documentFolder), close: () => store.close() };
}

async function withQueue(around: Surroundings, place: QueueFolderOptions | undefined): Promise<Surroundings> {
  if (place === undefined) return around;
  const { openQueueFolder } = await import('../folders/queue-folder.ts');
  const { openQueueMirror } = await import('../engine/queue/mirror.ts');
  return { ...around, rules: { ...around.rules, queue: openQueueMirror(around, openQueueFolder(place)) } };
}

async function withDocuments(around: Surroundings, place: HouseOptions['documentFolder']): Promise<Surroundings> {
  if (place === undefined) return around;
  const { openDocumentFolder } = await import('../folders/document-folder.ts');
  const { openDocumentMirror } = await import('../engine/documents/mirror.ts');
  const documents = openDocumentMirror(around, openDocumentFolder(place), place);
  return { ...around, rules: { ...around.rules, documents } };
}

async function openStore(database: DatabaseAddress, limits: Limits, boot: string): Promise<Store> {
  if (database.kind === 'postgres') {
    const { openPostgresStore } = await import('../stores/postgres/open-postgres-store.ts');
    return openPostgresStore({ url: database.url, limits, random: systemRandom });
  }
  const { openSqliteStore } = await import('../stores/sqlite/open-sqlite-store.ts');
  return openSqliteStore({ path: database.path, limits, clock: systemClock, random: systemRandom, boot });
}
