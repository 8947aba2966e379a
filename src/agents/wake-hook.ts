/**
 * Which hooks can tell an agent of work for it, in whose name the agent speaks, and what its program is answered. Hooks
 * run on every turn of an agent: this file loads no package.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAgentId, type AgentId } from '../domain/names.ts';
import type { WakeMoment } from './agent-host.ts';
import { eventName, type HookPayload } from '../formats/agent-hook.ts';

const MOMENTS: Readonly<Record<string, Readonly<Record<string, WakeMoment>>>> = {
  claude: { sessionstart: 'session-start', stop: 'turn-end' },
  codex: { sessionstart: 'session-start', stop: 'turn-end' },
  gemini: { sessionstart: 'session-start', afteragent: 'turn-end' },
  command: { started: 'session-start', turnended: 'turn-end' },
};

/** Null: at this event an agent cannot be told anything. */
export function wakeMoment(vendor: string, event: string): WakeMoment | null {
  return MOMENTS[vendor]?.[eventName(event)] ?? null;
}

const TURN_STARTS: Readonly<Record<string, string>> = {
  claude: 'userpromptsubmit',
  codex: 'userpromptsubmit',
  gemini: 'beforeagent',
  command: 'prompt',
};

export function isTurnStart(vendor: string, event: string): boolean {
  return TURN_STARTS[vendor] === eventName(event);
}

/** The number that Baton gave to the session in which this hook runs. */
export function ownSession(): number | null {
  const agent = process.env['BATON_AGENT_ID'] ?? '';
  return /^[1-9][0-9]{0,14}$/.test(agent) ? Number(agent) : null;
}

/** The turn was continued by a hook already, or the agent only waits for what it has started: now is not the time. */
export function isBusyTurn(payload: HookPayload): boolean {
  const tasks = payload['background_tasks'];
  return payload['stop_hook_active'] === true || (Array.isArray(tasks) && tasks.length > 0);
}

/** In the words of the vendor: a text for the session that starts, or a reason to go on with the turn. */
export function wakeAnswer(vendor: string, moment: WakeMoment, text: string): object {
  if (moment === 'turn-end') return { decision: vendor === 'gemini' ? 'deny' : 'block', reason: text };
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } };
}

/** Where `baton setup` has entered the MCP server, and with it the name, for each vendor. */
const SERVER_FILES: Readonly<Record<string, string>> = {
  claude: '.mcp.json',
  codex: '.codex/config.toml',
  gemini: '.gemini/settings.json',
};
/** `"args": ["mcp", "--as", "@planner"]`, in JSON as in TOML. */
const SERVER_NAME = /"mcp",\s*"--as",\s*"@?([A-Za-z0-9._-]{1,64})"/;
const FILE_MAX = 1_024 * 1_024;

/** As whom the agent works in this project: by its environment, as it was set up, or by the name of its vendor. */
export function hookAgent(vendor: string, folder: string): AgentId | null {
  const given = process.env['BATON_AGENT'] ?? '';
  if (given !== '') return readAgentId(given);
  const file = SERVER_FILES[vendor];
  if (file === undefined) return null;
  const [, name] = SERVER_NAME.exec(textOf(join(folder, file))) ?? [];
  return readAgentId(name ?? vendor);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, FILE_MAX);
  } catch {
    return '';
  }
}
