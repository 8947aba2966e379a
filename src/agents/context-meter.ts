/**
 * Measures how full an agent's context is, in percent of the point at which the agent compacts automatically: after a
 * compaction it would write its handoff document from a summary.
 */
import type { Json } from '../foundation/json.ts';
import type { ContextReading } from './agent-host.ts';
import { fieldIn, jsonIn, numberIn } from './json-fields.ts';

/** Claude Code compacts when this much of its window is left. */
const CLAUDE_RESERVE_TOKENS = 33_000;
const CODEX_COMPACTS_AT = 0.9;
const GEMINI_COMPACTS_AT = 0.5;
/** Gemini's transcript does not name the window. */
const GEMINI_WINDOW_TOKENS = 1_048_576;

/** What Claude Code gives to its status line. */
export function readClaudeStatus(status: Json): ContextReading | null {
  const window = fieldIn(status, 'context_window');
  const size = numberIn(window, 'context_window_size');
  const usage = fieldIn(window, 'current_usage');
  const used =
    usage === null
      ? numberIn(window, 'total_input_tokens')
      : (numberIn(usage, 'input_tokens') ?? 0) +
        (numberIn(usage, 'cache_creation_input_tokens') ?? 0) +
        (numberIn(usage, 'cache_read_input_tokens') ?? 0);
  const limits = fieldIn(status, 'rate_limits');
  const limitPercent = ['five_hour', 'seven_day']
    .map((name) => numberIn(fieldIn(limits, name), 'used_percentage'))
    .reduce((most, each) => (each === null ? most : Math.max(most ?? 0, each)), null);
  if (size === null || used === null) return limitPercent === null ? null : reading(0, null, size, limitPercent);
  return reading(percentOf(used, size - CLAUDE_RESERVE_TOKENS), used, size, limitPercent);
}

/** The last `token_count` of a Codex rollout. */
export function readCodexRollout(text: string): ContextReading | null {
  const counts = lastWith(text, (line) => fieldIn(fieldIn(line, 'payload'), 'info'));
  const limitPercent = lastWith(text, (line) =>
    numberIn(fieldIn(fieldIn(fieldIn(line, 'payload'), 'rate_limits'), 'primary'), 'used_percent'),
  );
  const window = numberIn(counts, 'model_context_window');
  const used = numberIn(fieldIn(counts, 'last_token_usage'), 'total_tokens');
  if (window === null || used === null) return null;
  return reading(percentOf(used, window * CODEX_COMPACTS_AT), used, window, limitPercent);
}

/** The last answer in a transcript of Gemini CLI. */
export function readGeminiTranscript(text: string): ContextReading | null {
  const tokens = lastWith(text, (line) => fieldIn(line, 'tokens'));
  const used = numberIn(tokens, 'input');
  if (used === null) return null;
  return reading(percentOf(used, GEMINI_WINDOW_TOKENS * GEMINI_COMPACTS_AT), used, GEMINI_WINDOW_TOKENS, null);
}

const PANE_TEXT = /\[ctx: (\d{1,3})% used(?:, (\d+)k remaining)?\]/g;

/** `[ctx: 22% used, 155k remaining]`, for any program that prints it; the last one on the screen counts. */
export function readPaneText(screen: string): ContextReading | null {
  const found = [...screen.matchAll(PANE_TEXT)].at(-1);
  return found === undefined ? null : reading(Number(found[1]), null, null, null);
}

/** What the status line shows, in the words that `readPaneText` reads. */
export function paneText({ percent, usedTokens, windowTokens }: ContextReading): string {
  if (usedTokens === null || windowTokens === null) return `[ctx: ${Math.round(percent)}% used]`;
  const thousands = Math.max(0, Math.round((windowTokens - usedTokens) / 1_000));
  return `[ctx: ${Math.round(percent)}% used, ${thousands}k remaining]`;
}

function reading(
  percent: number,
  usedTokens: number | null,
  windowTokens: number | null,
  limitPercent: number | null,
): ContextReading {
  return { percent, usedTokens, windowTokens, limitPercent };
}

function percentOf(used: number, capacity: number): number {
  return capacity <= 0 ? 100 : Math.round((used / capacity) * 1_000) / 10;
}

/** Skips lines that are not JSON: the last one may be half written. */
function lastWith<Found>(text: string, find: (line: Json) => Found | null): Found | null {
  for (const line of text.split('\n').toReversed()) {
    const found = find(jsonIn(line));
    if (found !== null) return found;
  }
  return null;
}
