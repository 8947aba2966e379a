/**
 * Which handoffs on offer are announced to an agent now, each once. Used after a look into the database, and by a hook that
 * announces what an earlier look found: it needs neither a database nor a package.
 */
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId } from '../../domain/names.ts';
import { wakeText } from '../../formats/wake-text.ts';
import type { WakeMoment } from '../agent-host.ts';
import { wakeAnswer } from '../wake-hook.ts';
import { fileWakeNotes, readLook, wakeFolder, writeLook } from './wake-file.ts';

/** Continuing more turns than this would leave the agent no time for other work. */
export const WAKES_PER_HOUR_MAX = 12;
const HOUR_MS = 60 * 60 * 1_000;
/** An older result is not announced at the start of a session: the end of its first turn looks again. */
const FRESH_MS = 60_000;

export interface WakeRequest {
  readonly vendor: string;
  readonly agent: AgentId;
  readonly moment: WakeMoment;
  /** The agent is not idle although its turn ends. */
  readonly isBusy: boolean;
  /** The number of the session, where Baton has started it. */
  readonly session: number | null;
}

export type OfferedWork = Pick<Handoff, 'id' | 'from' | 'title'>;

export interface AnnouncedWork {
  /** What the agent's program is told; null: nothing. */
  readonly answer: object | null;
  /** Something has to be announced later. */
  readonly isLeft: boolean;
  readonly continuedAt: readonly number[];
}

export function announceWork(
  privateFolder: string,
  { vendor, agent, moment, isBusy }: WakeRequest,
  ready: readonly OfferedWork[],
  nowMs: number,
): AnnouncedWork {
  const notes = fileWakeNotes(privateFolder);
  const known = new Set(notes.told(agent));
  const untold = ready.filter(({ id }) => !known.has(id)).map(({ id }) => id);
  const continued = readLook(wakeFolder(privateFolder, agent))?.continuedAt ?? [];
  const continuedAt = continued.filter((at) => at > nowMs - HOUR_MS && at <= nowMs);
  const isNow = moment === 'session-start' || (!isBusy && continuedAt.length < WAKES_PER_HOUR_MAX);
  const marked = new Set(isNow ? notes.tell(agent, untold) : []);
  const told = moment === 'session-start' ? ready : ready.filter(({ id }) => marked.has(id));
  const isContinued = moment === 'turn-end' && told.length > 0;
  return {
    answer: told.length === 0 ? null : wakeAnswer(vendor, moment, wakeText(agent, told)),
    isLeft: !isNow && untold.length > 0,
    continuedAt: isContinued ? [...continuedAt, nowMs] : continuedAt,
  };
}

/** Announces what a background look found, for databases that are too slow for a hook. */
export function announceFoundWork(privateFolder: string, request: WakeRequest, nowMs: number): object | null {
  const folder = wakeFolder(privateFolder, request.agent);
  const look = readLook(folder);
  if (look?.found === undefined) return null;
  if (request.moment === 'session-start' && nowMs - look.found.at > FRESH_MS) {
    // The end of the first turn announces everything that still waits.
    const notes = fileWakeNotes(privateFolder);
    notes.forget(request.agent, notes.told(request.agent));
    return null;
  }
  const { answer, continuedAt } = announceWork(privateFolder, request, look.found.work, nowMs);
  if (answer !== null) writeLook(folder, { ...look, continuedAt });
  return answer;
}
