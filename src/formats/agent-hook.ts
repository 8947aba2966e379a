/** Reads the JSON that an agent's program gives to its hooks: the turn, and what the agent said last. */
export type HookPayload = Readonly<Record<string, unknown>>;

/** The events at which an agent has finished speaking, and the field with its words. */
const SPOKEN: Readonly<Record<string, string>> = {
  'claude stop': 'last_assistant_message',
  'claude subagentstop': 'last_assistant_message',
  'codex stop': 'last_assistant_message',
  'codex subagentstop': 'last_assistant_message',
  'gemini afteragent': 'prompt_response',
};

/** What the agent said last; null: the event does not tell. */
export function spokenIn(vendor: string, event: string, payload: HookPayload): string | null {
  const field = SPOKEN[`${vendor.toLowerCase()} ${eventName(event)}`];
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
