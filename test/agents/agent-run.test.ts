/** What the vendors' programs print, as they were seen to print it, and what Baton makes of it. */
import { describe, expect, it } from 'vitest';
import { HEADLESS_AGENTS } from '../../src/agents/headless/agents.ts';
import { answerIn } from '../../src/agents/headless/answer.ts';
import { openAgentRun, type RunState } from '../../src/agents/headless/agent-run.ts';
import { resetIn } from '../../src/agents/headless/usage-limit.ts';
import { VENDORS, type Vendor } from '../../src/domain/vendors.ts';
import { FAKE_SESSION, LIMITS, printed } from './fake-programs.ts';

function told(vendor: Vendor, output: string, errors = ''): RunState & { readonly progress: readonly string[] } {
  const progress: string[] = [];
  const run = openAgentRun(HEADLESS_AGENTS[vendor], (says) => progress.push(says));
  // In pieces that end anywhere, as a pipe gives them.
  for (let at = 0; at < output.length; at += 7) run.output(output.slice(at, at + 7));
  return { ...run.end(errors), progress };
}

describe.each(VENDORS)('%s', (vendor) => {
  it('tells its session, its progress, its last message and what it used', () => {
    const run = told(vendor, printed(vendor, 'It is 42.\nI checked.'));
    expect(run).toMatchObject({ session: FAKE_SESSION, text: 'It is 42.\nI checked.', limit: null, error: null });
    expect(run.spent).toMatchObject({ inputTokens: 2000, outputTokens: 20 });
    expect(run.progress).toHaveLength(1);
  });

  it('tells of its usage limit', () => {
    const { limit, error } = told(vendor, LIMITS[vendor]);
    expect({ limit: limit === null, error }).toEqual({ limit: false, error: null });
  });

  it('may talk about limits without being at one', () => {
    expect(told(vendor, printed(vendor, 'The API answers 429 at its usage limit.')).limit).toBeNull();
  });

  it('is not disturbed by lines that nobody understands', () => {
    const noise = ['', 'not JSON', '{"type":', '[]', 'null', '{"type":7}', '{"type":"assistant"}', '{"type":"result"}'];
    const { text } = told(vendor, [...noise, printed(vendor, 'ok')].join('\n'), 'a warning\n');
    expect(text).toBe('ok');
  });
});

it('the end of a Claude subscription window and of a Codex plan is known to the second or minute', () => {
  expect(told('claude', LIMITS.claude).limit?.resetsAt).toBe(1_999_999_999_000);
  const now = new Date(2026, 10, 17, 12, 0).getTime();
  expect(resetIn('try again in 3 hours 5 minutes.', now)).toBe(now + (3 * 60 + 5) * 60_000);
  expect(resetIn('or try again at 3:45 PM.', now)).toBe(new Date(2026, 10, 17, 15, 45).getTime());
  expect(resetIn('or try again at 9:15 AM.', now)).toBe(new Date(2026, 10, 18, 9, 15).getTime());
  expect(resetIn('or try again at Nov 18th, 2026 11:06 AM.', now)).toBe(new Date(2026, 10, 18, 11, 6).getTime());
  expect(resetIn('Please wait.', now)).toBeNull();
});

it('an answer is the JSON object that a message is or ends with, else its text', () => {
  expect(answerIn(' {"a": 1}\n')).toEqual({ a: 1 });
  expect(answerIn('Here it is:\n\n```json\n{"a": 1}\n```\n')).toEqual({ a: 1 });
  expect(answerIn('```json\n{"a": 1}\n```\nand more')).toEqual({ text: '```json\n{"a": 1}\n```\nand more' });
  expect(answerIn('[1, 2]')).toEqual({ text: '[1, 2]' });
  expect(answerIn('{"a": 1} {"b": 2}')).toEqual({ text: '{"a": 1} {"b": 2}' });
});
