/** Reads the JSON that an agent's program passes to its hooks: the turn, and the last message of the agent. */
export type HookPayload = Readonly<Record<string, unknown>>;

/** The events at the end of a turn, with the field of the agent's message. */
const MESSAGE_FIELD: Readonly<Record<string, string>> = {
  'claude stop': 'last_assistant_message',
  'claude subagentstop': 'last_assistant_message',
  'codex stop': 'last_assistant_message',
  'codex subagentstop': 'last_assistant_message',
  'gemini afteragent': 'prompt_response',
};

/** The last message of the agent; null: the event has none. */
export function lastMessageIn(vendor: string, event: string, payload: HookPayload): string | null {
  const field = MESSAGE_FIELD[`${vendor.toLowerCase()} ${eventName(event)}`];
  return field === undefined ? null : text(payload, field);
}

/** Background work will wake the agent again, so it has not finished. */
export function hasBackgroundTasks(payload: HookPayload): boolean {
  const tasks = payload['background_tasks'];
  return Array.isArray(tasks) && tasks.length > 0;
}

/** `user-prompt-submit`, `UserPromptSubmit` and `userpromptsubmit` are one event. */
export function eventName(event: string): string {
  return event.toLowerCase().replaceAll(/[^a-z]/g, '');
}

export function turnIn(payload: HookPayload): string | null {
  return text(payload, 'turn_id') ?? text(payload, 'prompt_id');
}

export function text(payload: HookPayload, name: string): string | null {
  const value = payload[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
