/** The JSON that an agent's program gives to its hooks: what it says of the turn and of the agent's last words. */
export type HookPayload = Readonly<Record<string, unknown>>;

/** The events at which an agent has said something to its end, and where each vendor puts its words. */
const SPOKEN: Readonly<Record<string, string>> = {
  'claude stop': 'last_assistant_message',
  'claude subagentstop': 'last_assistant_message',
  'codex stop': 'last_assistant_message',
  'codex subagentstop': 'last_assistant_message',
  'gemini afteragent': 'prompt_response',
};

/** What the agent said last; null where the event tells nothing of it. */
export function spokenIn(vendor: string, event: string, payload: HookPayload): string | null {
  const field = SPOKEN[`${vendor.toLowerCase()} ${eventName(event)}`];
  return field === undefined ? null : text(payload, field);
}

/** Work goes on in the background and will wake the agent: what it said last is not its last word. */
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
