/**
 * `wake/@agent/` in the private folder of a workspace: which handoffs were announced to an idle agent, and when to check
 * for more. Hooks read this on every turn of an agent, so nothing here needs a database or a package.
 */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { orNull } from '../../foundation/or-null.ts';
import { codeOf } from '../../foundation/system-error-code.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import type { WakeMoment, WakeNotes } from '../agent-host.ts';
import { jsonIn } from '../json-fields.ts';
import { putFile, textOf } from './journal-lines.ts';

const STATE_FILE = 'look.json';
const ANNOUNCED_FOLDER = 'told';

/** The result of the last check of the database. */
export interface WakeState {
  /** A file that changes when something is offered to the agent. Null: there is none, and only `againAt` counts. */
  readonly bell: string | null;
  readonly bellMark: string;
  /** When to check again even if the file has not changed; null: never. */
  readonly againAt: number | null;
  /** How many handoffs were on offer. */
  readonly waiting: number;
  /** When turns of this agent were continued because of work for it. */
  readonly continuedAt: readonly number[];
  /** What a background check found, and when. The next hook announces it. */
  readonly found?: { readonly at: number; readonly work: readonly Pick<Handoff, 'id' | 'from' | 'title'>[] };
}

export function wakeFolder(privateFolder: string, agent: AgentId): string {
  return join(privateFolder, 'wake', `@${agent}`);
}

/** Whether a check of the database may find new work. The first check is always due. */
export function isCheckDue(folder: string, moment: WakeMoment, nowMs: number): boolean {
  const state = readWakeState(folder);
  if (state === null || (moment === 'session-start' && (state.waiting > 0 || state.bell === null))) return true;
  if (state.againAt !== null && nowMs >= state.againAt) return true;
  return state.bell !== null && changeMark(state.bell) !== state.bellMark;
}

export function changeMark(path: string | null): string {
  const stat = path === null ? undefined : statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? 'absent' : String(stat.mtimeNs);
}

export function readWakeState(folder: string): WakeState | null {
  const state = jsonIn(textOf(join(folder, STATE_FILE)) ?? '') as Partial<WakeState> | null;
  return typeof state?.bellMark === 'string' && Array.isArray(state.continuedAt) ? (state as WakeState) : null;
}

export function writeWakeState(folder: string, state: WakeState): void {
  putFile(folder, STATE_FILE, JSON.stringify(state));
}

export function fileWakeNotes(privateFolder: string): WakeNotes {
  const announcedFolder = (agent: AgentId): string => join(wakeFolder(privateFolder, agent), ANNOUNCED_FOLDER);
  return {
    announced: (agent) => orNull(() => readdirSync(announcedFolder(agent)) as HandoffId[]) ?? [],
    markAnnounced: (agent, ids) => {
      const folder = announcedFolder(agent);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return ids.filter((id) => markOnce(join(folder, id)));
    },
    forget: (agent, ids) => {
      for (const id of ids) rmSync(join(announcedFolder(agent), id), { force: true });
    },
  };
}

/** Of several concurrent hooks only one creates the file, and that hook announces the handoff. */
function markOnce(path: string): boolean {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}
