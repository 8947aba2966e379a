/** A house with a queue folder, in a folder of its own; and the hands of programs that only know files. */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import type { Json, JsonObject } from '../../src/foundation/json.ts';
import type { Handoff, Terms } from '../../src/domain/handoff.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { readAgentId, type AgentId, type HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import type { EngineEvent, HouseRules, QueueMirror, Surroundings } from '../../src/engine/surroundings.ts';
import { send } from '../../src/engine/verbs/send.ts';
import type { Place } from '../../src/folders/folder.ts';
import { PLACES } from '../../src/folders/folder.ts';
import type { DatabaseAddress } from '../../src/house/database-address.ts';
import { openHouse } from '../../src/house/open-house.ts';
import type { Whole } from '../../src/stores/store.ts';
import { tempFolder } from '../support/processes.ts';

export interface QueueWorld {
  readonly folder: string;
  readonly around: Surroundings;
  readonly queue: QueueMirror;
  readonly events: readonly EngineEvent[];
  readonly path: (place: Place, id: string) => string;
  /** Where there is a file of this name. */
  readonly places: (id: string) => readonly Place[];
  readonly read: (place: Place, id: string) => JsonObject;
  readonly move: (id: string, from: Place, to: Place) => void;
  /** Written whole, long ago: nobody is still at it. */
  readonly write: (place: Place, id: string, text: string | object, agoMs?: number) => void;
  readonly quarantined: () => readonly string[];
  readonly whole: (id: string) => Promise<Whole>;
  readonly state: (id: string) => Promise<Handoff['state'] | null>;
  readonly send: (input?: Json, terms?: Partial<Terms>) => Promise<HandoffId>;
  readonly sync: () => Promise<void>;
}

export const ME = agentOf('me');
export const REACT = agentOf('react');
export const ROOT_USER = String(process.getuid?.() ?? 0);

export async function queueWorld(database?: DatabaseAddress, there?: string, rules?: HouseRules): Promise<QueueWorld> {
  const folder = there ?? tempFolder();
  const privateFolder = join(folder, '.baton');
  mkdirSync(privateFolder, { recursive: true });
  const events: EngineEvent[] = [];
  const house = await openHouse({
    database: database ?? { kind: 'sqlite', path: join(privateFolder, 'baton.db') },
    limits: NO_LIMITS,
    queueFolder: { folder, privateFolder },
    ...(rules === undefined ? {} : { rules }),
    report: (event) => events.push(event),
  });
  onTestFinished(async () => house.close());
  const { around } = house;
  const queue = present(around.rules.queue, 'there is a queue');
  await queue.pass('thorough');
  const path = (place: Place, id: string): string => join(folder, 'handoffs', place, `${id}.json`);
  const loaded = async (id: string): Promise<Whole | null> => around.store.load(id as HandoffId);
  return {
    folder,
    around,
    queue,
    events,
    path,
    places: (id) => PLACES.filter((place) => lstatSync(path(place, id), { throwIfNoEntry: false }) !== undefined),
    read: (place, id) => JSON.parse(readFileSync(path(place, id), 'utf8').replace(/^\uFEFF/, '')) as JsonObject,
    move: (id, from, to) => renameSync(path(from, id), path(to, id)),
    write: (place, id, text, agoMs = 120_000) => {
      writeFileSync(path(place, id), typeof text === 'string' ? text : JSON.stringify(text, null, 2));
      const at = (Date.now() - agoMs) / 1000;
      utimesSync(path(place, id), at, at);
    },
    quarantined: () => readdirSync(join(folder, 'handoffs/quarantine')).toSorted(),
    whole: async (id) => present(await loaded(id), `${id} is there`),
    state: async (id) => (await loaded(id))?.handoff.state ?? null,
    send: async (input = {}, terms = {}) => {
      const sent = await send(around, agentPrincipal(ME), { from: ME, to: REACT, input, terms });
      if (!sent.ok) throw new Error(sent.refusal.code);
      return sent.value.id;
    },
    sync: async () => {
      await queue.pass('thorough');
    },
  };
}

export function aRequest(id: string, parts: object = {}): JsonObject {
  return {
    handoff_id: id,
    timestamp: '2026-01-13T10:00:00Z',
    status: 'pending',
    source: { agent_id: '@me', phase: 11 },
    target: { agent_id: '@react', phase: 13 },
    input: { data: { of: id } },
    timeout_seconds: 300,
    ...parts,
  };
}

/** Name, number, size and time of every file of the queue: what no write leaves as it was. */
export function footprint(folder: string): readonly string[] {
  return readdirSync(join(folder, 'handoffs'), { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, stat: statSync(join(folder, 'handoffs', name)) }))
    .filter(({ stat }) => stat.isFile())
    .map(({ name, stat }) => `${name} ${stat.ino} ${stat.size} ${stat.mtimeMs}`)
    .toSorted();
}

function agentOf(name: string): AgentId {
  return present(readAgentId(name), `${name} is a name of an agent`);
}
