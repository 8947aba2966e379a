/**
 * The journal's files: `agents/{id}/` in the private folder of a workspace. A hook appends one line; whoever drives the
 * agent reads them. Nothing here needs a server, a database or a package, because hooks run on every turn of an agent.
 */
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../../foundation/atomic-file.ts';
import type { AgentEvent } from '../../domain/agent-events.ts';
import type { HandoverNote, HookCall } from '../agent-host.ts';
import { hookAnswer, readHook } from '../hook-events.ts';

const EVENTS_FILE = 'events.jsonl';
export const NOTE_FILE = 'handover.json';
export const STATUS_FILE = 'status-line.json';

/** What a hook tells of a prompt is compared with a line of ours, which is never longer. */
const TEXT_MAX = 2_000;
/** An agent that writes more than this in its life has told enough; older events are of no use by then. */
const JOURNAL_MAX = 16 * 1_024 * 1_024;
const NOTE_MAX = 64 * 1_024;

export function agentFolder(privateFolder: string, agent: number): string {
  return join(privateFolder, 'agents', String(agent));
}

/** Keeps what a hook tells, and answers what the agent's program is to be told. */
export function hearHook(folder: string, { vendor, event, payload }: HookCall, atMs: number): object | null {
  const answer = hookAnswer(vendor, event, payload, readNote(folder));
  const heard = readHook(vendor, event, payload, atMs);
  // A question that is answered here is none for the user.
  if (heard !== null && !(heard.kind === 'dialog' && answer !== null)) appendEvent(folder, heard);
  return answer;
}

/** One write for one line, so that lines of hooks that run at the same time do not mix. */
function appendEvent(folder: string, event: AgentEvent): void {
  const path = join(folder, EVENTS_FILE);
  const line = `${JSON.stringify(event, (_key, value: unknown) => (typeof value === 'string' ? value.slice(0, TEXT_MAX) : value))}\n`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > JOURNAL_MAX) renameSync(path, `${path}.old`);
  appendFileSync(path, line, { mode: 0o600 });
}

export function readEvents(folder: string): readonly AgentEvent[] {
  return (textOf(join(folder, EVENTS_FILE)) ?? '').split('\n').flatMap((line) => eventIn(line) ?? []);
}

/** A line that was cut off by a full disk is no reason to lose the others. */
function eventIn(line: string): AgentEvent | null {
  if (line === '') return null;
  try {
    const event = JSON.parse(line) as AgentEvent;
    return typeof event.kind === 'string' && typeof event.at === 'number' ? event : null;
  } catch {
    return null;
  }
}

/** Whether a handover of this agent is under way. */
export function hasNote(folder: string): boolean {
  return readNote(folder) !== null;
}

function readNote(folder: string): HandoverNote | null {
  const text = textOf(join(folder, NOTE_FILE));
  if (text === null || text === '' || text.length > NOTE_MAX) return null;
  try {
    const { handoff, documentPath } = JSON.parse(text) as Partial<HandoverNote>;
    return typeof handoff === 'string' && typeof documentPath === 'string' ? { handoff, documentPath } : null;
  } catch {
    return null;
  }
}

/** Whole or not at all, for readers that come at any moment. */
export function putFile(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeWhole(join(folder, name), text, { mode: 0o600 });
}

export function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
