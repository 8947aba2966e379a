/**
 * The store on PostgreSQL, with the same guarantees as the embedded one.
 *
 * Nearly every change is one guarded statement, so no transaction can be lost halfway. Each kind of work has a connection
 * of its own, opened on first use: a slow list delays no claim.
 */
import { systemTimers, type Timers } from '../../foundation/clock.ts';
import type { Random } from '../../foundation/random.ts';
import type { Limits } from '../../domain/limits.ts';
import { StoreFault, type Store } from '../store.ts';
import { readAddress } from './address.ts';
import { isChosen, readNotification } from './notify.ts';
import { limitParts } from './change-one.ts';
import { changeOf } from './change.ts';
import { claimingOf } from './claim.ts';
import { faultOf, isPassing, openConnection, type LockingConnection, type RetryOptions } from './connection.ts';
import { factsOf } from './facts.ts';
import { countOf, findOf } from './find.ts';
import { BY_INDEX, setUpSession, PLANNED_ONCE, type SessionSetup } from './session-setup.ts';
import { changeNotifierOf } from './wake-waiters.ts';
import { insertOf } from './insert.ts';
import { openListener } from './listener.ts';
import { load } from './load.ts';
import { migrate } from './migrations.ts';
import { moveBatch } from './move-batch.ts';
import { outboxOf } from './outbox.ts';
import { agentSessionsOf } from './agent-sessions.ts';
import { pausesOf } from './pauses.ts';
import { policiesOf } from './policies.ts';
import { NOW_MS } from './schema.ts';
import { relayOf } from './relay.ts';
import { retentionOf } from './retention.ts';
import { serverClock } from './server-clock.ts';
import { schedulesOf } from './schedules.ts';
import { sessionsOf } from './sessions.ts';
import { transferOf } from './transfer.ts';
import { ConnectionError } from './connection-error.ts';
import { tokensOf } from './tokens.ts';
import { upkeepOf } from './upkeep.ts';
import { wordIndexOf } from './text-index.ts';

export interface PostgresStoreOptions {
  /** `postgres://user@host/database`. Missing parts come from PGHOST, PGUSER, PGPASSWORD, PGSSLMODE and so on. */
  readonly url: string;
  readonly limits: Limits;
  readonly random: Random;
  readonly timers?: Timers;
  /** Overrides `notify=off` in the address. False: behind a pooler in transaction mode. */
  readonly notify?: boolean;
  /** How long the server may be unreachable before calls fail. */
  readonly patienceMs?: number;
  /** Called with the reason while the server is waited for at the start. */
  readonly waiting?: (why: Error) => void;
  /** The schema that holds the tables. */
  readonly namespace?: string;
}

const PATIENCE_MS = 30_000;
const NAMESPACE = /^[a-z_][a-z0-9_]{0,62}$/;

export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { limits, random, timers = systemTimers, namespace = 'baton' } = options;
  if (!NAMESPACE.test(namespace)) throw new StoreFault(`"${namespace}" is not the name of a schema`, 'unchanged');
  const address = readAddress(options.url, process.env);
  const { notify: notifies = address.notify } = options;
  const clock = serverClock();
  const setup: SessionSetup = { address, namespace, clock, ownSession: notifies };
  const retry: RetryOptions = {
    timers,
    random,
    patienceMs: options.patienceMs ?? PATIENCE_MS,
    where: address.shown,
  };
  const app = { notifies, hasCounters: false };

  const connections: LockingConnection[] = [];
  const connection = (session: Readonly<Record<string, string>>): LockingConnection => {
    const made = openConnection(() => setUpSession(setup, { session }), retry, app);
    connections.push(made);
    return made;
  };
  await migrateWhenReachable(setup, retry, options.waiting);
  const quick = connection(PLANNED_ONCE);
  const lists = connection(BY_INDEX);
  const claims = connection(PLANNED_ONCE);
  const parts = { reads: quick, writes: connection(PLANNED_ONCE), nowMs: clock.nowMs };
  const move = moveBatch(parts.writes, claims);

  const onNotification = (payload: string): void => {
    const { topic, record } = readNotification(payload);
    if (listener !== null && !isChosen(payload, listener.process)) {
      notifier.wakeLater(topic);
      return;
    }
    if (record !== null && notifier.isAwaited(topic)) claiming.offered(record);
    notifier.wakeAll([topic]);
  };
  const listener = notifies
    ? openListener(
        () => setUpSession(setup, { onNotification }),
        random,
        (names) => notifier.wakeAll(names),
      )
    : null;
  const notifier = changeNotifierOf({
    connection: quick,
    timers,
    random,
    listenTo: (names) => listener?.listenTo(names),
  });
  const { notify, foundNothing } = notifier;
  const claiming = claimingOf({
    connection: claims,
    locking: connection(PLANNED_ONCE),
    move,
    clock,
    notify,
    foundNothing,
  });
  const readServerClock = async (): Promise<void> => {
    const sentAtMs = clock.elapsedMs();
    const [row] = await quick.read(`select ${NOW_MS}`);
    clock.observe(Number(row?.[0]), sentAtMs);
  };
  const calls = callTracker(() => {
    if (clock.isStale()) void readServerClock().catch(() => undefined);
  });

  const words = wordIndexOf(lists);
  const transactions = connection(PLANNED_ONCE);

  return {
    insert: calls.track(
      insertOf({ ...parts, writes: connection(PLANNED_ONCE), locking: transactions, limits, notify }),
    ),
    claim: calls.track(claiming.claim),
    change: calls.track(changeOf({ ...parts, ...limitParts(limits, parts), move, notify })),
    relay: calls.track(relayOf({ ...parts, locking: transactions, limits, notify })),
    load: calls.track((id, when) => load(quick, id, when)),
    find: calls.track(findOf(quick, lists, words, clock)),
    count: calls.track(countOf(lists, words)),
    facts: calls.track(factsOf(lists, timers)),
    changed: notifier.changed,
    nowMs: clock.nowMs,
    sessions: calls.trackAll(sessionsOf(quick)),
    outbox: calls.trackAll(outboxOf(quick)),
    tokens: calls.trackAll(tokensOf(quick)),
    agents: calls.trackAll(agentSessionsOf(quick)),
    pauses: calls.trackAll(pausesOf(quick)),
    policy: calls.trackAll(policiesOf(quick)),
    schedules: calls.trackAll(schedulesOf(quick)),
    transfer: calls.trackAll(transferOf({ reads: connection(BY_INDEX), writes: connection(BY_INDEX), notify })),
    retention: calls.trackAll(retentionOf(connection(BY_INDEX), connection(BY_INDEX))),
    upkeep: calls.trackAll(upkeepOf(quick, connection({}), words)),
    close: async () => {
      notifier.close();
      await calls.close();
      await Promise.all([...connections.map((each) => each.close()), listener?.close()]);
    },
  };
}

/** Waits until the server can be reached, and migrates the schema. */
async function migrateWhenReachable(
  setup: SessionSetup,
  { timers, patienceMs, where }: RetryOptions,
  waiting: PostgresStoreOptions['waiting'],
): Promise<void> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    try {
      const link = await setUpSession(setup, {}, true);
      try {
        await migrate(link, where);
      } finally {
        await link.end();
      }
      return;
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      if (!isPassing(error) || performance.now() > endMs) throw faultOf(error, false, where);
      waiting?.(error);
    }
    await timers.sleep(RETRY_MS);
  }
}

const RETRY_MS = 100;

type Operation<Given extends never[], Answer> = (...given: Given) => Promise<Answer>;

interface CallTracker {
  track<Given extends never[], Answer>(operation: Operation<Given, Answer>): Operation<Given, Answer>;
  trackAll<Operations extends object>(operations: Operations): Operations;
  /** Refuses new calls and waits for those in progress. */
  close(): Promise<void>;
}

function callTracker(onCall: () => void): CallTracker {
  const running = new Set<Promise<unknown>>();
  let closed = false;
  const track = <Given extends never[], Answer>(operation: Operation<Given, Answer>): Operation<Given, Answer> => {
    return (...given) => {
      if (closed) return Promise.reject(new StoreFault('the store is closed', 'unchanged'));
      onCall();
      const call = operation(...given);
      running.add(call);
      const leave = (): boolean => running.delete(call);
      call.then(leave, leave);
      return call;
    };
  };
  return {
    track,
    trackAll: (operations) =>
      Object.fromEntries(
        Object.entries(operations).map(([name, each]) => [name, track(each as Operation<never[], unknown>)]),
      ) as typeof operations,
    close: async () => {
      closed = true;
      await Promise.allSettled(running);
    },
  };
}
