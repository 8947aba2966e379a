/**
 * The reference store: the contract in the simplest code. The simulation runs on it.
 *
 * Every operation finishes within its call, and only its answer is a promise, so that a simulation alone decides about
 * delays.
 */
import { systemTimers, type Clock, type Timers } from '../../foundation/clock.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import type { Limits } from '../../domain/limits.ts';
import { StoreFault, type Store } from '../store.ts';
import { openAgentSessions } from './agent-sessions.ts';
import { count, factsOf, find } from './find.ts';
import { openChangeNotifier } from './wake-waiters.ts';
import { openHandoffs } from './handoffs.ts';
import { openOutbox } from './outbox.ts';
import { openPauses } from './pauses.ts';
import { openPolicies } from './policies.ts';
import { openRetention } from './retention.ts';
import { openSchedules } from './schedules.ts';
import { openSessions } from './sessions.ts';
import { emptyTables, type Tables } from './tables.ts';
import { openTokens } from './tokens.ts';
import { openTransfer } from './transfer.ts';
import { openUpkeep } from './upkeep.ts';

export interface MemoryStoreOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  /** Drives the polling of `changed`. */
  readonly timers?: Timers;
}

export function openMemoryStore({ clock, limits, timers = systemTimers }: MemoryStoreOptions): Store {
  const tables = emptyTables();
  const notifier = openChangeNotifier(timers);
  let closed = false;
  const mustBeOpen = (): void => {
    if (closed) throw new StoreFault('the store is closed', 'unchanged');
  };
  return {
    ...whileOpen(openHandoffs(tables, notifier, clock, limits), mustBeOpen),
    ...whileOpen(openReads(tables, clock), mustBeOpen),
    sessions: whileOpen(openSessions(tables, clock), mustBeOpen),
    outbox: whileOpen(openOutbox(tables, clock), mustBeOpen),
    tokens: whileOpen(openTokens(tables, clock), mustBeOpen),
    agents: whileOpen(openAgentSessions(tables), mustBeOpen),
    schedules: whileOpen(openSchedules(tables, clock), mustBeOpen),
    pauses: whileOpen(openPauses(tables, clock), mustBeOpen),
    policy: whileOpen(openPolicies(tables, clock), mustBeOpen),
    transfer: whileOpen(openTransfer(tables, notifier, clock), mustBeOpen),
    retention: whileOpen(openRetention(tables, clock), mustBeOpen),
    upkeep: whileOpen(openUpkeep(tables, clock), mustBeOpen),
    changed: async (topic, signal) => notifier.changed(topic, signal),
    nowMs: () => clock.nowMs(),
    async close() {
      closed = true;
      notifier.end();
    },
  };
}

function openReads(tables: Tables, clock: Clock): Pick<Store, 'load' | 'find' | 'count' | 'facts'> {
  return {
    async load(id, when) {
      const row = tables.rows.get(id);
      if (row === undefined || (when === 'settled' && !isFinal(row.handoff.state))) return null;
      return { ...row };
    },
    find: async (query) => find(tables, query, clock.nowMs()),
    count: async (wanted) => count(tables, wanted),
    facts: async (query) => factsOf(tables, query),
  };
}

type Operation = (...given: never[]) => Promise<unknown>;

/** The same operations, each of which throws after `close`. */
function whileOpen<Operations extends { [Name in keyof Operations]: Operation }>(
  operations: Operations,
  mustBeOpen: () => void,
): Operations {
  const guarded = Object.entries<Operation>(operations).map(([name, operation]) => [
    name,
    async (...given: never[]) => {
      mustBeOpen();
      return operation(...given);
    },
  ]);
  return Object.fromEntries(guarded) as Operations;
}
