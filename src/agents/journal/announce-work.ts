/**
 * Announces offered handoffs to an agent, each once. Used after a check of the database, and by hooks that announce what an
 * earlier check found. It needs no database and no package.
 */
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId } from '../../domain/names.ts';
import { wakeText } from '../../formats/wake-text.ts';
import type { WakeMoment } from '../agent-host.ts';
import { wakeAnswer } from '../wake-hook.ts';
import { fileWakeNotes, readWakeState, wakeFolder, writeWakeState } from './wake-state.ts';

/** Continuing more turns than this would leave the agent no time for other work. */
export const WAKES_PER_HOUR_MAX = 12;
const HOUR_MS = 60 * 60 * 1_000;
/** An older result is not announced at the start of a session: the end of its first turn checks again. */
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
  /** The output for the agent's program; null: none. */
  readonly answer: object | null;
  /** Some work has to be announced later. */
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
  const known = new Set(notes.announced(agent));
  const unannounced = ready.filter(({ id }) => !known.has(id)).map(({ id }) => id);
  const continued = readWakeState(wakeFolder(privateFolder, agent))?.continuedAt ?? [];
  const continuedAt = continued.filter((at) => at > nowMs - HOUR_MS && at <= nowMs);
  const isNow = moment === 'session-start' || (!isBusy && continuedAt.length < WAKES_PER_HOUR_MAX);
  const marked = new Set(isNow ? notes.markAnnounced(agent, unannounced) : []);
  const announced = moment === 'session-start' ? ready : ready.filter(({ id }) => marked.has(id));
  const isContinued = moment === 'turn-end' && announced.length > 0;
  return {
    answer: announced.length === 0 ? null : wakeAnswer(vendor, moment, wakeText(agent, announced)),
    isLeft: !isNow && unannounced.length > 0,
    continuedAt: isContinued ? [...continuedAt, nowMs] : continuedAt,
  };
}

/** Announces what a background check found, for databases that are too slow for a hook. */
export function announceFoundWork(privateFolder: string, request: WakeRequest, nowMs: number): object | null {
  const folder = wakeFolder(privateFolder, request.agent);
  const state = readWakeState(folder);
  if (state?.found === undefined) return null;
  if (request.moment === 'session-start' && nowMs - state.found.at > FRESH_MS) {
    // The end of the first turn announces everything that is still offered.
    const notes = fileWakeNotes(privateFolder);
    notes.forget(request.agent, notes.announced(request.agent));
    return null;
  }
  const { answer, continuedAt } = announceWork(privateFolder, request, state.found.work, nowMs);
  if (answer !== null) writeWakeState(folder, { ...state, continuedAt });
  return answer;
}
