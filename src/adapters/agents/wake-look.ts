/** Looks into the database for work that an agent was not told of, and keeps when the next look is worth it. */
import { dirname, join } from 'node:path';
import type { AgentId } from '../../domain/names.ts';
import type { Context } from '../../engine/context.ts';
import { forgetSettled, untoldOf, workWaitingFor } from '../../engine/wake.ts';
import { wakeText } from '../../formats/wake-text.ts';
import type { WakeMoment } from '../../agents/agent-host.ts';
import { bellMarkOf, fileWakeNotes, readLook, wakeFolder, writeLook } from '../../agents/journal/wake-file.ts';
import { wakeAnswer } from '../../agents/wake-hook.ts';
import { notifyFileName } from '../../stores/sqlite/notify-files.ts';
import type { DatabaseAddress } from '../../workspace/database-address.ts';
import { workspaceAt, type Workspace } from '../../workspace/workspace.ts';

/** An agent whose turns are continued more often than this does nothing else any more. */
export const WAKES_PER_HOUR_MAX = 12;
const HOUR_MS = 60 * 60 * 1_000;
/** A database on another machine rings no bell here. */
const WITHOUT_BELL_MS = 60_000;
/** Two offers within the resolution of a file's time look like one. */
const BELL_FRESH_MS = 1_000;

export interface WakeRequest {
  readonly vendor: string;
  readonly agent: AgentId;
  readonly moment: WakeMoment;
  /** The agent is not idle although its turn ends. */
  readonly isBusy: boolean;
  /** The number of the session, where Baton has started it. */
  readonly session: number | null;
}

/** What a look needs; a hook has it without the whole command. */
export interface WakeSource extends Pick<Context, 'store'> {
  /** The workspace's own; null: another one. */
  readonly database: DatabaseAddress | null;
  /** `wake.hooks` in `baton.yaml`. */
  readonly hooks: 'on' | 'off';
}

/** What the agent's program is told; null: nothing. */
export async function lookForWork(
  { store, database, hooks }: WakeSource,
  workspace: Workspace,
  { vendor, agent, moment, isBusy, session }: WakeRequest,
): Promise<object | null> {
  const folder = wakeFolder(workspace.privateFolder, agent);
  const notes = fileWakeNotes(workspace.privateFolder);
  const bell = bellOf(database, agent);
  // Before the look: what is offered while we look is found by the next one.
  const bellMark = bellMarkOf(bell);
  const nowMs = Date.now();
  const continuedAt = (readLook(folder)?.continuedAt ?? []).filter((at) => at > nowMs - HOUR_MS && at <= nowMs);
  const { ready, nextAt } = hooks === 'on' ? await workWaitingFor({ store }, agent) : { ready: [], nextAt: null };
  await forgetSettled({ store }, notes, agent);
  const untold = untoldOf(notes, agent, ready);
  const mayContinue = !isBusy && continuedAt.length < WAKES_PER_HOUR_MAX && !(await isHandingOver());
  const isNow = moment === 'session-start' || mayContinue;
  const marked = isNow
    ? new Set(
        notes.tell(
          agent,
          untold.map(({ id }) => id),
        ),
      )
    : new Set();
  const told = moment === 'session-start' ? ready : ready.filter(({ id }) => marked.has(id));
  const isContinued = moment === 'turn-end' && told.length > 0;
  const again = [
    nextAt,
    isNow || untold.length === 0 ? null : nowMs,
    bell === null ? nowMs + WITHOUT_BELL_MS : null,
    bell !== null && Number(bellMark) / 1e6 > nowMs - BELL_FRESH_MS ? nowMs + BELL_FRESH_MS : null,
  ].filter((at) => at !== null);
  writeLook(folder, {
    bell,
    bellMark,
    againAt: again.length === 0 ? null : Math.min(...again),
    waiting: ready.length,
    continuedAt: isContinued ? [...continuedAt, nowMs] : continuedAt,
  });
  return told.length === 0 ? null : wakeAnswer(vendor, moment, wakeText(agent, told));

  /** A successor that does not know its task yet, and an agent that writes its document, are not disturbed. */
  async function isHandingOver(): Promise<boolean> {
    const record = session === null ? null : await store.agents.load(session);
    return record !== null && (record.state === 'starting' || record.succession !== null);
  }
}

/** The database did not answer: the next turns are not kept waiting for it as well. */
export function postponeLook(workspaceFolder: string, agent: AgentId): void {
  const folder = wakeFolder(workspaceAt(workspaceFolder).privateFolder, agent);
  const { waiting = 0, continuedAt = [] } = readLook(folder) ?? {};
  writeLook(folder, { bell: null, bellMark: '', againAt: Date.now() + WITHOUT_BELL_MS, waiting, continuedAt });
}

/** The file that changes when something is offered to the agent; null: this database has none here. */
function bellOf(database: DatabaseAddress | null, agent: AgentId): string | null {
  return database?.kind === 'sqlite'
    ? join(dirname(database.path), 'bells', notifyFileName({ kind: 'offers', agent }))
    : null;
}
