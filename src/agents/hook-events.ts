/**
 * The events of each vendor's hooks, and the answers to them. Hooks run on every turn of an agent: this file loads no
 * package.
 */
import type { AgentEvent } from '../domain/agent-events.ts';
import { eventName, hasBackgroundTasks, text, turnIn, type HookPayload } from '../formats/agent-hook.ts';
import type { HandoverNote, WakeMoment } from './agent-host.ts';

type EventFields = AgentEvent extends infer Each ? (Each extends AgentEvent ? Omit<Each, keyof Common> : never) : never;
type Common = Pick<AgentEvent, 'at' | 'conversation' | 'transcript'>;
type Reader = (payload: HookPayload) => EventFields | null;

const started: Reader = (payload) => ({ kind: 'started', source: text(payload, 'source') ?? 'startup' });
const prompt: Reader = (payload) => ({ kind: 'prompt', turn: turnIn(payload), text: text(payload, 'prompt') ?? '' });
const ended: Reader = (payload) => ({ kind: 'ended', reason: text(payload, 'reason') ?? 'other' });
const compacting: Reader = () => ({ kind: 'compacting' });
const turnEnded: Reader = (payload) => ({
  kind: 'turn-ended',
  turn: turnIn(payload),
  background: hasBackgroundTasks(payload),
});
/** The failure of a subagent that summarizes for a compaction is no failure of the turn. */
const turnFailed: Reader = (payload) =>
  'agent_id' in payload
    ? null
    : {
        kind: 'turn-failed',
        turn: turnIn(payload),
        error: text(payload, 'error') ?? 'unknown',
        says: text(payload, 'last_assistant_message') ?? text(payload, 'error_details') ?? '',
      };
const dialog: Reader = (payload) => ({
  kind: 'dialog',
  says: text(payload, 'tool_name') ?? text(payload, 'message') ?? 'a question',
});
const permissionNotice: Reader = (payload) =>
  /permission/i.test(text(payload, 'notification_type') ?? '') ? dialog(payload) : null;

const CLAUDE_EVENTS: Readonly<Record<string, Reader>> = {
  sessionstart: started,
  userpromptsubmit: prompt,
  stop: turnEnded,
  stopfailure: turnFailed,
  sessionend: ended,
  precompact: compacting,
  permissionrequest: dialog,
};

/** Vendor, event (letters only, lower case) and how it is read. */
const READERS: Readonly<Record<string, Readonly<Record<string, Reader>>>> = {
  claude: CLAUDE_EVENTS,
  codex: CLAUDE_EVENTS,
  gemini: {
    sessionstart: started,
    beforeagent: prompt,
    afteragent: turnEnded,
    sessionend: ended,
    precompress: compacting,
    notification: permissionNotice,
  },
  // For programs of the user's own.
  command: {
    started,
    prompt,
    turnended: turnEnded,
    turnfailed: turnFailed,
    dialog,
    ended,
  },
};

/** Null: at this event no work can be announced. */
export function wakeMoment(vendor: string, event: string): WakeMoment | null {
  const reader = READERS[vendor]?.[eventName(event)];
  return reader === started ? 'session-start' : reader === turnEnded ? 'turn-end' : null;
}

export function isTurnStart(vendor: string, event: string): boolean {
  return READERS[vendor]?.[eventName(event)] === prompt;
}

/** Null: this event does not matter. */
export function readHook(vendor: string, event: string, payload: HookPayload, atMs: number): AgentEvent | null {
  const fields = READERS[vendor]?.[eventName(event)]?.(payload) ?? null;
  if (fields === null) return null;
  const transcript = text(payload, 'transcript_path');
  const conversation = text(payload, 'session_id');
  return { at: atMs, conversation, ...(transcript === null ? {} : { transcript }), ...fields };
}

/**
 * The output of a hook for the agent's program; null: none. During a handover it blocks compaction, which would leave the
 * agent only a summary to write down, and allows writing the announced file, which would otherwise wait for a person.
 */
export function hookAnswer(
  vendor: string,
  event: string,
  payload: HookPayload,
  note: HandoverNote | null,
): object | null {
  if (vendor !== 'claude' || note === null) return null;
  const name = eventName(event);
  if (name === 'precompact') {
    return { decision: 'block', reason: `the handover ${note.handoff} is under way: write the document first` };
  }
  if (name === 'permissionrequest' && isForDocument(payload, note)) {
    return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } };
  }
  return null;
}

function isForDocument(payload: HookPayload, { documentPath }: HandoverNote): boolean {
  const input = payload['tool_input'];
  const tool = text(payload, 'tool_name');
  if (typeof input !== 'object' || input === null || (tool !== 'Write' && tool !== 'Edit')) return false;
  return (input as HookPayload)['file_path'] === documentPath;
}
