/** `gemini -o stream-json`: one JSON object per line, what the agent says in parts. Seen with 0.61.0. */
import type { JsonObject } from '../../foundation/json.ts';
import { numberIn, objectIn, textIn } from '../json-fields.ts';
import { failureOf, sessionIn, spentOf, toolUse, type HeadlessAgent, type RunEvent } from './headless-agent.ts';
import { reportsLimit } from './usage-limit.ts';

export const gemini: HeadlessAgent = {
  vendor: 'gemini',
  arguments: ({ model, resume, extra }) => [
    '--output-format',
    'stream-json',
    ...(model === null ? [] : ['--model', model]),
    ...(resume === null ? [] : ['--resume', resume]),
    ...extra,
  ],
  environment: { GEMINI_CLI_NO_RELAUNCH: 'true' },
  read: (line) => {
    switch (line['type']) {
      case 'init':
        return sessionIn(line, 'session_id');
      case 'message': {
        const text = textIn(line, 'content');
        return line['role'] === 'assistant' && text !== null
          ? [{ kind: 'message', text, isPart: line['delta'] === true }]
          : [];
      }
      case 'tool_use':
        return [
          { kind: 'message', text: '', isPart: false },
          toolUse(textIn(line, 'tool_name'), objectIn(line, 'parameters'), TOOL_PARAMETERS),
        ];
      case 'result':
        return endIn(line);
      default:
        return [];
    }
  },
  readErrors: (text) => {
    if (/not running in a trusted|untrusted|trusted folder/i.test(text)) {
      return [{ kind: 'error', says: 'Gemini does not trust this folder: open it once with gemini and trust it' }];
    }
    const [line] = text.split('\n').filter(reportsLimit);
    return line === undefined ? [] : [failureOf(line.trim())];
  },
};

const TOOL_PARAMETERS = ['command', 'file_path', 'dir_path', 'pattern'];

function endIn(line: JsonObject): readonly RunEvent[] {
  const stats = objectIn(line, 'stats');
  const spent = spentOf({
    inputTokens: numberIn(stats, 'input_tokens'),
    outputTokens: numberIn(stats, 'output_tokens'),
  });
  if (line['status'] === 'success') return [{ kind: 'done', spent }];
  const says = textIn(objectIn(line, 'error'), 'message') ?? 'it ended with an error';
  return [{ kind: 'done', spent }, failureOf(says)];
}
