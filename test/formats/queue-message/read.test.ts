import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { readAnswer, readMessage, readRequest, type QueueRequest } from '../../../src/formats/queue-message/read.ts';
import { DEFAULT_RETRY } from '../../../src/domain/retry-policy.ts';
import { EXAMPLES, example } from './messages.ts';

function problemsOf(text: string): readonly string[] {
  const read = readMessage(text);
  if (!read.ok) return problemTexts(read.refusal);
  const asked = readRequest(read.value, DEFAULT_RETRY);
  return asked.ok ? [] : problemTexts(asked.refusal);
}

type Problem = Extract<ReturnType<typeof readMessage>, { ok: false }>['refusal'];

function problemTexts(problem: Problem): readonly string[] {
  if (problem.kind === 'unreadable') return [`${problem.line}:${problem.column}: ${problem.says}`];
  return problem.problems.map(({ field, says }) => `${field}: ${says}`);
}

function asked(text: string): QueueRequest {
  const read = readMessage(text);
  const request = read.ok ? readRequest(read.value, DEFAULT_RETRY) : read;
  if (!request.ok) throw new Error(problemTexts(request.refusal).join('\n'));
  return request.value;
}

function changed(parts: object): string {
  return JSON.stringify({ ...example('request'), ...parts });
}

describe('a request that is not one', () => {
  it.each([
    ['half a file', EXAMPLES.request.slice(0, 400)],
    ['nothing', ''],
    ['two objects', `${EXAMPLES.request}${EXAMPLES.request}`],
    ['a number that is none', EXAMPLES.request.replace('"phase": 11', '"phase": NaN')],
    ['the same key twice', EXAMPLES.request.replace('"status"', '"timestamp": "x", "status"')],
    ['a poisoned key', EXAMPLES.request.replace('"status"', '"__proto__": {}, "status"')],
    ['too deep', `{"a":${'['.repeat(100_000)}`],
    ['a digit too many', EXAMPLES.request.replace('300', '123456789012345678901')],
  ])('F1, F9: %s is unreadable, and says where', (_what, text) => {
    const read = readMessage(text);
    expect(read).toMatchObject({ ok: false, refusal: { kind: 'unreadable', line: expect.any(Number) as number } });
  });

  it('F9: names what Python writes for a number that is none', () => {
    expect(problemsOf(EXAMPLES.request.replace('"phase": 11', '"phase": NaN'))[0]).toContain('NaN');
  });

  it.each([
    ['a list', '[]', ''],
    ['a way out of the folder', changed({ handoff_id: '../../etc/passwd' }), 'handoff_id'],
    ['two dots', changed({ handoff_id: 'a..b' }), 'handoff_id'],
    ['a device', changed({ handoff_id: 'nul.txt' }), 'handoff_id'],
    ['an option', changed({ handoff_id: '-rf' }), 'handoff_id'],
    ['no id', changed({ handoff_id: undefined }), 'handoff_id'],
    ['no source', changed({ source: undefined }), 'source'],
    ['a name that reads backwards', changed({ source: { agent_id: 'a\u202Eb' } }), 'source'],
    ['no input', changed({ input: undefined }), 'input'],
    ['no time at all', changed({ timeout_seconds: 0 }), 'timeout_seconds'],
    ['negative time', changed({ timeout_seconds: -1 }), 'timeout_seconds'],
    ['too much time', changed({ timeout_seconds: 604_801 }), 'timeout_seconds'],
    ['time as text', changed({ timeout_seconds: '300' }), 'timeout_seconds'],
    ['too many retries', changed({ retry_policy: { max_retries: 1e9 } }), 'retry_policy.max_retries'],
    ['half a retry', changed({ retry_policy: { max_retries: 1.5 } }), 'retry_policy.max_retries'],
    ['a shrinking delay', changed({ retry_policy: { backoff_multiplier: 0.5 } }), 'retry_policy.backoff_multiplier'],
    ['an unknown priority', changed({ priority: 'now' }), 'priority'],
    ['a day that is not there', changed({ timestamp: '2026-02-30T00:00:00Z' }), 'timestamp'],
    ['no zone', changed({ timestamp: '2026-01-13T10:00:00' }), 'timestamp'],
    ['a year beyond years', changed({ timestamp: '+275760-09-13T00:00:00Z' }), 'timestamp'],
    ['a dependency that is no id', changed({ depends_on: ['fine', '../x'] }), 'depends_on[1]'],
  ])('Q2, Q3: %s is refused with its field', (_what, text, field) => {
    const problems = problemsOf(text);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.every((problem) => problem.startsWith(field))).toBe(true);
  });

  it('Q2: tells all that is wrong at once', () => {
    expect(problemsOf(changed({ handoff_id: '..', priority: 'now', timeout_seconds: 0 }))).toHaveLength(4);
  });
});

describe('a request of the specification', () => {
  it('Q2, Q12: says everything it asks for', () => {
    expect(asked(EXAMPLES.request)).toMatchObject({
      id: 'hoff-001-1705147200000',
      from: 'frontend-specialist',
      to: 'react-specialist',
      schema: 'react-specialist.input.schema.json',
      outputSchema: 'react-specialist.output.schema.json',
      priority: 'normal',
      terms: { attemptTimeoutMs: 300_000, retry: { retriesMax: 3, delayMs: 30_000, multiplier: 2 } },
      message: EXAMPLES.request,
    });
  });

  it('F9: may begin with a byte order mark and end its lines as it likes', () => {
    const text = `\uFEFF${EXAMPLES.request.replaceAll('\n', '\r\n')}`;
    expect(asked(text)).toEqual({ ...asked(EXAMPLES.request), message: text });
  });

  it('Q2: leaves to the house what it does not say, and takes nothing for nothing', () => {
    const { handoff_id, source, target, input } = example('request');
    const bare = { handoff_id, source, target, input };
    expect(asked(JSON.stringify(bare)).terms).toEqual({});
    expect(asked(JSON.stringify({ ...bare, priority: null, retry_policy: null, depends_on: [] })).terms).toEqual({});
    expect(asked(JSON.stringify({ ...bare, source: '@Me', target: 'you' }))).toMatchObject({ from: 'me', to: 'you' });
  });

  it('never breaks whatever it is given', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(Array.isArray(problemsOf(text))).toBe(true);
      }),
    );
  });

  it('F1: no part of it looks whole', () => {
    fc.assert(
      fc.property(fc.nat(EXAMPLES.request.trimEnd().length - 1), (length) => {
        expect(readMessage(EXAMPLES.request.slice(0, length)).ok).toBe(false);
      }),
    );
  });
});

describe('an answer', () => {
  it('Q5: of the specification is read whole', () => {
    const read = readMessage(EXAMPLES.response);
    const answer = read.ok ? readAnswer('completed', read.value) : null;
    expect(answer).toMatchObject({ kind: 'completed', result: { output: { artifact_type: 'react-components' } } });
  });

  it('Q6: that failed has a code and a message, whatever it says', () => {
    const failureIn = (text: string) => {
      const read = readMessage(text);
      return read.ok ? readAnswer('failed', read.value) : null;
    };
    expect(failureIn(EXAMPLES.failure)).toMatchObject({ failure: { code: 'SCHEMA_VALIDATION_FAILED' } });
    expect(failureIn('{"error":"broken"}')).toMatchObject({ failure: { code: 'PROCESSING_ERROR', message: 'broken' } });
    expect(failureIn('{}')).toMatchObject({ failure: { message: 'failed without a message' } });
  });
});
