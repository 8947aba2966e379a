/** `codex exec --json`: one JSON object per line. Seen with 0.166.0. */
import type { JsonObject } from '../../foundation/json.ts';
import { numberIn, objectIn, textIn } from '../json-fields.ts';
import {
  failureOf,
  progress,
  sessionIn,
  spentOf,
  type HeadlessAgent,
  type RunEvent,
  type RunUsage,
} from './headless-agent.ts';
import { reportsLimit } from './usage-limit.ts';

export const codex: HeadlessAgent = {
  vendor: 'codex',
  arguments: ({ model, resume, extra }) => [
    'exec',
    '--json',
    // Codex must also run in worktrees and scratch folders; its own settings decide what it may do.
    '--skip-git-repo-check',
    ...(model === null ? [] : ['--model', model]),
    ...extra,
    ...(resume === null ? [] : ['resume', resume]),
    '-',
  ],
  environment: {},
  read: (line) => {
    switch (line['type']) {
      case 'thread.started':
        return sessionIn(line, 'thread_id');
      case 'item.started':
      case 'item.completed':
        return itemIn(objectIn(line, 'item'), line['type'] === 'item.completed');
      case 'turn.completed':
        return [{ kind: 'done', spent: spentIn(objectIn(line, 'usage')) }];
      case 'turn.failed':
        return [failureOf(textIn(objectIn(line, 'error'), 'message') ?? 'the turn failed')];
      default:
        // Codex also writes `error` lines for what it then retries; `turn.failed` is final.
        return [];
    }
  },
  readErrors: (text) => (reportsLimit(text) ? [failureOf(text.trim())] : []),
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

function spentIn(usage: JsonObject): RunUsage {
  return spentOf({ inputTokens: numberIn(usage, 'input_tokens'), outputTokens: numberIn(usage, 'output_tokens') });
}
