/**
 * The journal's files: `agents/{id}/` in the private folder of a workspace. A hook appends one line; the process that drives
 * the agent reads them. Nothing here needs a server, a database or a package, because hooks run on every turn of an agent.
 */
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '../../foundation/atomic-file.ts';
import { orNull } from '../../foundation/or-null.ts';
import type { AgentEvent } from '../../domain/agent-events.ts';
import type { HandoverNote, HookCall } from '../agent-host.ts';
import { hookAnswer, readHook } from '../hook-events.ts';

const EVENTS_FILE = 'events.jsonl';
export const NOTE_FILE = 'handover.json';
export const STATUS_FILE = 'status-line.json';

/** A prompt in the journal is compared with a line that Baton typed, which is never longer. */
const TEXT_MAX = 2_000;
/** Beyond this the journal starts again: older events are of no use by then. */
const JOURNAL_MAX = 16 * 1_024 * 1_024;
const NOTE_MAX = 64 * 1_024;

export function agentFolder(privateFolder: string, agent: number): string {
  return join(privateFolder, 'agents', String(agent));
}

/** Stores the event of a hook, and returns what the hook prints for the agent's program. */
export function recordHook(folder: string, { vendor, event, payload }: HookCall, atMs: number): object | null {
  const answer = hookAnswer(vendor, event, payload, readNote(folder));
  const hookEvent = readHook(vendor, event, payload, atMs);
  // A permission request that the hook answers opens no dialog.
  if (hookEvent !== null && !(hookEvent.kind === 'dialog' && answer !== null)) appendEvent(folder, hookEvent);
  return answer;
}

/** One write for one line: lines of hooks that run at the same time must not mix. */
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

/** Null: the line is empty, or a full disk cut it off. The other lines still count. */
function eventIn(line: string): AgentEvent | null {
  const event = orNull(() => JSON.parse(line) as Partial<AgentEvent> | null);
  return typeof event?.kind === 'string' && typeof event.at === 'number' ? (event as AgentEvent) : null;
}

/** Whether a handover of this agent is under way. */
export function hasNote(folder: string): boolean {
  return readNote(folder) !== null;
}

function readNote(folder: string): HandoverNote | null {
  const text = textOf(join(folder, NOTE_FILE));
  if (text === null || text.length > NOTE_MAX) return null;
  const { handoff, documentPath } = orNull(() => JSON.parse(text) as Partial<HandoverNote> | null) ?? {};
  return typeof handoff === 'string' && typeof documentPath === 'string' ? { handoff, documentPath } : null;
}

/** Readers see the whole file or none. */
export function putFile(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeAtomically(join(folder, name), text, { mode: 0o600 });
}

export function textOf(path: string): string | null {
  return orNull(() => readFileSync(path, 'utf8'));
}
