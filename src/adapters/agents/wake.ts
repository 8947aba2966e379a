/** Looks into the database for work that an agent was not told of, and keeps when the next look is worth it. */
import { dirname, join } from 'node:path';
import type { AgentSession } from '../../domain/agent-session.ts';
import type { AgentId } from '../../domain/names.ts';
import { forgetSettled, untoldOf, workWaitingFor } from '../../engine/wake.ts';
import { wakeText } from '../../formats/wake-text.ts';
import type { HookCall, WakeMoment } from '../../agents/agent-host.ts';
import { bellMarkOf, fileWakeNotes, readLook, wakeFolder, writeLook } from '../../agents/journal/wake-file.ts';
import { isBusyTurn, wakeAnswer, wakeMoment } from '../../agents/wake-hook.ts';
import { notifyFileName } from '../../stores/sqlite/notify-files.ts';
import { cachedConfiguration } from '../../workspace/configuration-cache.ts';
import { databaseOfWorkspace } from '../../workspace/database-address.ts';
import type { OpenWorkspace } from '../../workspace/opened-workspace.ts';
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

/** What the agent's program is told; null: nothing. */
export async function wakeByHook(
  { ctx, configuration }: Pick<OpenWorkspace, 'ctx' | 'configuration'>,
  workspace: Workspace,
  { vendor, agent, moment, isBusy, session }: WakeRequest,
): Promise<object | null> {
  const folder = wakeFolder(workspace.privateFolder, agent);
  const notes = fileWakeNotes(workspace.privateFolder);
  const bell = await bellOf(workspace, agent);
  // Before the look: what is offered while we look is found by the next one.
  const bellMark = bellMarkOf(bell);
  const nowMs = Date.now();
  const continuedAt = (readLook(folder)?.continuedAt ?? []).filter((at) => at > nowMs - HOUR_MS && at <= nowMs);
  const { ready, nextAt } =
    configuration.wake.hooks === 'on' ? await workWaitingFor(ctx, agent) : { ready: [], nextAt: null };
  await forgetSettled(ctx, notes, agent);
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
    const record = session === null ? null : await ctx.store.agents.load(session);
    return record !== null && (record.state === 'starting' || record.succession !== null);
  }
}

/** The database did not answer: the next turns are not kept waiting for it as well. */
export function postponeLook(workspaceFolder: string, agent: AgentId): void {
  const folder = wakeFolder(workspaceAt(workspaceFolder).privateFolder, agent);
  const { waiting = 0, continuedAt = [] } = readLook(folder) ?? {};
  writeLook(folder, { bell: null, bellMark: '', againAt: Date.now() + WITHOUT_BELL_MS, waiting, continuedAt });
}

/** The same for an agent that posts its hooks to a server. */
export async function wakeByPostedHook(
  app: Pick<OpenWorkspace, 'ctx' | 'configuration'>,
  workspace: Workspace,
  { id, persona }: Pick<AgentSession, 'id' | 'persona'>,
  { vendor, event, payload }: HookCall,
): Promise<object | null> {
  const moment = wakeMoment(vendor, event);
  if (moment === null || persona === null) return null;
  return wakeByHook(app, workspace, { vendor, agent: persona, moment, isBusy: isBusyTurn(payload), session: id });
}

/** The file that changes when something is offered to the agent; null: this database has none here. */
async function bellOf(workspace: Workspace, agent: AgentId): Promise<string | null> {
  if ((process.env['BATON_DATABASE'] ?? '') !== '') return null;
  const address = databaseOfWorkspace(workspace, (await cachedConfiguration(workspace)).text);
  return address.kind === 'sqlite'
    ? join(dirname(address.path), 'bells', notifyFileName({ kind: 'offers', agent }))
    : null;
}
