/**
 * Edits of an agent's JSON settings. Everything of ours is recognised by its command (`baton hook VENDOR …`) or its name
 * (`baton`); everything else stays as it is, in its order.
 */
import { isJsonObject, readJson, type Json, type JsonObject } from '../../foundation/json.ts';
import type { Vendor } from '../../domain/vendors.ts';
import { listIn, textIn } from '../json-fields.ts';

export interface HookEntry {
  /** As the vendor calls it: `SessionStart`. */
  readonly event: string;
  readonly command: string;
  readonly matcher?: string;
  /** In the vendor's unit. */
  readonly timeout: number;
}

export class SettingsProblem extends Error {
  override readonly name = 'SettingsProblem';
}

/** An absent or empty file is an empty object; anything but an object is refused. */
export function readSettings(text: string | null): JsonObject {
  if (text === null || text.trim() === '') return {};
  const read = readJson(text);
  if (!read.ok) {
    const { line, column, says } = read.refusal;
    throw new SettingsProblem(`line ${line}, column ${column}: ${says}; it has to be plain JSON to be edited`);
  }
  const { value } = read.value;
  if (isJsonObject(value)) return value;
  throw new SettingsProblem('it has to be a JSON object to be edited');
}

/** With the indentation that the file had. */
export function writeSettings(settings: JsonObject, before: string | null): string {
  const [, indent = '  '] = /\n([ \t]+)"/.exec(before ?? '') ?? [];
  return `${JSON.stringify(settings, null, indent)}\n`;
}

export function withHooks(settings: JsonObject, vendor: Vendor, entries: readonly HookEntry[]): JsonObject {
  const hooks: { [event: string]: Json } = { ...objectAt(settings, 'hooks') };
  const events = new Set([...Object.keys(hooks), ...entries.map(({ event }) => event)]);
  for (const event of events) {
    const wanted = entries.filter((entry) => entry.event === event).map(groupOf);
    const isAmong = (groups: readonly Json[], group: Json): boolean =>
      groups.some((each) => JSON.stringify(each) === JSON.stringify(group));
    const kept = listIn(hooks, event).filter((group) => isAmong(wanted, group) || !isOurs(group, vendor));
    const next = [...kept, ...wanted.filter((group) => !isAmong(kept, group))];
    if (next.length > 0) hooks[event] = next;
    else delete hooks[event];
  }
  return withPart(settings, 'hooks', hooks);
}

/** `null` takes it out. */
export function withServer(settings: JsonObject, server: JsonObject | null): JsonObject {
  const servers = objectAt(settings, 'mcpServers');
  if (server === null) return withPart(settings, 'mcpServers', without(servers, 'baton'));
  return { ...settings, mcpServers: { ...servers, baton: server } };
}

/** Claude Code's status line. One that is not ours is never touched; null takes ours out. */
export function withStatusLine(settings: JsonObject, wanted: { readonly command: string } | null): JsonObject {
  if (hasOtherStatusLine(settings)) return settings;
  if (wanted === null) return without(settings, 'statusLine');
  return isOurStatusLine(settings) ? settings : { ...settings, statusLine: { type: 'command', ...wanted } };
}

/** Whether the user has another status line. */
export function hasOtherStatusLine(settings: JsonObject): boolean {
  return settings['statusLine'] !== undefined && !isOurStatusLine(settings);
}

function isOurStatusLine(settings: JsonObject): boolean {
  return commandOf(settings['statusLine'] ?? null).startsWith('baton hook claude ');
}

function groupOf({ command, matcher, timeout }: HookEntry): JsonObject {
  return { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command, timeout }] };
}

function isOurs(group: Json, vendor: Vendor): boolean {
  const inner = listIn(group, 'hooks');
  return inner.length > 0 && inner.every((hook) => commandOf(hook).startsWith(`baton hook ${vendor} `));
}

function commandOf(hook: Json): string {
  return textIn(hook, 'command') ?? '';
}

/** A part that has become empty, and was not there before us, goes. */
function withPart(settings: JsonObject, name: string, part: JsonObject): JsonObject {
  if (Object.keys(part).length > 0) return { ...settings, [name]: part };
  return without(settings, name);
}

function without(settings: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(settings).filter(([each]) => each !== name));
}

function objectAt(settings: JsonObject, name: string): JsonObject {
  const value = settings[name];
  if (value === undefined) return {};
  if (isJsonObject(value)) return value;
  throw new SettingsProblem(`"${name}" has to be an object to be edited`);
}
