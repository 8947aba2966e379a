/**
 * The reference: what the other stores promise, in the plainest code that keeps it. It backs the simulation.
 *
 * Every operation happens whole at the moment of its call, and only the answer is a promise: whoever simulates delays
 * puts them before and after the call, and sees no others.
 */
import { systemTimers, type Clock, type Timers } from '../../foundation/clock.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { NO_LIMITS, type Limits } from '../../domain/limits.ts';
import { StoreFault, type Store } from '../store.ts';
import { openAgentSessions } from './agent-sessions.ts';
import { change, claim } from './change.ts';
import { count, factsOf, find } from './find.ts';
import { openHints, type Hints } from './wake-waiters.ts';
import { insert, relay } from './insert.ts';
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
  const shelf = emptyTables();
  const hints = openHints(timers);
  let closed = false;
  const mustBeOpen = (): void => {
    if (closed) throw new StoreFault('the store is closed', 'unchanged');
  };
  return {
    ...whileOpen(openHandoffs(shelf, hints, clock, limits), mustBeOpen),
    sessions: whileOpen(openSessions(shelf, clock), mustBeOpen),
    outbox: whileOpen(openOutbox(shelf, clock), mustBeOpen),
    tokens: whileOpen(openTokens(shelf, clock), mustBeOpen),
    agents: whileOpen(openAgentSessions(shelf), mustBeOpen),
    schedules: whileOpen(openSchedules(shelf, clock), mustBeOpen),
    pauses: whileOpen(openPauses(shelf, clock), mustBeOpen),
    policy: whileOpen(openPolicies(shelf, clock), mustBeOpen),
    transfer: whileOpen(openTransfer(shelf, hints, clock), mustBeOpen),
    retention: whileOpen(openRetention(shelf, clock), mustBeOpen),
    upkeep: whileOpen(openUpkeep(shelf, clock), mustBeOpen),
    changed: async (topic, signal) => hints.changed(topic, signal),
    nowMs: () => clock.nowMs(),
    async close() {
      closed = true;
      hints.end();
    },
  };
}

type Handoffs = Pick<Store, 'insert' | 'claim' | 'change' | 'relay' | 'load' | 'find' | 'count' | 'facts'>;

function openHandoffs(shelf: Tables, hints: Hints, clock: Clock, limits: Limits): Handoffs {
  return {
    async insert(openings, guard = {}) {
      const held = guard.overLimits === true ? NO_LIMITS : limits;
      const { answer, written } = insert(shelf, openings, guard.request, held, clock.nowMs());
      hints.ring(written);
      return answer;
    },
    async claim(agent, max, decide) {
      const { claimed, written } = claim(shelf, agent, max, decide, limits, clock.nowMs());
      hints.ring(written);
      return claimed;
    },
    async change(targets, decide) {
      const { answers, written } = change(shelf, targets, decide, limits, clock.nowMs());
      hints.ring(written);
      return answers;
    },
    async relay(target, decide, openings, guard = {}) {
      const { answer, written } = relay(shelf, target, decide, openings, guard.request, limits, clock.nowMs());
      hints.ring(written);
      return answer;
    },
    async load(id, when) {
      const row = shelf.rows.get(id);
      if (row === undefined || (when === 'settled' && !isFinal(row.handoff.state))) return null;
      return { ...row };
    },
    async find(query) {
      return find(shelf, query, clock.nowMs());
    },
    async count(wanted) {
      return count(shelf, wanted);
    },
    async facts(query) {
      return factsOf(shelf, query);
    },
  };
}

type Operation = (...given: never[]) => Promise<unknown>;

/** The same operations, each of which first sees whether it may still happen. */
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
