/**
 * The store of a fleet: the same promises as the embedded one, kept by a PostgreSQL server.
 *
 * Every change is one guarded statement, so there is no transaction that could be lost halfway. Each kind of work has
 * a connection of its own, made when it is first needed: a slow list delays no claim.
 */
import { systemTimers, type Timers } from '../../foundation/clock.ts';
import type { Random } from '../../foundation/random.ts';
import type { Limits } from '../../domain/limits.ts';
import { StoreFault, type Store } from '../store.ts';
import { readAddress } from './address.ts';
import { isChosen, readNotification } from './notify.ts';
import { placeParts } from './change-one.ts';
import { changeOf } from './change.ts';
import { claimingOf } from './claim.ts';
import { faultOf, isPassing, openConnection, type LockingConnection, type Patience } from './connection.ts';
import { factsOf } from './facts.ts';
import { countOf, findOf } from './find.ts';
import { BY_INDEX, setUpSession, PLANNED_ONCE, type SessionSetup } from './session-setup.ts';
import { hintsOf } from './wake-waiters.ts';
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
  /** `postgres://user@host/database`; what is left out comes from PGHOST, PGUSER, PGPASSWORD, PGSSLMODE and the like. */
  readonly url: string;
  readonly limits: Limits;
  readonly random: Random;
  readonly timers?: Timers;
  /** As `notify=off` in the address, and before it: false behind a pooler that lends connections for one transaction. */
  readonly notify?: boolean;
  /** How long the server may be away before callers are told. */
  readonly patienceMs?: number;
  /** Told why, while the server is waited for at the beginning. */
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
  const { notify = address.notify } = options;
  const clock = serverClock();
  const greeting: SessionSetup = { address, namespace, clock, ownSession: notify };
  const patience: Patience = {
    timers,
    random,
    patienceMs: options.patienceMs ?? PATIENCE_MS,
    where: address.shown,
  };
  const app = { notifies: notify, hasCounters: false };

  const connections: LockingConnection[] = [];
  const connection = (session: Readonly<Record<string, string>>): LockingConnection => {
    const made = openConnection(() => setUpSession(greeting, { session }), patience, app);
    connections.push(made);
    return made;
  };
  await makeReady(greeting, patience, options.waiting);
  const quick = connection(PLANNED_ONCE);
  const lists = connection(BY_INDEX);
  const claims = connection(PLANNED_ONCE);
  const parts = { reads: quick, writes: connection(PLANNED_ONCE), nowMs: clock.nowMs };
  const move = moveBatch(parts.writes, claims);

  const heard = (payload: string): void => {
    const { topic, record } = readNotification(payload);
    if (listener !== null && !isChosen(payload, listener.process)) {
      hints.heardLater(topic);
      return;
    }
    if (record !== null && hints.awaits(topic)) claiming.offered(record);
    hints.heard([topic]);
  };
  const listener = notify
    ? openListener(
        () => setUpSession(greeting, { heard }),
        random,
        (names) => hints.heard(names),
      )
    : null;
  const hints = hintsOf({
    connection: quick,
    timers,
    random,
    attend: (names) => listener?.attend(names),
  });
  const { tell, foundNothing } = hints;
  const claiming = claimingOf({
    connection: claims,
    locking: connection(PLANNED_ONCE),
    move,
    clock,
    tell,
    foundNothing,
  });
  const lookAtClock = async (): Promise<void> => {
    const sentAtMs = clock.elapsedMs();
    const [row] = await quick.read(`select ${NOW_MS}`);
    clock.heard(Number(row?.[0]), sentAtMs);
  };
  const door = doorOf(() => {
    if (clock.isStale()) void lookAtClock().catch(() => undefined);
  });

  const words = wordIndexOf(lists);
  const transactions = connection(PLANNED_ONCE);

  return {
    insert: door.guard(insertOf({ ...parts, writes: connection(PLANNED_ONCE), locking: transactions, limits, tell })),
    claim: door.guard(claiming.claim),
    change: door.guard(changeOf({ ...parts, ...placeParts(limits, parts), move, tell })),
    relay: door.guard(relayOf({ ...parts, locking: transactions, limits, tell })),
    load: door.guard((id, when) => load(quick, id, when)),
    find: door.guard(findOf(quick, lists, words, clock)),
    count: door.guard(countOf(lists, words)),
    facts: door.guard(factsOf(lists, timers)),
    changed: hints.changed,
    nowMs: clock.nowMs,
    sessions: door.guardAll(sessionsOf(quick)),
    outbox: door.guardAll(outboxOf(quick)),
    tokens: door.guardAll(tokensOf(quick)),
    agents: door.guardAll(agentSessionsOf(quick)),
    pauses: door.guardAll(pausesOf(quick)),
    policy: door.guardAll(policiesOf(quick)),
    schedules: door.guardAll(schedulesOf(quick)),
    transfer: door.guardAll(transferOf({ reads: connection(BY_INDEX), writes: connection(BY_INDEX), tell })),
    retention: door.guardAll(retentionOf(connection(BY_INDEX), connection(BY_INDEX))),
    upkeep: door.guardAll(upkeepOf(quick, connection({}), words)),
    close: async () => {
      hints.close();
      await door.close();
      await Promise.all([...connections.map((each) => each.close()), listener?.close()]);
    },
  };
}

/** Waits for the server if it is not there yet, and brings the schema to our version. */
async function makeReady(
  greeting: SessionSetup,
  { timers, patienceMs, where }: Patience,
  waiting: PostgresStoreOptions['waiting'],
): Promise<void> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    try {
      const link = await setUpSession(greeting, {}, true);
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

interface Door {
  guard<Given extends never[], Answer>(operation: Operation<Given, Answer>): Operation<Given, Answer>;
  guardAll<Operations extends object>(operations: Operations): Operations;
  /** Lets nobody in any more and waits until everybody is out. */
  close(): Promise<void>;
}

function doorOf(entering: () => void): Door {
  const inside = new Set<Promise<unknown>>();
  let closed = false;
  const guard = <Given extends never[], Answer>(operation: Operation<Given, Answer>): Operation<Given, Answer> => {
    return (...given) => {
      if (closed) return Promise.reject(new StoreFault('the store is closed', 'unchanged'));
      entering();
      const under = operation(...given);
      inside.add(under);
      const leave = (): boolean => inside.delete(under);
      under.then(leave, leave);
      return under;
    };
  };
  return {
    guard,
    guardAll: (operations) =>
      Object.fromEntries(
        Object.entries(operations).map(([name, each]) => [name, guard(each as Operation<never[], unknown>)]),
      ) as typeof operations,
    close: async () => {
      closed = true;
      await Promise.allSettled(inside);
    },
  };
}
