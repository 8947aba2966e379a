/**
 * Under which name an agent works, whether it is busy, and how a hook announces work. Hooks run on every turn of an agent:
 * this file loads no package.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { orNull } from '../foundation/or-null.ts';
import { readAgentId, type AgentId } from '../domain/names.ts';
import type { WakeMoment } from './agent-host.ts';
import { hasBackgroundTasks, type HookPayload } from '../formats/agent-hook.ts';

/** The number that Baton gave to the session in which this hook runs. */
export function ownSession(): number | null {
  const agent = process.env['BATON_AGENT_ID'] ?? '';
  return /^[1-9][0-9]{0,14}$/.test(agent) ? Number(agent) : null;
}

/** Whether a hook has continued the turn already, or the agent waits for its own background tasks. */
export function isBusyTurn(payload: HookPayload): boolean {
  return payload['stop_hook_active'] === true || hasBackgroundTasks(payload);
}

/** In the vendor's format: a text for a new session, or a reason to continue the turn. */
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

/** The name of the agent in this project: from its environment, from `baton setup`, or its vendor's name. */
export function hookAgent(vendor: string, folder: string): AgentId | null {
  const given = process.env['BATON_AGENT'] ?? '';
  if (given !== '') return readAgentId(given);
  const file = SERVER_FILES[vendor];
  if (file === undefined) return null;
  const text = orNull(() => readFileSync(join(folder, file), 'utf8'));
  const [, name] = SERVER_NAME.exec(text?.slice(0, FILE_MAX) ?? '') ?? [];
  return readAgentId(name ?? vendor);
}
