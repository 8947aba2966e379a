/** Names from outside. Each is parsed once and trusted afterwards. */
declare const brand: unique symbol;

export type AgentId = string & { readonly [brand]: 'AgentId' };
export type HandoffId = string & { readonly [brand]: 'HandoffId' };
export type ArtifactId = string & { readonly [brand]: 'ArtifactId' };
export type SessionId = string & { readonly [brand]: 'SessionId' };
export type TaskId = string & { readonly [brand]: 'TaskId' };
export type ShadowId = string & { readonly [brand]: 'ShadowId' };

/** ASCII, so that names that look the same are the same; short, so that they fit into file names. */
const AGENT_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/;
const HANDOFF_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** Reserved for devices on Windows, with any extension. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** Accepts `@grok`, `grok` and `Grok`: formats write all three. */
export function readAgentId(text: string): AgentId | null {
  const name = text.trim().replace(/^@/, '');
  // Tested before lower-casing, because the Kelvin sign becomes a k.
  return AGENT_NAME.test(name) && !name.includes('..') ? (name.toLowerCase() as AgentId) : null;
}

export const AGENT_NAME_RULE =
  'an agent name is 1 to 64 letters, digits, ".", "_" or "-", begins with a letter or digit and does not end in "."';

export function readHandoffId(text: string): HandoffId | null {
  const sound = HANDOFF_ID.test(text) && !text.includes('..') && !text.endsWith('.') && !DEVICE_NAME.test(text);
  return sound ? (text as HandoffId) : null;
}

/** Generated ids end in twelve random digits. A short id is the first 6 or more of them. */
const GENERATED_ID = /^hoff-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-([0-9a-f]{12})$/;
const SHORT_ID = /^[0-9a-f]{6,12}$/i;
const SHORT_ID_SHOWN = 8;

/** For people who read and type ids. An id that the sender chose has no short form and is returned unchanged. */
export function shortIdOf(id: string): string {
  return GENERATED_ID.exec(id)?.[1]?.slice(0, SHORT_ID_SHOWN) ?? id;
}

/** Whether the text may be a short id. An id that the sender chose may look the same. */
export function isShortId(text: string): boolean {
  return SHORT_ID.test(text);
}

export const HANDOFF_ID_RULE =
  'an id is 1 to 128 letters, digits, ".", "_" or "-", begins with a letter or digit, holds no "..", ' +
  'does not end in "." and is no device name';

/** By `HANDOFF_ID_RULE`, because both are file names. */
export function readArtifactId(text: string): ArtifactId | null {
  return readHandoffId(text) === null ? null : (text as ArtifactId & string);
}

/**
 * Any safe file name, because teams also have tasks with other name patterns. Null: no file can have this name.
 */
export function readTaskId(text: string): TaskId | null {
  const isSafe = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text) && !text.includes('..') && !text.endsWith('.');
  return isSafe && !DEVICE_NAME.test(text) ? (text as TaskId) : null;
}

export const TASK_ID_RULE =
  'a task is called by letters, digits and "._-", begins with a letter or digit, and holds no ".."';

/** The name of a folder and of a container. Lower case, because some systems ignore case. */
export function readShadowId(text: string): ShadowId | null {
  return /^[a-z0-9][a-z0-9-]{2,40}$/.test(text) && !DEVICE_NAME.test(text) ? (text as ShadowId) : null;
}

export const SHADOW_ID_RULE =
  'a shadow id is 3 to 41 lower-case letters, digits or "-", and begins with a letter or digit';
