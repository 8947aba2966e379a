/** How a test and the programs it starts talk: an order as the first argument, lines of JSON as the answer. */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { present } from '../../../src/foundation/assert.ts';
import { NO_LIMITS, type Limits } from '../../../src/domain/limits.ts';
import { readAgentId, type AgentId } from '../../../src/domain/names.ts';
import type { DatabaseAddress } from '../../../src/workspace/database-address.ts';
import { openApp, type App } from '../../../src/app/open-app.ts';

export interface Order {
  readonly database: DatabaseAddress;
  readonly leaseMs?: number;
  /** How much the agents of this name may have on their desk. */
  readonly incomingMax?: { readonly agent: string; readonly max: number };
}

export function readOrder<Given extends Order>(): Given {
  return JSON.parse(process.argv[2] ?? '{}') as Given;
}

export async function openHouseFor({ database, leaseMs, incomingMax }: Order): Promise<App> {
  const own: Limits['agents'] =
    incomingMax === undefined
      ? new Map()
      : new Map([[agentNamed(incomingMax.agent), { incomingMax: incomingMax.max, outgoingMax: null }]]);
  return openApp({ database, limits: { ...NO_LIMITS, agents: own }, ...(leaseMs === undefined ? {} : { leaseMs }) });
}

export function agentNamed(name: string): AgentId {
  return present(readAgentId(name), `${name} is a name of an agent`);
}

/** Written before anything else happens: what is said here has been said even if we are killed in the next moment. */
export function say(line: unknown): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Says that it is ready, then waits for the instant at which all are to begin. */
export async function barrier(): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  say({ ready: true });
  const atMs = await new Promise<number>((resolve) => lines.once('line', (line) => resolve(Number(line))));
  lines.close();
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs - Date.now())));
}
