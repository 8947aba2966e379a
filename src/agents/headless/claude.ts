/** `claude -p`: one JSON object per line, and at the end one of type `result`. Seen with 2.1.325. */
import type { JsonObject } from '../../foundation/json.ts';
import { listIn, numberIn, objectIn, textIn } from '../json-fields.ts';
import { sessionIn, spentOf, toolUse, type HeadlessAgent, type RunEvent } from './headless-agent.ts';
import { reportsLimit } from './usage-limit.ts';

export const claude: HeadlessAgent = {
  vendor: 'claude',
  arguments: ({ model, resume, extra }) => [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    ...(model === null ? [] : ['--model', model]),
    ...(resume === null ? [] : ['--resume', resume]),
    ...extra,
  ],
  environment: {},
  read: (line) => {
    switch (line['type']) {
      case 'system':
        return line['subtype'] === 'init' ? sessionIn(line, 'session_id') : [];
      case 'assistant':
        return saidIn(line);
      case 'rate_limit_event':
        return limitIn(objectIn(line, 'rate_limit_info'));
      case 'result':
        return endIn(line);
      default:
        return [];
    }
  },
  readErrors: (text) => {
    if (/No conversation found|already in use/i.test(text)) return [{ kind: 'error', says: text.trim() }];
    return reportsLimit(text) ? [{ kind: 'limit', says: text.trim(), resetsAt: null }] : [];
  },
};

function saidIn(line: JsonObject): readonly RunEvent[] {
  const message = objectIn(line, 'message');
  // A subagent speaks with a parent; an error of the vendor (a synthetic message) is repeated at the end.
  if (line['parent_tool_use_id'] !== null || textIn(message, 'model') === '<synthetic>') return [];
  return listIn(message, 'content').flatMap((block): readonly RunEvent[] => {
    const [type, text] = [textIn(block, 'type'), textIn(block, 'text')];
    if (type === 'text' && text !== null) return [{ kind: 'message', text, isPart: false }];
    if (type !== 'tool_use') return [];
    const parameters = ['command', 'file_path', 'pattern', 'description'];
    return [toolUse(textIn(block, 'name'), objectIn(block, 'input'), parameters)];
  });
}

function limitIn(info: JsonObject): readonly RunEvent[] {
  if (info['status'] !== 'rejected') return [];
  const seconds = numberIn(info, 'resetsAt');
  const says = `the ${(textIn(info, 'rateLimitType') ?? 'usage').replaceAll('_', ' ')} limit is reached`;
  return [{ kind: 'limit', says, resetsAt: seconds === null ? null : seconds * 1000 }];
}

function endIn(line: JsonObject): readonly RunEvent[] {
  const usage = objectIn(line, 'usage');
  const spent = spentOf({
    costUsd: numberIn(line, 'total_cost_usd'),
    inputTokens: numberIn(usage, 'input_tokens'),
    outputTokens: numberIn(usage, 'output_tokens'),
    turns: numberIn(line, 'num_turns'),
  });
  const text = textIn(line, 'result');
  const done: RunEvent = { kind: 'done', spent, ...(text === null ? {} : { text }) };
  if (line['is_error'] !== true && line['subtype'] === 'success') return [done];
  const says = text ?? textIn(line, 'subtype') ?? 'it ended with an error';
  const isLimit = line['api_error_status'] === 429 || reportsLimit(says);
  return [{ kind: 'done', spent }, isLimit ? { kind: 'limit', says, resetsAt: null } : { kind: 'error', says }];
}
