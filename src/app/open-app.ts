/** Wires the parts together: the only place that knows every concrete one. */
import { systemClock, systemTimers } from '../foundation/clock.ts';
import { systemRandom } from '../foundation/random.ts';
import { SESSION_LEASE_MS } from '../domain/deadlines.ts';
import { NO_LIMITS, type Limits } from '../domain/limits.ts';
import { guardSecrets } from '../engine/secrets/guard-store.ts';
import { NO_RULES, type WorkspaceRules, type Liveness, type Context } from '../engine/context.ts';
import type { DocumentFolderOptions } from '../folders/document-folder.ts';
import type { QueueFolderOptions } from '../folders/queue-folder.ts';
import type { TaskFolderOptions } from '../folders/task-folder.ts';
import type { Store } from '../stores/store.ts';
import { lazyHandoffArchive } from './lazy-handoff-archive.ts';
import { lazyArtifacts } from './lazy-artifacts.ts';
import { threadHeartbeat } from '../adapters/processes/heartbeat.ts';
import { systemLiveness } from '../adapters/processes/liveness.ts';
import { openStore, type StoreOptions } from '../adapters/database/open-store.ts';

export interface AppOptions extends Omit<StoreOptions, 'limits'> {
  /** Default: none. */
  readonly limits?: Limits;
  /** The database when it is open already. */
  readonly store?: Store;
  readonly liveness?: Liveness;
  readonly rules?: WorkspaceRules;
  readonly leaseMs?: number;
  /** Where programs that only know files take part. */
  readonly queueFolder?: QueueFolderOptions;
  /** Where artifacts are; without it, beside the queue. */
  readonly workspace?: QueueFolderOptions;
  /** Where removed handoffs go. */
  readonly archiveFolder?: string;
  /** Where the files of tasks are. */
  readonly taskFolder?: TaskFolderOptions & { readonly isRequired: boolean };
  /** Where documents are markdown in a repository. Strict: a text without a commit proves no author. */
  readonly documentFolder?: DocumentFolderOptions & { readonly isStrict: () => boolean };
}

export type App = Awaited<ReturnType<typeof openApp>>;

export async function openApp(options: AppOptions) {
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
  const ctx: Context = {
    store: guardSecrets(store, () => rules.secrets, report),
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    liveness,
    heartbeat: threadHeartbeat(database, leaseMs),
    leaseMs,
    rules: extended(rules, {
      ...(place === undefined ? {} : { artifacts: lazyArtifacts(place) }),
      ...(options.archiveFolder === undefined ? {} : { archive: lazyHandoffArchive(options.archiveFolder) }),
    }),
    report,
  };
  const closing: Closing = [() => ctx.rules.artifacts?.close(), () => ctx.rules.archive?.close()];
  const withTasks = await keepingTasks(ctx, options.taskFolder, closing);
  const withMessages = await withQueue(withTasks, options.queueFolder);
  return {
    ctx: await withDocuments(withMessages, options.documentFolder, closing),
    close: async () => {
      for (const close of closing) close();
      await store.close();
    },
  };
}

/** Rules that follow the stored policy are getters: a spread would keep the values of one moment. */
function extended(rules: WorkspaceRules, more: Partial<WorkspaceRules>): WorkspaceRules {
  const properties = { ...Object.getOwnPropertyDescriptors(rules), ...Object.getOwnPropertyDescriptors(more) };
  return Object.defineProperties({}, properties) as WorkspaceRules;
}

type Closing = (() => void)[];

async function keepingTasks(ctx: Context, place: AppOptions['taskFolder'], closing: Closing): Promise<Context> {
  if (place === undefined) return ctx;
  const { openTaskFolder } = await import('../folders/task-folder.ts');
  const { openTaskKeeper, taskEffectSender: taskCarrier } = await import('../engine/tasks/task-keeper.ts');
  const folder = openTaskFolder(place);
  closing.push(() => folder.close());
  const tasks = openTaskKeeper(ctx, folder, place.isRequired);
  const carriers = [...ctx.rules.effectSenders, taskCarrier(tasks)];
  return { ...ctx, rules: extended(ctx.rules, { tasks, effectSenders: carriers }) };
}

async function withQueue(ctx: Context, place: QueueFolderOptions | undefined): Promise<Context> {
  if (place === undefined) return ctx;
  const { openQueueFolder } = await import('../folders/queue-folder.ts');
  const { openQueueMirror } = await import('../engine/queue/queue-mirror.ts');
  const folder = openQueueFolder(place);
  return { ...ctx, rules: extended(ctx.rules, { queue: openQueueMirror(ctx, folder) }) };
}

async function withDocuments(ctx: Context, place: AppOptions['documentFolder'], closing: Closing): Promise<Context> {
  if (place === undefined) return ctx;
  const { openDocumentFolder } = await import('../folders/document-folder.ts');
  const { openDocumentMirror } = await import('../engine/documents/document-mirror.ts');
  const folder = openDocumentFolder(place);
  closing.push(() => folder.close());
  return { ...ctx, rules: extended(ctx.rules, { documents: openDocumentMirror(ctx, folder, place) }) };
}
