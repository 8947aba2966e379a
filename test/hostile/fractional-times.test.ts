/** A time between two milliseconds can be neither stored nor kept: every way in refuses it with its field and bounds. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBaton, type Baton } from '../../src/index.ts';
import { readMessage, readRequest } from '../../src/formats/queue-message/read.ts';
import { DEFAULT_RETRY } from '../../src/domain/retry-policy.ts';
import { parseConfiguration } from '../../src/workspace/configuration.ts';
import { databases, makeWorkspace, sqlite } from '../cli/workspaces.ts';
import { served } from '../http/served.ts';
import { askEach, refused } from './answers.ts';

const RULE = 'with at most three decimals';

describe.each(databases)('a fractional time, by the library on $name', (database) => {
  const open = async (): Promise<Baton> => {
    const { folder, address } = await makeWorkspace(database, '');
    const baton = await openBaton({
      workspace: folder,
      ...(address.kind === 'postgres' ? { database: address.url } : {}),
    });
    onTestFinished(() => baton.close());
    return baton;
  };
  const request = { from: 'me', to: 'react', input: {} } as const;

  it('I4: is refused, and the queue of the agent goes on', async () => {
    const baton = await open();
    const wrong = [
      baton.send({ ...request, timeoutMs: 1000.5 }),
      baton.send({ ...request, timeoutMs: Number.NaN }),
      baton.send({ ...request, retry: { delayMs: 0.5 } }),
      baton.send({ ...request, notBefore: new Date(Number.NaN) }),
      baton.claim('react', { leaseMs: 1000.5 }),
    ];
    for (const each of wrong) {
      await expect(each).rejects.toMatchObject({
        code: 'bad-request',
        message: expect.stringMatching(/a whole number from|an instant like/) as unknown,
      });
    }
    const sent = await baton.send(request);
    await expect(baton.accept(sent.id, { as: 'react', leaseMs: 1.5 })).rejects.toThrow(/leaseMs 1\.5: a whole number/);
    expect(await baton.claim('react', { leaseMs: 60_000 })).toMatchObject({ id: sent.id });
    await expect(baton.renew(sent.id, { as: 'react', leaseMs: 1.5 })).rejects.toThrow(/leaseMs 1\.5: a whole number/);
  });

  it('I4: a text that PostgreSQL cannot hold is refused alike, and those sent with it arrive', async () => {
    const baton = await open();
    const sent = await Promise.allSettled([
      baton.send({ ...request, title: 'a\u0000b' }),
      baton.send({ ...request, title: 'fine' }),
      baton.send({ ...request, title: 'half \ud83d' }),
      baton.send({ ...request, task: '\u0000' }),
      baton.send(request),
    ]);
    expect(sent.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'rejected', 'fulfilled']);
    for (const at of [0, 2, 3]) {
      expect(sent[at]).toMatchObject({
        reason: { code: 'bad-request', message: expect.stringMatching(/^(title|task): .*U\+0000/) as unknown },
      });
    }
  });
});

describe('a fractional time, elsewhere', () => {
  it('I4: is refused over HTTP with field, value and bounds', async () => {
    const { ask, tokenFor } = await served();
    const token = await tokenFor(null);
    const wrong = [
      ['/api/handoffs', { from: 'me', to: 'react', timeoutSeconds: 1.0005 }, 'timeoutSeconds 1.0005: '],
      ['/api/handoffs', { from: 'me', to: 'react', retry: { delaySeconds: 0.00001 } }, 'retry.delaySeconds 0.00001: '],
      ['/api/claims', { agent: 'react', leaseSeconds: 1.0005 }, 'leaseSeconds 1.0005: '],
      ['/api/tokens', { agent: 'react', expiresSeconds: 5.00001 }, 'expiresSeconds: 5.00001: '],
    ] as const;
    for (const [path, body, says] of wrong) {
      const answer = await ask('POST', path, { token, body });
      expect(answer.status).toBe(400);
      expect((answer.json as { detail: string }).detail).toContain(says);
      expect((answer.json as { detail: string }).detail).toContain(RULE);
    }
    const fine = await ask('POST', '/api/handoffs', {
      token,
      body: { from: 'me', to: 'react', timeoutSeconds: 1.001 },
    });
    expect(fine.status).toBe(201);
    expect(
      (await ask('POST', '/api/claims', { token: await tokenFor('react'), body: { leaseSeconds: 1.5 } })).status,
    ).toBe(200);
  });

  it('I4: is refused on the command line and in baton.yaml', async () => {
    const { run } = await makeWorkspace(sqlite);
    const [timeout] = await askEach(['1.0005'], (time) =>
      run(['send', '--from', 'me', '--to', 'react', '--timeout', time]),
    );
    expect(timeout?.answer).toEqual(refused(5, `--timeout "1.0005": seconds from 1 to 604800 ${RULE}`));
    for (const [text, field] of [
      ['lease_seconds: 1.0005\n', 'lease_seconds'],
      ['clocks: { queue: { attempt_seconds: 1.0005 } }\n', 'clocks.queue.attempt_seconds'],
      ['clocks: { documents: { offered_seconds: 1.0005 } }\n', 'clocks.documents.offered_seconds'],
      ['retry: { delay_seconds: 1.0005 }\n', 'retry.delay_seconds'],
      ['retry: { cap_seconds: 1.0005 }\n', 'retry.cap_seconds'],
      ['evidence: { timeout_seconds: 1.0005 }\n', 'evidence.timeout_seconds'],
    ]) {
      expect(() => parseConfiguration(text ?? '', 'baton.yaml')).toThrow(new RegExp(`${field}: 1\\.0005: .*${RULE}`));
    }
    const { configuration } = parseConfiguration('clocks: { queue: { attempt_seconds: 1.001 } }\n', 'baton.yaml');
    expect(configuration.queueTerms.attemptTimeoutMs).toBe(1001);
  });

  it('I4: is refused in a queue file', () => {
    const file = (more: object): string =>
      JSON.stringify({ handoff_id: 'a', source: 'me', target: 'react', input: { data: {} }, ...more });
    const problemsIn = (more: object): unknown => {
      const read = readMessage(file(more));
      const asked = read.ok ? readRequest(read.value, DEFAULT_RETRY) : read;
      return asked.ok ? asked.value.terms : asked.refusal;
    };
    expect(problemsIn({ timeout_seconds: 1.0005 })).toMatchObject({
      problems: [{ field: 'timeout_seconds', says: expect.stringContaining(RULE) as unknown }],
    });
    expect(problemsIn({ retry_policy: { retry_delay_seconds: 0.0001 } })).toMatchObject({
      problems: [{ field: 'retry_policy.retry_delay_seconds' }],
    });
    expect(problemsIn({ timeout_seconds: 1.001 })).toMatchObject({ attemptTimeoutMs: 1001 });
  });
});
