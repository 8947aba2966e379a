/** Claude Code: hooks and permissions of one session come with its command line; no file of the user changes. */
import { join } from 'node:path';
import type { AgentActivity, AgentAdapter, Launch, LaunchRequest } from '../agent-host.ts';
import { shellWord } from '../../domain/shadow.ts';
import { readClaudeStatus } from '../context-meter.ts';
import { HOOK_EVENTS, hookEvent } from '../hook-names.ts';
import { textIn } from '../json-fields.ts';
import { homeOf, jsonFile, lastMessages, programOf, tailOf, variableOf } from './agent-files.ts';

/** A session that Baton started also answers the permission request for its handoff document. */
const HOOKS = [...HOOK_EVENTS.claude, 'PermissionRequest'];
const HOOK_SECONDS = 30;
const ACTIVITIES: Readonly<Record<string, AgentActivity>> = { idle: 'idle', busy: 'busy', waiting: 'dialog' };

export const claudeAdapter: AgentAdapter = {
  name: 'claude',
  hasHooks: true,
  launch: (request) => launchOf(request, '--session-id', request.priming === null ? [] : [request.priming]),
  resume: (request) => launchOf(request, '--resume', []),
  check: ({ command }) => [...programOf(command, 'claude'), '--version'],
  activity: async ({ session: { pane } }) => {
    if (pane === null) return null;
    const folder = variableOf(pane.pid, 'CLAUDE_CONFIG_DIR') ?? join(homeOf(pane.pid), '.claude');
    const status = textIn(jsonFile(join(folder, 'sessions', `${pane.pid}.json`)), 'status');
    return ACTIVITIES[status ?? ''] ?? null;
  },
  // Hooks report all that the transcript holds, except for silent ends; `activity` reports those.
  recorded: async () => [],
  context: async ({ statusLine }) => readClaudeStatus(statusLine),
  transcriptTail: async ({ transcript }) => lastMessages(tailOf(transcript)),
};

function launchOf(request: LaunchRequest, option: string, last: readonly string[]): Launch {
  const path = join(request.privateFolder, 'claude-settings.json');
  return {
    argv: [...programOf(request.session.command, 'claude'), option, request.conversation, '--settings', path, ...last],
    env: {},
    files: [{ path, text: `${JSON.stringify(settingsOf(request), null, 2)}\n` }],
    primedBy: 'command-line',
  };
}

/** Two slashes begin an absolute path in a rule. Only the folder of handoff documents may be written unasked. */
function settingsOf({ baton, documentFolder }: LaunchRequest): object {
  const command = (event: string): string => [...baton, 'hook', 'claude', event].map(shellWord).join(' ');
  const hooks = HOOKS.map((name) => [
    name,
    [{ hooks: [{ type: 'command', command: command(hookEvent(name)), timeout: HOOK_SECONDS }] }],
  ]);
  return {
    permissions: { allow: [`Edit(/${documentFolder}/**)`, `Read(/${documentFolder}/**)`] },
    statusLine: { type: 'command', command: command('status-line') },
    hooks: Object.fromEntries(hooks) as object,
  };
}
