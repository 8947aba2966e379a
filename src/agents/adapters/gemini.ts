/** Gemini CLI: one environment variable names a system settings file with the hooks of one session. */
import { join } from 'node:path';
import type { AgentAdapter, Launch, LaunchRequest } from '../agent-host.ts';
import { readGeminiTranscript } from '../context-meter.ts';
import { shellWord } from '../../domain/shadow.ts';
import { HOOK_EVENTS, hookEvent } from '../hook-names.ts';
import { lastMessages, programOf, tailOf } from './agent-files.ts';

const HOOK_MS = 30_000;

export const geminiAdapter: AgentAdapter = {
  name: 'gemini',
  hasHooks: true,
  launch: (request) => {
    const first = request.priming === null ? [] : ['-i', request.priming];
    return launchOf(request, ['--session-id', request.conversation, ...first]);
  },
  resume: (request) => launchOf(request, ['--resume', request.conversation]),
  check: ({ command }) => [...programOf(command, 'gemini'), '--version'],
  activity: async ({ screen }) => (quotaIn(await screen()) === null ? null : 'dialog'),
  recorded: async ({ screen }) => {
    const says = quotaIn(await screen());
    const common = { at: Date.now(), conversation: null };
    return says === null ? [] : [{ ...common, kind: 'turn-failed', turn: null, error: 'usage_limit_exceeded', says }];
  },
  context: async ({ transcript }) => readGeminiTranscript(tailOf(transcript)),
  transcriptTail: async ({ transcript }) => lastMessages(tailOf(transcript)),
};

/**
 * At the end of its quota Gemini CLI asks its user whether to keep trying. Neither a hook nor a file reports that, so the box
 * on the screen is read: it replaces the input line at the bottom.
 */
function quotaIn(screen: string): string | null {
  const text = screen.trimEnd();
  const box = text.slice(text.lastIndexOf('╭'));
  if (!/╰─+╯$/.test(box) || !/1\. Keep trying/.test(box) || !/2\. Stop/.test(box)) return null;
  return /Usage limit reached for [^\s│]+/.exec(box)?.[0] ?? null;
}

function launchOf(request: LaunchRequest, rest: readonly string[]): Launch {
  const settings = join(request.privateFolder, 'gemini-settings.json');
  const policy = join(request.privateFolder, 'gemini-policy.toml');
  const more = ['--include-directories', request.documentFolder, '--policy', policy];
  return {
    argv: [...programOf(request.session.command, 'gemini'), ...more, ...rest],
    env: { GEMINI_CLI_SYSTEM_SETTINGS_PATH: settings },
    files: [
      { path: settings, text: `${JSON.stringify(settingsOf(request), null, 2)}\n` },
      { path: policy, text: policyOf(request.documentFolder) },
    ],
    primedBy: 'command-line',
  };
}

function settingsOf({ baton }: LaunchRequest): object {
  const hooks = HOOK_EVENTS.gemini.map((name) => {
    const event = hookEvent(name);
    const command = [...baton, 'hook', 'gemini', event].map(shellWord).join(' ');
    return [name, [{ matcher: '*', hooks: [{ type: 'command', name: `baton-${event}`, command, timeout: HOOK_MS }] }]];
  });
  return { hooks: Object.fromEntries(hooks) as object };
}

/** Only files in the folder of handoff documents may be written unasked. */
function policyOf(folder: string): string {
  const pattern = folder.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return [
    '[[rule]]',
    'toolName = "write_file"',
    `argsPattern = '"file_path":"${pattern}/[^"]*"'`,
    'decision = "allow"',
    'priority = 200',
    '',
  ].join('\n');
}
