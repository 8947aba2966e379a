/** What is known of each agent: its command line, what its hooks tell, how full it is. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasDialog, promptWith, turnEndAfter } from '../../src/domain/agent-events.ts';
import { dueReason, tierOf, type AgentSession } from '../../src/domain/agent-session.ts';
import { claudeAdapter } from '../../src/agents/adapters/claude.ts';
import { codexAdapter } from '../../src/agents/adapters/codex.ts';
import { commandAdapter } from '../../src/agents/adapters/command.ts';
import { geminiAdapter } from '../../src/agents/adapters/gemini.ts';
import { hookAnswer, readHook } from '../../src/agents/hook-events.ts';
import {
  paneText,
  readClaudeStatus,
  readCodexRollout,
  readGeminiTranscript,
  readPaneText,
} from '../../src/agents/context-meter.ts';
import { tempFolder } from '../support/processes.ts';
import { newSession } from '../contract/suite/agent-sessions.ts';

const request = {
  session: { id: 3, command: [], cwd: '/w' },
  conversation: '00000000-0000-5000-8000-000000000000',
  title: 'dev',
  priming: 'You are dev.',
  documentFolder: '/w/data/personas/dev/handoffs',
  privateFolder: '/w/.baton/agents/3',
  baton: ['/usr/bin/node', "/opt/it's here/baton.mjs"],
};

describe('X11: the command line', () => {
  it('of Claude Code brings hooks, status line and the permission for one folder along', () => {
    const { argv, files } = claudeAdapter.launch(request);
    expect(argv).toEqual([
      'claude',
      '--session-id',
      request.conversation,
      '--settings',
      '/w/.baton/agents/3/claude-settings.json',
      'You are dev.',
    ]);
    const settings = JSON.parse(files[0]?.text ?? '') as Readonly<Record<string, never>>;
    expect(settings['permissions']).toEqual({
      allow: ['Edit(//w/data/personas/dev/handoffs/**)', 'Read(//w/data/personas/dev/handoffs/**)'],
    });
    expect(Object.keys(settings['hooks'] ?? {})).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      'Stop',
      'StopFailure',
      'SessionEnd',
      'PreCompact',
      'PermissionRequest',
    ]);
    expect(JSON.stringify(settings)).toContain(`/usr/bin/node '/opt/it'\\\\''s here/baton.mjs' hook claude stop`);
    expect(claudeAdapter.resume(request)?.argv).toContain('--resume');
  });

  it('of Codex has no daemon, of Gemini CLI a policy and hooks for this session, of a command nothing', () => {
    expect(codexAdapter.launch(request).argv).toEqual([
      'codex',
      '--no-daemon',
      '--add-dir',
      request.documentFolder,
      'You are dev.',
    ]);
    const gemini = geminiAdapter.launch(request);
    expect(gemini.argv.slice(-2)).toEqual(['-i', 'You are dev.']);
    expect(gemini.env).toEqual({ GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/w/.baton/agents/3/gemini-settings.json' });
    expect(gemini.files[0]?.text).toContain('hook gemini after-agent');
    expect(gemini.files[1]?.text).toContain('"file_path":"/w/data/personas/dev/handoffs/[^"]*"');
    const session = { ...request.session, command: ['./agent.sh', '-x'] };
    expect(commandAdapter.launch({ ...request, session })).toMatchObject({
      argv: ['./agent.sh', '-x'],
      primedBy: 'typing',
    });
    expect(commandAdapter.resume(request)).toBeNull();
  });
});

describe('X11: hooks', () => {
  it.each([
    ['claude', 'session-start', { source: 'startup' }, { kind: 'started', source: 'startup' }],
    ['claude', 'UserPromptSubmit', { prompt: 'x', prompt_id: 'p1' }, { kind: 'prompt', text: 'x', turn: 'p1' }],
    [
      'claude',
      'stop',
      { prompt_id: 'p1', background_tasks: [{}] },
      { kind: 'turn-ended', turn: 'p1', background: true },
    ],
    ['codex', 'stop', { turn_id: 't1' }, { kind: 'turn-ended', turn: 't1', background: false }],
    [
      'claude',
      'stop-failure',
      { error: 'rate_limit', last_assistant_message: 'm' },
      { kind: 'turn-failed', error: 'rate_limit', says: 'm' },
    ],
    ['claude', 'permission-request', { tool_name: 'Bash' }, { kind: 'dialog', says: 'Bash' }],
    ['gemini', 'before-agent', { prompt: 'x' }, { kind: 'prompt', text: 'x' }],
    ['gemini', 'after-agent', {}, { kind: 'turn-ended' }],
    ['gemini', 'notification', { notification_type: 'ToolPermission', message: 'm' }, { kind: 'dialog', says: 'm' }],
    ['command', 'turn-ended', {}, { kind: 'turn-ended' }],
  ])('of %s at %s', (vendor, event, payload, told) => {
    const heard = readHook(vendor, event, { session_id: 's', transcript_path: '/t', ...payload }, 5);
    expect(heard).toMatchObject({ at: 5, conversation: 's', transcript: '/t', ...told });
  });

  it.each([
    ['claude', 'stop-failure', { agent_id: 'helper', error: 'rate_limit' }],
    ['gemini', 'notification', { notification_type: 'Other' }],
    ['claude', 'no-such-event', {}],
    ['nobody', 'stop', {}],
  ])('of %s at %s tell nothing', (vendor, event, payload) => {
    expect(readHook(vendor, event, payload, 5)).toBeNull();
  });

  it('of Codex may be untrusted: what it was told and how each turn ended stands in its rollout', async () => {
    const path = join(tempFolder(), 'rollout-1.jsonl');
    const line = (payload: object): string => JSON.stringify({ timestamp: '2026-01-02T03:04:05.000Z', payload });
    const prompt = { type: 'UserMessage', content: [{ type: 'text', text: 'Baton hoff-1: read' }] };
    const error = { message: 'no more', codex_error_info: 'usage_limit_exceeded' };
    writeFileSync(
      path,
      [
        line({ type: 'item_completed', turn_id: 'a', item: prompt }),
        line({ type: 'item_completed', turn_id: 'a', item: { type: 'AgentMessage' } }),
        line({ type: 'task_complete', turn_id: 'a' }),
        line({ type: 'task_complete', turn_id: 'b', error }),
        '{"timestamp":"2026-',
      ].join('\n'),
    );
    const session = { ...newSession('a'), id: 1, revision: 1 };
    const probe = { session, statusLine: null, transcript: path, screen: async () => '' };
    const at = Date.parse('2026-01-02T03:04:05.000Z');
    expect(await codexAdapter.recorded(probe)).toEqual([
      { at, conversation: null, kind: 'prompt', turn: 'a', text: 'Baton hoff-1: read' },
      { at, conversation: null, kind: 'turn-ended', turn: 'a', background: false },
      { at, conversation: null, kind: 'turn-failed', turn: 'b', error: 'usage_limit_exceeded', says: 'no more' },
    ]);
    expect(await codexAdapter.transcriptTail({ ...probe, transcript: '/no/such/file' })).toBe('');
  });

  it('of Gemini CLI say nothing at the end of its quota: the box on its screen does, where no key may be pressed', async () => {
    const box = [
      '╭───────────────╮',
      '│ Usage limit reached for gemini-2.5-flash.       │',
      '│ /stats model for usage details                  │',
      '│ ● 1. Keep trying                                │',
      '│   2. Stop                                       │',
      '╰───────────────╯',
    ].join('\n');
    const session = { ...newSession('a'), id: 1, revision: 1 };
    const probe = (screen: string) => ({ session, statusLine: null, transcript: null, screen: async () => screen });
    const asking = probe(` > paint it\n${box}\n\n`);
    expect(await geminiAdapter.activity(asking)).toBe('dialog');
    expect(await geminiAdapter.recorded(asking)).toMatchObject([
      { kind: 'turn-failed', error: 'usage_limit_exceeded', says: 'Usage limit reached for gemini-2.5-flash.' },
    ]);
    // An agent that only writes about it has its line for input below.
    const talking = probe(`${box}\n╭────╮\n│ > Type your message │\n╰────╯\n gemini-2.5-flash`);
    expect([await geminiAdapter.activity(talking), await geminiAdapter.recorded(talking)]).toEqual([null, []]);
  });

  it('X10: compaction is blocked while a handover is under way, and only then', () => {
    const note = { handoff: 'hoff-1', documentPath: '/d.md' };
    expect(hookAnswer('claude', 'pre-compact', {}, note)).toMatchObject({ decision: 'block' });
    expect(hookAnswer('claude', 'pre-compact', {}, null)).toBeNull();
    expect(hookAnswer('codex', 'pre-compact', {}, note)).toBeNull();
  });

  it('a permission is granted for the announced file alone', () => {
    const note = { handoff: 'hoff-1', documentPath: '/d.md' };
    const ask = (tool: string, path: string): object | null =>
      hookAnswer('claude', 'permission-request', { tool_name: tool, tool_input: { file_path: path } }, note);
    expect(ask('Write', '/d.md')).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'allow' } } });
    expect([ask('Write', '/e.md'), ask('Bash', '/d.md')]).toEqual([null, null]);
  });

  it('X4: a dialog is open until something else is told, and only ends after our line are ours', () => {
    const event = (kind: string, more: object = {}): never => ({ at: 1, conversation: null, kind, ...more }) as never;
    const before = [event('prompt', { text: 'other' }), event('turn-ended')];
    const events = [...before, event('prompt', { text: 'Baton hoff-1: read' })];
    const place = promptWith(events, 'hoff-1');
    expect([place, turnEndAfter(events, place ?? 0)]).toEqual([2, null]);
    expect(turnEndAfter([...events, event('turn-failed', { error: 'x' })], 2)?.kind).toBe('turn-failed');
    expect(promptWith(before, 'hoff-1')).toBeNull();
    expect(hasDialog([...events, event('dialog'), event('compacting')])).toBe(true);
    expect(hasDialog([...events, event('dialog'), event('turn-ended')])).toBe(false);
  });
});

describe('X10: how full an agent is', () => {
  it('counts against the point at which it compacts by itself', () => {
    const claude = readClaudeStatus({
      context_window: { context_window_size: 200_000, total_input_tokens: 133_600 },
      rate_limits: { five_hour: { used_percentage: 42 }, seven_day: { used_percentage: 96 } },
    });
    expect(claude).toEqual({ percent: 80, usedTokens: 133_600, windowTokens: 200_000, limitPercent: 96 });
    const rollout = [
      JSON.stringify({
        payload: {
          type: 'token_count',
          info: { last_token_usage: { total_tokens: 90_000 }, model_context_window: 200_000 },
          rate_limits: { primary: { used_percent: 12 } },
        },
      }),
      '{"half":',
    ].join('\n');
    expect(readCodexRollout(rollout)).toEqual({
      percent: 50,
      usedTokens: 90_000,
      windowTokens: 200_000,
      limitPercent: 12,
    });
    expect(readGeminiTranscript('{"type":"gemini","tokens":{"input":262144}}')?.percent).toBe(50);
    expect(readPaneText('… [ctx: 22% used, 155k remaining] …\n[ctx: 31% used]')?.percent).toBe(31);
    expect(
      readPaneText(paneText({ percent: 22, usedTokens: 45_000, windowTokens: 200_000, limitPercent: null }))?.percent,
    ).toBe(22);
    for (const nothing of [null, {}, [], 'x']) expect(readClaudeStatus(nothing)).toBeNull();
  });

  it('has tiers at 65, 75 and 80, and is due once it was below', () => {
    expect([64.9, 65, 75, 80, 120].map(tierOf)).toEqual([null, 'notice', 'warning', 'handoff', 'handoff']);
    const full = (percent: number, wasBelow: boolean, limitPercent: number | null = null): AgentSession => ({
      ...newSession('a'),
      id: 1,
      revision: 1,
      context: { percent, usedTokens: null, windowTokens: null, limitPercent, at: 1, wasBelow },
    });
    expect(dueReason(full(79, true))).toBeNull();
    expect(dueReason(full(80, true))).toBe('context_limit');
    expect(dueReason(full(95, false))).toBeNull();
    expect(dueReason(full(10, true, 95))).toBe('usage_limit');
    expect(dueReason({ ...full(90, true), state: 'retired' })).toBeNull();
  });
});
