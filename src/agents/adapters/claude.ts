/** Claude Code: hooks and permission of one session come with its command line, so nothing of the user's is changed. */
import { join } from 'node:path';
import type { AgentActivity, AgentAdapter, Launch, LaunchRequest } from '../agent-host.ts';
import { fieldIn, readClaudeStatus } from '../context-meter.ts';
import { homeOf, jsonFile, lastSaid, tailOf, variableOf } from './agent-files.ts';
import { shellWord } from './shell-word.ts';

/** Claude's name of each event, and the one it has in `baton hook claude EVENT`. */
const HOOKS = {
  SessionStart: 'session-start',
  UserPromptSubmit: 'user-prompt-submit',
  Stop: 'stop',
  StopFailure: 'stop-failure',
  SessionEnd: 'session-end',
  PreCompact: 'pre-compact',
  PermissionRequest: 'permission-request',
} as const;
const HOOK_SECONDS = 30;
const ACTIVITIES: Readonly<Record<string, AgentActivity>> = { idle: 'idle', busy: 'busy', waiting: 'dialog' };

export const claudeAdapter: AgentAdapter = {
  name: 'claude',
  hasHooks: true,
  launch: (request) => {
    const { argv, ...rest } = launchOf(request, ['--session-id', request.conversation]);
    return { ...rest, argv: request.priming === null ? argv : [...argv, request.priming] };
  },
  resume: (request) => launchOf(request, ['--resume', request.conversation]),
  check: ({ command }) => [...programOf(command), '--version'],
  activity: async ({ session: { pane } }) => {
    if (pane === null) return null;
    const folder = variableOf(pane.pid, 'CLAUDE_CONFIG_DIR') ?? join(homeOf(pane.pid), '.claude');
    const status = fieldIn(jsonFile(join(folder, 'sessions', `${pane.pid}.json`)), 'status');
    return typeof status === 'string' ? (ACTIVITIES[status] ?? null) : null;
  },
  // Hooks tell all that the transcript would, except for ends that make no sound: `activity` tells those.
  recorded: async () => [],
  context: async ({ statusLine }) => readClaudeStatus(statusLine),
  transcriptTail: async ({ transcript }) => lastSaid(tailOf(transcript)),
};

function programOf(command: readonly string[]): readonly string[] {
  return command.length === 0 ? ['claude'] : command;
}

function launchOf(request: LaunchRequest, conversation: readonly string[]): Launch {
  const path = join(request.privateFolder, 'claude-settings.json');
  return {
    argv: [...programOf(request.session.command), ...conversation, '--settings', path],
    env: {},
    files: [{ path, text: `${JSON.stringify(settingsOf(request), null, 2)}\n` }],
    primedBy: 'command-line',
  };
}

/** Two slashes begin an absolute path in a rule. Only the folder of handoff documents may be written unasked. */
function settingsOf({ baton, documentFolder }: LaunchRequest): object {
  const command = (event: string): string => [...baton, 'hook', 'claude', event].map(shellWord).join(' ');
  const hooks = Object.entries(HOOKS).map(([name, event]) => [
    name,
    [{ hooks: [{ type: 'command', command: command(event), timeout: HOOK_SECONDS }] }],
  ]);
  return {
    permissions: { allow: [`Edit(/${documentFolder}/**)`, `Read(/${documentFolder}/**)`] },
    statusLine: { type: 'command', command: command('status-line') },
    hooks: Object.fromEntries(hooks) as object,
  };
}
