/** Reads names and numbers that users of the library pass. */
import { STATES, type State } from '../../domain/lifecycle.ts';
import {
  AGENT_NAME_RULE,
  HANDOFF_ID_RULE,
  readAgentId,
  readHandoffId,
  type AgentId,
  type HandoffId,
} from '../../domain/names.ts';
import { BatonRefusal } from './errors.ts';
import {
  DATABASE_RULE,
  IN_MEMORY,
  readDatabaseAddress,
  type DatabaseAddress,
} from '../../workspace/database-address.ts';

export function agentIn(text: string, what: string): AgentId {
  const agent = readAgentId(text);
  if (agent !== null) return agent;
  throw new BatonRefusal('bad-request', `${what} ${JSON.stringify(text)}: ${AGENT_NAME_RULE}`);
}

export function handoffIn(text: string): HandoffId {
  const id = readHandoffId(text);
  if (id !== null) return id;
  throw new BatonRefusal('bad-request', `handoff ${JSON.stringify(text)}: ${HANDOFF_ID_RULE}`);
}

export function statesIn(states: readonly string[]): readonly State[] {
  const unknown = states.find((state) => !STATES.some((known) => known === state));
  if (unknown === undefined) return states as readonly State[];
  throw new BatonRefusal('bad-request', `states: ${JSON.stringify(unknown)} is none; there are ${STATES.join(', ')}`);
}

export function addressIn(text: string): DatabaseAddress {
  const address = readDatabaseAddress(text);
  if (address !== null) return address;
  // Not quoted, because an address may hold a password.
  throw new BatonRefusal('bad-request', `database takes ${DATABASE_RULE}, or ${IN_MEMORY}`);
}

/** Whole numbers only. */
export function within(value: number, what: string, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new BatonRefusal('bad-request', `${what} ${String(value)}: a whole number from ${min} to ${max}`);
}
