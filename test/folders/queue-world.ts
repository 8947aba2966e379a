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
import type { EngineEvent, WorkspaceRules, QueueMirror, Context } from '../../src/engine/context.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import type { QueueFolder } from '../../src/folders/queue-folder-names.ts';
import { QUEUE_FOLDERS } from '../../src/folders/queue-folder-names.ts';
import type { QueueFolderOptions } from '../../src/folders/queue-folder.ts';
import type { DatabaseAddress } from '../../src/workspace/database-address.ts';
import { openApp } from '../../src/app/open-app.ts';
import type { StoredHandoff } from '../../src/stores/store.ts';
import { tempFolder } from '../support/processes.ts';
import { putDatabase } from '../support/sqlite-with-tables.ts';

export interface QueueWorld {
  readonly folder: string;
  readonly ctx: Context;
  readonly queue: QueueMirror;
  readonly events: readonly EngineEvent[];
  readonly path: (place: QueueFolder, id: string) => string;
  /** Where there is a file of this name. */
  readonly places: (id: string) => readonly QueueFolder[];
  readonly read: (place: QueueFolder, id: string) => JsonObject;
  readonly move: (id: string, from: QueueFolder, to: QueueFolder) => void;
  /** Written whole, long ago: nobody is still at it. */
  readonly write: (place: QueueFolder, id: string, text: string | object, agoMs?: number) => void;
  readonly quarantined: () => readonly string[];
  readonly whole: (id: string) => Promise<StoredHandoff>;
  readonly state: (id: string) => Promise<Handoff['state'] | null>;
  readonly send: (input?: Json, terms?: Partial<Terms>) => Promise<HandoffId>;
  readonly sync: () => Promise<void>;
}

export const ME = agentOf('me');
export const REACT = agentOf('react');
export const ROOT_USER = String(process.getuid?.() ?? 0);

interface WorldOptions {
  /** Files age as they really do: nobody can set when they were last changed. */
  readonly isReal?: boolean;
  readonly trusted?: QueueFolderOptions['trusted'];
  readonly keep?: QueueFolderOptions['keep'];
}

export async function queueWorld(
  database?: DatabaseAddress,
  there?: string,
  rules?: WorkspaceRules,
  { isReal = false, trusted, keep }: WorldOptions = {},
): Promise<QueueWorld> {
  const folder = there ?? tempFolder();
  const privateFolder = join(folder, '.baton');
  mkdirSync(privateFolder, { recursive: true });
  if (database === undefined) putDatabase(join(privateFolder, 'baton.db'));
  const events: EngineEvent[] = [];
  const app = await openApp({
    database: database ?? { kind: 'sqlite', path: join(privateFolder, 'baton.db') },
    limits: NO_LIMITS,
    queueFolder: {
      folder,
      privateFolder,
      ...(trusted === undefined ? {} : { trusted }),
      ...(keep === undefined ? {} : { keep }),
      // Tests age their files by the time of the last write, which anybody can set.
      ...(isReal ? {} : { unchangedMsOf: ({ mtimeMs }: { readonly mtimeMs: number }) => Date.now() - mtimeMs }),
    },
    ...(rules === undefined ? {} : { rules }),
    report: (event) => events.push(event),
  });
  onTestFinished(async () => app.close());
  const { ctx } = app;
  const queue = present(ctx.rules.queue, 'there is a queue');
  await queue.sync('thorough');
  const path = (place: QueueFolder, id: string): string => join(folder, 'handoffs', place, `${id}.json`);
  const loaded = async (id: string): Promise<StoredHandoff | null> => ctx.store.load(id as HandoffId);
  return {
    folder,
    ctx,
    queue,
    events,
    path,
    places: (id) =>
      QUEUE_FOLDERS.filter((place) => lstatSync(path(place, id), { throwIfNoEntry: false }) !== undefined),
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
      const sent = await send(ctx, agentPrincipal(ME), { from: ME, to: REACT, input, terms });
      if (!sent.ok) throw new Error(sent.refusal.code);
      return sent.value.id;
    },
    sync: async () => {
      await queue.sync('thorough');
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

/** What is in these folders of the queue. A killed process may leave drafts; the queue removes them when they are old. */
export function leftIn(folder: string, places: readonly string[]): readonly string[] {
  return places
    .flatMap((place) => readdirSync(join(folder, 'handoffs', place)).map((name) => `${place}/${name}`))
    .filter((path) => !/^waiting\/\..*\.draft$/.test(path));
}

function agentOf(name: string): AgentId {
  return present(readAgentId(name), `${name} is a name of an agent`);
}
