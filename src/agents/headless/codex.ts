/** `codex exec --json`: one JSON object per line. Seen with 0.166.0. */
import type { JsonObject } from '../../foundation/json.ts';
import { numberIn, objectIn, progress, spentOf, textIn, type HeadlessAgent, type RunEvent } from './headless-agent.ts';
import { resetIn, tellsOfLimit } from './usage-limit.ts';

export const codex: HeadlessAgent = {
  vendor: 'codex',
  program: 'codex',
  arguments: ({ model, resume, extra }) => [
    'exec',
    '--json',
    // Worktrees and scratch folders are no reason to refuse; what the agent may do is decided by its own settings.
    '--skip-git-repo-check',
    ...(model === null ? [] : ['--model', model]),
    ...extra,
    ...(resume === null ? [] : ['resume', resume]),
    '-',
  ],
  environment: {},
  read: (line) => {
    switch (line['type']) {
      case 'thread.started': {
        const id = textIn(line, 'thread_id');
        return id === null ? [] : [{ kind: 'session', id }];
      }
      case 'item.started':
      case 'item.completed':
        return itemIn(objectIn(line, 'item'), line['type'] === 'item.completed');
      case 'turn.completed':
        return [{ kind: 'done', spent: spentIn(objectIn(line, 'usage')) }];
      case 'turn.failed':
        return [failureOf(textIn(objectIn(line, 'error'), 'message') ?? 'the turn failed')];
      default:
        // `error` lines are also written for what codex then tries again; the last word is `turn.failed`.
        return [];
    }
  },
  readErrors: (text) => (tellsOfLimit(text) ? [failureOf(text.trim())] : []),
};

function itemIn(item: JsonObject, isOver: boolean): readonly RunEvent[] {
  const text = textIn(item, 'text');
  switch (item['type']) {
    case 'agent_message':
      return isOver && text !== null ? [{ kind: 'message', text, isPart: false }] : [];
    case 'command_execution':
      return isOver ? [] : [progress(`runs ${textIn(item, 'command') ?? 'a command'}`)];
    case 'file_change':
      return isOver ? [progress('changed files')] : [];
    case 'mcp_tool_call':
      return isOver ? [] : [progress(`calls ${textIn(item, 'server') ?? ''} ${textIn(item, 'tool') ?? 'a tool'}`)];
    default:
      return [];
  }
}

function failureOf(says: string): RunEvent {
  return tellsOfLimit(says) ? { kind: 'limit', says, resetsAt: resetIn(says, Date.now()) } : { kind: 'error', says };
}

function spentIn(usage: JsonObject): ReturnType<typeof spentOf> {
  return spentOf({ inputTokens: numberIn(usage, 'input_tokens'), outputTokens: numberIn(usage, 'output_tokens') });
}
