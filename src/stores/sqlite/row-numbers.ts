/**
 * Rows store agents, sessions and handoffs as numbers. This translates both ways, with a cache per connection.
 *
 * A rollback clears the cache, because numbers of that transaction never existed.
 */
import { present } from '../../foundation/assert.ts';
import type { AgentId, HandoffId, SessionId } from '../../domain/names.ts';
import type { Sql } from './binding.ts';

export interface RowNumbers {
  /** Call this inside a write transaction: an unknown agent gets a number. */
  agentNumber(agent: AgentId): number;
  knownAgentNumber(agent: AgentId): number | null;
  agentName(n: number): AgentId;
  sessionNumber(id: SessionId): number;
  sessionName(n: number): SessionId;
  handoffNumber(id: HandoffId): number | null;
  /** Saves the lookup when a claimed handoff is settled. */
  rememberHandoff(id: HandoffId, n: number): void;
  forget(): void;
}

/** Above this number the cache is cleared: a long-running process must not keep every session. */
const REMEMBERED_MAX = 10_000;

export function rowNumbersOf(sql: Sql): RowNumbers {
  const findAgent = sql('SELECT n FROM agent WHERE name = ?');
  const addAgent = sql('INSERT INTO agent (name) VALUES (?) RETURNING n');
  const readAgent = sql('SELECT name FROM agent WHERE n = ?');
  const findSession = sql('SELECT n FROM session WHERE id = ?');
  const readSession = sql('SELECT id FROM session WHERE n = ?');
  const agents = memory<AgentId>();
  const sessions = memory<SessionId>();
  const findHandoff = sql('SELECT n FROM handoff WHERE id = ?');
  const handoffs = new Map<HandoffId, number>();

  const knownAgentNumber = (agent: AgentId): number | null =>
    agents.number(agent, () => findAgent.get(agent)?.[0] as number | undefined) ?? null;

  return {
    knownAgentNumber,
    agentNumber: (agent) =>
      knownAgentNumber(agent) ??
      present(
        agents.number(agent, () => addAgent.get(agent)?.[0] as number),
        'a new agent has a number',
      ),
    agentName: (n) => agents.name(n, () => readAgent.get(n)?.[0] as AgentId | undefined),
    sessionNumber: (id) =>
      present(
        sessions.number(id, () => findSession.get(id)?.[0] as number | undefined),
        `session ${id} is open`,
      ),
    // Not cached: the number of a deleted session is used again.
    sessionName: (n) => present(readSession.get(n)?.[0] as SessionId | undefined, `session number ${n} has a name`),
    handoffNumber: (id) => handoffs.get(id) ?? (findHandoff.get(id)?.[0] as number | undefined) ?? null,
    rememberHandoff: (id, n) => {
      if (handoffs.size >= REMEMBERED_MAX) handoffs.clear();
      handoffs.set(id, n);
    },
    forget: () => {
      agents.forget();
      sessions.forget();
      handoffs.clear();
    },
  };
}

function memory<Name extends string>(): {
  number(name: Name, find: () => number | undefined): number | undefined;
  name(n: number, find: () => Name | undefined): Name;
  forget(): void;
} {
  const numbers = new Map<Name, number>();
  const names = new Map<number, Name>();
  const forget = (): void => {
    numbers.clear();
    names.clear();
  };
  const remember = (name: Name, n: number): void => {
    if (numbers.size >= REMEMBERED_MAX) forget();
    numbers.set(name, n);
    names.set(n, name);
  };
  return {
    forget,
    number: (name, find) => {
      const n = numbers.get(name) ?? find();
      if (n !== undefined && !numbers.has(name)) remember(name, n);
      return n;
    },
    name: (n, find) => {
      const name = names.get(n) ?? present(find(), `number ${n} has a name`);
      if (!names.has(n)) remember(name, n);
      return name;
    },
  };
}
