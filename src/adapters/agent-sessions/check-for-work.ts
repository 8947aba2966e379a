/** Checks the database for work that was not announced to an agent yet, and stores when to check again. */
import { dirname, join } from 'node:path';
import type { AgentId } from '../../domain/names.ts';
import { forgetSettled, workWaitingFor, type WaitingWork } from '../../engine/wake.ts';
import { announceWork, type WakeRequest } from '../../agents/journal/announce-work.ts';
import {
  changeMark,
  fileWakeNotes,
  readWakeState,
  wakeFolder,
  writeWakeState,
} from '../../agents/journal/wake-state.ts';
import { notifyFileName } from '../../stores/sqlite/notify-files.ts';
import type { OfferReader } from '../../stores/offer-reader.ts';
import type { DatabaseAddress } from '../../workspace/database-address.ts';
import { workspaceAt, type Workspace } from '../../workspace/workspace.ts';

/** A database server notifies no file of this machine, so it is polled this often. */
const POLL_WITHOUT_FILE_MS = 60_000;
/** Two offers within the resolution of a file time have the same time. */
const FILE_TIME_RESOLUTION_MS = 1_000;

/** What a check needs; a hook provides it without loading the whole command. */
export interface WakeSource {
  readonly store: OfferReader;
  /** The workspace's own; null: another one. */
  readonly database: DatabaseAddress | null;
  /** `wake.hooks` in `baton.yaml`. */
  readonly hooks: 'on' | 'off';
}

/** What the agent's program is told; null: nothing. */
export async function checkForWork(
  source: WakeSource,
  workspace: Workspace,
  request: WakeRequest,
): Promise<object | null> {
  const { agent, session } = request;
  const { privateFolder } = workspace;
  const bell = notificationFileOf(source.database, agent);
  // Read before the check: an offer during the check is found by the next one.
  const bellMark = changeMark(bell);
  const nowMs = Date.now();
  const { ready, nextAt } = await offersFor(source, agent);
  await forgetSettled(source.store, fileWakeNotes(privateFolder), agent);
  const isBusy = request.isBusy || (request.moment === 'turn-end' && (await isHandingOver(source, session)));
  const { answer, isLeft, continuedAt } = announceWork(privateFolder, { ...request, isBusy }, ready, nowMs);
  const again = [
    nextAt,
    isLeft ? nowMs : null,
    bell === null ? nowMs + POLL_WITHOUT_FILE_MS : null,
    bell !== null && Number(bellMark) / 1e6 > nowMs - FILE_TIME_RESOLUTION_MS ? nowMs + FILE_TIME_RESOLUTION_MS : null,
  ].filter((at) => at !== null);
  writeWakeState(wakeFolder(privateFolder, agent), {
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
export async function checkForWorkLater(
  source: WakeSource,
  workspace: Workspace,
  { agent, session }: Pick<WakeRequest, 'agent' | 'session'>,
): Promise<void> {
  if (notificationFileOf(source.database, agent) !== null) return;
  const { privateFolder } = workspace;
  const folder = wakeFolder(privateFolder, agent);
  const nowMs = Date.now();
  const isDisturbing = await isHandingOver(source, session);
  const { ready, nextAt } = await offersFor(source, agent);
  const work = isDisturbing ? [] : ready.map(({ id, from, title }) => ({ id, from, title }));
  writeWakeState(folder, {
    bell: null,
    bellMark: '',
    againAt: isDisturbing ? nowMs : Math.min(nextAt ?? Infinity, nowMs + POLL_WITHOUT_FILE_MS),
    waiting: ready.length,
    continuedAt: readWakeState(folder)?.continuedAt ?? [],
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
export function postponeWorkCheck(workspaceFolder: string, agent: AgentId): void {
  const folder = wakeFolder(workspaceAt(workspaceFolder).privateFolder, agent);
  const { waiting = 0, continuedAt = [], found } = readWakeState(folder) ?? {};
  writeWakeState(folder, {
    bell: null,
    bellMark: '',
    againAt: Date.now() + POLL_WITHOUT_FILE_MS,
    waiting,
    continuedAt,
    ...(found === undefined ? {} : { found }),
  });
}

/** The file that changes when something is offered to the agent; null: this database has none here. */
function notificationFileOf(database: DatabaseAddress | null, agent: AgentId): string | null {
  return database?.kind === 'sqlite'
    ? join(dirname(database.path), 'bells', notifyFileName({ kind: 'offers', agent }))
    : null;
}
