/**
 * `wake/@agent/` in the private folder of a workspace: which handoffs an idle agent was told about, and when to look for
 * more. Hooks read this on every turn of an agent, so nothing here needs a database or a package.
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

const LOOK_FILE = 'look.json';
const TOLD_FOLDER = 'told';

/** The result of the last look into the database. */
export interface WakeLook {
  /** A file that changes when something is offered to the agent. Null: there is none, and only `againAt` counts. */
  readonly bell: string | null;
  readonly bellMark: string;
  /** When to look again even if the file has not changed; null: never. */
  readonly againAt: number | null;
  /** How many handoffs were on offer. */
  readonly waiting: number;
  /** When turns of this agent were continued because of work for it. */
  readonly continuedAt: readonly number[];
  /** What a look outside of the hooks found, and when. The next hook announces it. */
  readonly found?: { readonly at: number; readonly work: readonly Pick<Handoff, 'id' | 'from' | 'title'>[] };
}

export function wakeFolder(privateFolder: string, agent: AgentId): string {
  return join(privateFolder, 'wake', `@${agent}`);
}

/** Whether a look into the database may find something new. The first look always may. */
export function isWorthLooking(folder: string, moment: WakeMoment, nowMs: number): boolean {
  const look = readLook(folder);
  if (look === null || (moment === 'session-start' && (look.waiting > 0 || look.bell === null))) return true;
  if (look.againAt !== null && nowMs >= look.againAt) return true;
  return look.bell !== null && bellMarkOf(look.bell) !== look.bellMark;
}

export function bellMarkOf(bell: string | null): string {
  const stat = bell === null ? undefined : statSync(bell, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? 'absent' : String(stat.mtimeNs);
}

export function readLook(folder: string): WakeLook | null {
  const look = jsonIn(textOf(join(folder, LOOK_FILE)) ?? '') as Partial<WakeLook> | null;
  return typeof look?.bellMark === 'string' && Array.isArray(look.continuedAt) ? (look as WakeLook) : null;
}

export function writeLook(folder: string, look: WakeLook): void {
  putFile(folder, LOOK_FILE, JSON.stringify(look));
}

export function fileWakeNotes(privateFolder: string): WakeNotes {
  const toldFolder = (agent: AgentId): string => join(wakeFolder(privateFolder, agent), TOLD_FOLDER);
  return {
    told: (agent) => orNull(() => readdirSync(toldFolder(agent)) as HandoffId[]) ?? [],
    tell: (agent, ids) => {
      const folder = toldFolder(agent);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return ids.filter((id) => isMarkedNow(join(folder, id)));
    },
    forget: (agent, ids) => {
      for (const id of ids) rmSync(join(toldFolder(agent), id), { force: true });
    },
  };
}

/** Of many hooks that run at the same time one creates the file, and that hook announces the handoff. */
function isMarkedNow(path: string): boolean {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}
