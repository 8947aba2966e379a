/**
 * The exchange that the README and the guide show: Claude Code hands a task to Codex, Gemini verifies the answer. Commands
 * are written once, here; the test runs them and the documents are checked against them.
 */
import type { Asked, Reply } from './stand-in-model.ts';

export const EXCHANGE = {
  claude:
    "claude -p 'Hand the review of add.js to @codex with Baton. @gemini verifies it.' --allowedTools 'mcp__baton__baton_send'",
  codex: 'baton work @codex --agent codex --once -- --sandbox workspace-write',
  gemini:
    "gemini -p 'Look into your Baton inbox and verify what waits for you.' -m gemini-2.5-flash --policy ~/.gemini/baton-policy.toml",
} as const;

const REVIEW = 'review.md';

/** What the three models say. They decide nothing that their command lines, hooks and MCP clients do not carry out. */
export function modelsOfExchange({ api, last, body }: Asked): Reply {
  if (api === 'claude') return claudeSays(last);
  return api === 'codex' ? codexSays(last) : geminiSays(last, body);
}

function claudeSays(last: string): Reply {
  if (last.includes('"offered"')) return { text: 'I handed the review to Codex. Gemini verifies it.' };
  return {
    tool: 'mcp__baton__baton_send',
    input: {
      to: '@codex',
      title: 'Review add.js',
      input: { file: 'add.js', wanted: 'Find out whether add() does what its name says. Change nothing.' },
      deliverables: ['review'],
      criteria: ['the review names the bug and its line'],
      verifiers: ['@gemini'],
    },
  };
}

function codexSays(last: string): Reply {
  if (last.includes('Review add.js')) {
    const text = 'add.js line 1: add() subtracts. Use a + b.';
    return { tool: 'exec_command', input: { cmd: `printf '%s\\n' '${text}' > ${REVIEW}` } };
  }
  return { text: JSON.stringify({ verdict: 'add() subtracts', evidence: { review: `file:${REVIEW}` } }) };
}

function geminiSays(last: string, body: string): Reply {
  const [id] = /hoff-[0-9a-f-]{36}/.exec(last) ?? [];
  if (last.includes('"completed"')) return { text: 'I checked the review against add.js and agreed.' };
  if (last.includes('"toVerify"') && id !== undefined) return { tool: 'mcp_baton_baton_look', input: { id } };
  if (last.includes('"facts"') && id !== undefined) {
    const criteria = ['the review names the bug and its line=read review.md and add.js: line 1, a - b'];
    return { tool: 'mcp_baton_baton_verify', input: { id, criteria } };
  }
  if (body.includes('mcp_baton_baton_inbox')) return { tool: 'mcp_baton_baton_inbox', input: {} };
  return { text: 'I have no Baton tools.' };
}
