/** Looks into the database for work that was not announced to an agent yet, and stores when to look again. */
import { dirname, join } from 'node:path';
import type { AgentId } from '../../domain/names.ts';
import { forgetSettled, workWaitingFor, type WaitingWork } from '../../engine/wake.ts';
import { announceWork, type WakeRequest } from '../../agents/journal/announce-work.ts';
import { bellMarkOf, fileWakeNotes, readLook, wakeFolder, writeLook } from '../../agents/journal/wake-file.ts';
import { notifyFileName } from '../../stores/sqlite/notify-files.ts';
import type { LookStore } from '../../stores/look-store.ts';
import type { DatabaseAddress } from '../../workspace/database-address.ts';
import { workspaceAt, type Workspace } from '../../workspace/workspace.ts';

/** A database server notifies no file of this machine, so it is polled this often. */
const WITHOUT_BELL_MS = 60_000;
/** Two offers within the resolution of a file's time look like one. */
const BELL_FRESH_MS = 1_000;

/** What a look needs; a hook has it without the whole command. */
export interface WakeSource {
  readonly store: LookStore;
  /** The workspace's own; null: another one. */
  readonly database: DatabaseAddress | null;
  /** `wake.hooks` in `baton.yaml`. */
  readonly hooks: 'on' | 'off';
}

/** What the agent's program is told; null: nothing. */
export async function lookForWork(
  source: WakeSource,
  workspace: Workspace,
  request: WakeRequest,
): Promise<object | null> {
  const { agent, session } = request;
  const { privateFolder } = workspace;
  const bell = bellOf(source.database, agent);
  // Before the look: what is offered while we look is found by the next one.
  const bellMark = bellMarkOf(bell);
  const nowMs = Date.now();
  const { ready, nextAt } = await offersFor(source, agent);
  await forgetSettled(source.store, fileWakeNotes(privateFolder), agent);
  const isBusy = request.isBusy || (request.moment === 'turn-end' && (await isHandingOver(source, session)));
  const { answer, isLeft, continuedAt } = announceWork(privateFolder, { ...request, isBusy }, ready, nowMs);
  const again = [
    nextAt,
    isLeft ? nowMs : null,
    bell === null ? nowMs + WITHOUT_BELL_MS : null,
    bell !== null && Number(bellMark) / 1e6 > nowMs - BELL_FRESH_MS ? nowMs + BELL_FRESH_MS : null,
  ].filter((at) => at !== null);
  writeLook(wakeFolder(privateFolder, agent), {
    bell,
    bellMark,
    againAt: again.length === 0 ? null : Math.min(...again),
    waiting: ready.length,
    continuedAt,
  });
  return answer;
}

/**
 * The same in the background, so that the agent does not wait; the next hook announces the result. Hooks look into a SQLite
 * database themselves.
 */
export async function keepLook(
  source: WakeSource,
  workspace: Workspace,
  { agent, session }: Pick<WakeRequest, 'agent' | 'session'>,
): Promise<void> {
  if (bellOf(source.database, agent) !== null) return;
  const { privateFolder } = workspace;
  const folder = wakeFolder(privateFolder, agent);
  const nowMs = Date.now();
  const isDisturbing = await isHandingOver(source, session);
  const { ready, nextAt } = await offersFor(source, agent);
  const work = isDisturbing ? [] : ready.map(({ id, from, title }) => ({ id, from, title }));
  writeLook(folder, {
    bell: null,
    bellMark: '',
    againAt: isDisturbing ? nowMs : Math.min(nextAt ?? Infinity, nowMs + WITHOUT_BELL_MS),
    waiting: ready.length,
    continuedAt: readLook(folder)?.continuedAt ?? [],
    found: { at: nowMs, work },
  });
  await forgetSettled(source.store, fileWakeNotes(privateFolder), agent);
}

function offersFor({ store, hooks }: WakeSource, agent: AgentId): Promise<WaitingWork> | WaitingWork {
  return hooks === 'on' ? workWaitingFor(store, agent) : { ready: [], nextAt: null };
}

/** A successor that does not know its task yet, and an agent that writes its document, must not be disturbed. */
async function isHandingOver({ store }: WakeSource, session: number | null): Promise<boolean> {
  const record = session === null ? null : await store.agents.load(session);
  return record !== null && (record.state === 'starting' || record.succession !== null);
}

/** The database did not answer, so the next turns do not wait for it. */
export function postponeLook(workspaceFolder: string, agent: AgentId): void {
  const folder = wakeFolder(workspaceAt(workspaceFolder).privateFolder, agent);
  const { waiting = 0, continuedAt = [], found } = readLook(folder) ?? {};
  writeLook(folder, {
    bell: null,
    bellMark: '',
    againAt: Date.now() + WITHOUT_BELL_MS,
    waiting,
    continuedAt,
    ...(found === undefined ? {} : { found }),
  });
}

/** The file that changes when something is offered to the agent; null: this database has none here. */
function bellOf(database: DatabaseAddress | null, agent: AgentId): string | null {
  return database?.kind === 'sqlite'
    ? join(dirname(database.path), 'bells', notifyFileName({ kind: 'offers', agent }))
    : null;
}
