import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/foundation/json.ts';
import type { Body } from '../../../src/domain/body.ts';
import type { Handoff } from '../../../src/domain/handoff.ts';
import { LIFECYCLE, STATES } from '../../../src/domain/lifecycle.ts';
import type { HandoffId } from '../../../src/domain/names.ts';
import type { Outcome } from '../../../src/domain/outcome.ts';
import { DEFAULT_RETRY } from '../../../src/domain/retry-policy.ts';
import { readMessage, readRequest, type QueueRequest } from '../../../src/formats/queue-message/read.ts';
import { folderFor, QUEUE_WORDS } from '../../../src/formats/queue-message/vocabulary.ts';
import { writeMessage, type MessageSource } from '../../../src/formats/queue-message/write.ts';
import { aHandoff, T0 } from '../../domain/a-handoff.ts';
import { EXAMPLES, example } from './messages.ts';
import { FailureShape, ResponseShape } from './published-schemas.ts';

const ID = 'hoff-001-1705147200000' as HandoffId;

function asked(text: string): QueueRequest {
  const read = readMessage(text);
  const request = read.ok ? readRequest(read.value, DEFAULT_RETRY) : read;
  if (!request.ok) throw new Error(JSON.stringify(request.refusal));
  return request.value;
}

function bodyOf({ input, schema, outputSchema, context, message }: QueueRequest): Body {
  return {
    input,
    ...(schema === undefined ? {} : { schema }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(context === undefined ? {} : { context }),
    message,
  };
}

function written(
  state: Handoff['state'],
  parts: Partial<MessageSource> = {},
  changes: Partial<Handoff> = {},
): JsonObject {
  const handoff = aHandoff(state, { id: ID, since: T0 + 332_000, ...changes });
  const told: MessageSource = { handoff, body: { input: {} }, outcome: null, startedAt: T0, artifact: null, ...parts };
  return JSON.parse(writeMessage(told)) as JsonObject;
}

const fromSpec = { body: bodyOf(asked(EXAMPLES.request)) };

describe('the words of the queue', () => {
  it('say every state of the lifecycle, and final ones in final folders', () => {
    expect(Object.keys(QUEUE_WORDS)).toEqual([...STATES]);
    for (const state of STATES) {
      const isFinal = Object.keys(LIFECYCLE[state]).length === 0;
      expect(['completed', 'failed'].includes(QUEUE_WORDS[state].place)).toBe(isFinal);
      expect(QUEUE_WORDS[state].code !== undefined).toBe(isFinal && state !== 'completed');
    }
  });

  it('Q1: put what is not to be had yet where no naive worker looks', () => {
    expect(folderFor({ state: 'offered', notBefore: T0 + 1 }, T0)).toBe('waiting');
    expect(folderFor({ state: 'offered', notBefore: T0 }, T0)).toBe('pending');
    expect(folderFor({ state: 'blocked', notBefore: 0 }, T0)).toBe('waiting');
  });
});

describe('the text of a queue file', () => {
  it('Q2: keeps every field of the request in every state, unknown ones included', () => {
    const text = JSON.stringify({ ...example('request'), team: { lead: '@ann' }, 'x-trace': [1, null] });
    const body = bodyOf(asked(text));
    for (const state of STATES) {
      const said = written(state, { body, outcome: null });
      expect(said).toMatchObject({ ...(JSON.parse(text) as JsonObject), status: QUEUE_WORDS[state].status });
    }
  });

  it('Q2: is a request again while it waits', () => {
    fc.assert(
      fc.property(fc.json(), fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.json()), (data, more) => {
        const input = (JSON.parse(data) as Json) ?? {};
        if (!readMessage(JSON.stringify({ input, ...more })).ok) return;
        const body: Body = { input, context: Object.fromEntries(Object.entries(more)) };
        const handoff = aHandoff('offered', { id: ID });
        const text = writeMessage({ handoff, body, outcome: null, startedAt: null, artifact: null });
        const again = asked(text);
        expect(again).toMatchObject({ id: ID, from: handoff.from, to: handoff.to, priority: handoff.priority });
        expect(again.input).toEqual(input);
        expect(again.context).toEqual(body.context);
        expect(again.terms.attemptTimeoutMs).toBe(handoff.terms.attemptTimeoutMs);
        // Written again from what was read, nothing changes any more.
        const twice = writeMessage({ handoff, body: bodyOf(again), outcome: null, startedAt: null, artifact: null });
        expect(JSON.parse(twice)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('Q4: bears the mark of an acceptance of ours, and only while it lasts', () => {
    expect(written('accepted', fromSpec)).toMatchObject({ status: 'in_progress', baton_fence: 1 });
    expect(written('accepted', fromSpec)['started_at']).toBe(new Date(T0).toISOString());
    const back = written('offered', fromSpec, { attempt: 1, fence: 1 });
    expect(back).toMatchObject({ status: 'pending', retry_count: 1 });
    expect(back).not.toHaveProperty('baton_fence');
    expect(back).not.toHaveProperty('started_at');
  });

  it('Q5: completed, has the shape of the specification', () => {
    const outcome: Outcome = {
      kind: 'result',
      result: { artifact: { type: 'react-components', content: {} }, metadata: { total: 1 }, next_steps: ['rest'] },
    };
    const artifact = { id: 'artifact-1', path: 'artifacts/phase-13-react/artifact-1.json', type: 'react-components' };
    const said = written('completed', { ...fromSpec, outcome, artifact });
    expect(ResponseShape.safeParse(said).error).toBeUndefined();
    const names = Object.keys(example('response'));
    expect(names.filter((name) => !(name in said))).toEqual([]);
    expect(said).toMatchObject({
      execution_time_seconds: 332,
      completed_at: said['timestamp_completed'],
      output: { artifact_id: 'artifact-1', schema_compliance: 'valid' },
      metadata: { total: 1 },
      next_steps: ['rest'],
      warnings: [],
      errors: [],
    });
  });

  it('Q6: failed, explains itself in every state that ends there', () => {
    for (const state of STATES.filter((each) => QUEUE_WORDS[each].status === 'failed')) {
      const said = written(state, fromSpec);
      expect(FailureShape.safeParse(said).error).toBeUndefined();
      const names = Object.keys(example('failure'));
      expect(names.filter((name) => !(name in said))).toEqual([]);
      const error = said['error'] as JsonObject;
      expect(error['message']).toMatch(/\w/);
      expect(said['recovery_actions']).not.toEqual([]);
    }
  });

  it('Q6: names each violation and what to do about it', () => {
    const outcome: Outcome = {
      kind: 'failure',
      code: 'SCHEMA_VALIDATION_FAILED',
      message: 'input.name: missing',
      violations: [
        { field: 'input.props[0].userId.type', says: 'missing', schemaPath: '#/properties/props/items/required' },
        { field: 'input.props[0].id', says: 'must be string', schemaPath: '#/properties/props/items/id/type' },
      ],
    };
    const said = written('failed', { ...fromSpec, outcome }, { attempt: 2 });
    expect(said).toMatchObject({
      error: { code: 'SCHEMA_VALIDATION_FAILED' },
      validation: {
        status: 'failed',
        errors: [
          {
            field: 'props[0].userId',
            error: "Missing required field 'type'",
            schema_path: '$.props[*].userId',
            path: 'input.props[0].userId.type',
            schema_pointer: '#/properties/props/items/required',
          },
          { field: 'props[0].id', error: 'must be string', schema_path: '$.props[*].id' },
        ],
      },
      retry_available: true,
      retry_count: 1,
      max_retries: 3,
    });
    expect(said['recovery_actions']).toEqual([
      'Correct input.props[0].userId.type: missing',
      'Correct input.props[0].id: must be string',
      `Send the corrected input: baton retry ${ID} --input FILE`,
    ]);
  });
});
