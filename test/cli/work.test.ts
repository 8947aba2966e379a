import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandDatabases } from './command-databases.ts';
import { factsOf, makeWorkspace, sendWith, storyOf, NO_RETRIES } from './workspaces.ts';
import type { Ended } from '../support/processes.ts';

/** More than a pipe holds, so that a program that does not read would block a careless writer. */
const LARGE = 'x'.repeat(900_000);

describe.each(commandDatabases)('baton work on $name', (database) => {
  /** Sends one without retries, lets the command work on it once, and answers what became of it. */
  async function tryOnce(command: readonly string[], input = {}): Promise<{ failure: unknown; code: number | null }> {
    const { run, open } = await makeWorkspace(database);
    const ctx = await open();
    const id = await sendWith(ctx, '@react', NO_RETRIES, input);
    const worked = await run(['work', '@react', '--once', '--', ...command]);
    expect(worked.stdout).toBe('');
    const { code, stdout } = await run(['wait', id, '--json', '--timeout', '0']);
    return { code, failure: (JSON.parse(stdout) as { failure?: unknown }).failure };
  }

  it('gives the handoff on standard input and in three variables', async () => {
    const { run, send, folder } = await makeWorkspace(database);
    const id = await send('@React', { x: 1 });
    const command = [
      'sh',
      '-c',
      'cat > stdin.json; echo "{\\"a\\":\\"$BATON_HANDOFF_ID $BATON_FENCE $BATON_AGENT\\"}"',
    ];
    const worked = await run(['work', '@react', '--once', '--', ...command]);
    expect(worked).toMatchObject({ code: 0, stdout: '' });
    expect(worked.stderr).toContain(`${id} attempt 1\n${id} completed\n`);
    const given: unknown = JSON.parse(readFileSync(join(folder, 'stdin.json'), 'utf8'));
    expect(given).toMatchObject({ id, from: '@me', to: '@react', input: { x: 1 }, fence: 1, attempt: 1 });
    const { stdout } = await run(['wait', id]);
    expect(JSON.parse(stdout)).toEqual({ a: `${id} 1 react` });
  });

  it('tells programs what happens, one event per line', async () => {
    const { run, send } = await makeWorkspace(database);
    const id = await send('@react');
    const worked = await run(['work', '@react', '--json', '--once', '--', 'cat']);
    expect([worked.code, worked.stderr]).toEqual([0, '']);
    const events = worked.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(events).toEqual([
      { kind: 'attempt-started', id, attempt: 1 },
      { kind: 'attempt-settled', id, state: 'completed' },
    ]);
  });

  it('tells programs why an attempt failed, and when it is tried again', async () => {
    const { run, send } = await makeWorkspace(database);
    const id = await send('@react');
    const worked = await run(['work', '@react', '--json', '--once', '--', 'sh', '-c', 'echo no >&2; exit 3']);
    const message = 'sh ended with exit code 3: no';
    expect(JSON.parse(worked.stdout.trim().split('\n').at(-1) ?? '')).toEqual({
      kind: 'attempt-settled',
      id,
      state: 'offered',
      failed: {
        attempt: 1,
        code: 'PROCESSING_ERROR',
        message: expect.stringContaining(message) as unknown,
        againInMs: 30_000,
      },
    });
  });

  it('Q11, I13: a command that ends with 1 is tried again later, as its terms say', async () => {
    const { run, send, open } = await makeWorkspace(database);
    const id = await send('@react');
    const worked = await run(['work', '@react', '--once', '--', 'sh', '-c', 'echo why >&2; exit 1']);
    expect(worked.code).toBe(0);
    expect(worked.stderr).toContain(
      `${id} failed attempt 1: PROCESSING_ERROR: sh ended with exit code 1: why; again in 30 s\n`,
    );
    const ctx = await open();
    expect(await storyOf(ctx, id)).toEqual(['create by @me', 'accept by @react', 'retry by @react']);
    const [, accepted, retried] = await factsOf(ctx, id);
    expect(JSON.parse(retried?.detail ?? '')).toEqual({
      code: 'PROCESSING_ERROR',
      message: 'sh ended with exit code 1: why',
    });
    const handoff = (await ctx.store.load(id))?.handoff;
    const delayMs = (handoff?.notBefore ?? 0) - (retried?.at ?? 0);
    expect(delayMs).toBe(30_000);
    expect(accepted?.fence).toBe(1);
  });

  it('Q11: when the last attempt has failed, the handoff has', async () => {
    const { run, open } = await makeWorkspace(database);
    const ctx = await open();
    const retry = { ...NO_RETRIES.retry, retriesMax: 1, delayMs: 0 };
    const id = await sendWith(ctx, '@react', { retry });
    const worker = ['work', '@react', '--once', '--', 'false'];
    expect((await run(worker)).stderr).toContain(`${id} failed attempt 1: PROCESSING_ERROR: `);
    expect((await run(worker)).stderr).toMatch(/ failed attempt 2: PROCESSING_ERROR: .*; not tried again\n/);
    const waited = await run(['wait', id]);
    expect(waited).toMatchObject({ code: 8, stdout: '' });
    expect(waited.stderr).toContain('failed after');
    expect((await storyOf(ctx, id)).map((line) => line.split(' ', 1)[0])).toEqual([
      'create',
      'accept',
      'retry',
      'accept',
      'fail',
    ]);
  });

  it.each([
    ['text', ['echo', 'hello'], [], { text: 'hello' }],
    ['two JSON values, which are no JSON', ['echo', '{} {}'], [], { text: '{} {}' }],
    ['JSON', ['echo', '{"x":1}'], [], { x: 1 }],
    ['JSON that is meant as text', ['echo', '{"x":1}'], ['--text'], { text: '{"x":1}' }],
  ])('a command that prints %s has a result', async (_what, command, options, result) => {
    const { run, send } = await makeWorkspace(database);
    const id = await send('@react');
    await run(['work', '@react', '--once', ...options, '--', ...command]);
    expect(JSON.parse((await run(['wait', id])).stdout)).toEqual(result);
  });

  it('Q10: a command that takes too long is ended with all it started', async () => {
    const { run, send, open } = await makeWorkspace(database);
    const id = await send('@react', {}, ['--timeout', '1']);
    const worked = await run(['work', '@react', '--once', '--', 'sh', '-c', 'sleep 600 & sleep 600']);
    expect(worked.code).toBe(0);
    const facts = await factsOf(await open(), id);
    expect(JSON.parse(facts.at(-1)?.detail ?? '')).toEqual({ code: 'TIMEOUT', message: 'no result within 1 s' });
  });

  it.each([
    ['prints more than 1 MiB', ['head', '-c', '1200000', '/dev/zero'], 'more than 1048576 bytes on standard output'],
    ['prints for ever', ['yes'], 'more than 1048576 bytes on standard output'],
    ['prints what is not UTF-8', ['printf', '\\377'], 'standard output is not UTF-8 text'],
    ['ends itself by a signal', ['sh', '-c', 'kill -9 $$'], 'sh was ended by SIGKILL'],
  ])('a command that %s has failed, with the reason', async (_what, command, says) => {
    const { code, failure } = await tryOnce(command);
    expect(code).toBe(8);
    expect(failure).toEqual({ code: 'PROCESSING_ERROR', message: expect.stringContaining(says) as unknown });
  });

  it.each([
    ['does not read its standard input', ['true'], { large: LARGE }],
    ['closes its standard input early', ['sh', '-c', 'exec <&-; echo 1'], { large: LARGE }],
    ['closes its standard output early', ['sh', '-c', 'echo 1; exec >&-; cat > answer'], {}],
    ['prints nothing', ['true'], {}],
  ])('a command that %s has done its work', async (_what, command, input) => {
    expect(await tryOnce(command, input)).toEqual({ code: 0, failure: undefined });
  });

  it('I4: a command that cannot be found is told before anything is taken', async () => {
    const { run, send, open } = await makeWorkspace(database);
    const id = await send('@react');
    for (const command of ['no-such-command', './no-such-command', '/etc/passwd']) {
      const worked = await run(['work', '@react', '--', command]);
      expect(worked).toMatchObject({ code: 5, stdout: '' });
      expect(worked.stderr).toBe(`baton: cannot find the command "${command}", or it is not executable\n`);
    }
    expect(await storyOf(await open(), id)).toEqual(['create by @me']);
  });

  it('works on several at a time', async () => {
    const { run, send, start, folder } = await makeWorkspace(database);
    const ids = await Promise.all([send('@react'), send('@react'), send('@react')]);
    // Each waits until three have begun: with fewer hands they would wait for ever.
    const command = `touch began-$BATON_HANDOFF_ID; while [ $(ls ${folder} | grep -c began) -lt 3 ]; do :; done; echo 1`;
    start(['work', '@react', '--concurrency', '3', '--', 'sh', '-c', command]);
    for (const id of ids) expect(await run(['wait', id, '--timeout', '30'])).toMatchObject({ code: 0, stdout: '1\n' });
  });

  it('D7: a program shows evidence with its answer, and false evidence fails the attempt', async () => {
    const { run, folder } = await makeWorkspace(database);
    writeFileSync(join(folder, 'page.html'), '<p>');
    const send = ['send', '--from', 'me', '--to', 'react', '--deliverable', 'page', '--verifier', 'qa'];
    const work = (answer: unknown): Promise<Ended> =>
      run(['work', 'react', '--once', '--', 'echo', JSON.stringify(answer)]);
    const id = (await run(send)).stdout.trim();
    await work({ artifact: 1, evidence: { page: ['file:page.html', 'note:done'] } });
    expect(JSON.parse((await run(['show', id, '--json'])).stdout)).toMatchObject({
      state: 'delivered',
      result: { artifact: 1 },
      claims: [{ deliverable: 'page', evidence: [{ kind: 'file', path: 'page.html' }, { kind: 'note' }] }],
    });
    const other = (await run(send)).stdout.trim();
    await work({ evidence: { page: 'file:gone.html' } });
    const failed = JSON.parse((await run(['show', other, '--json'])).stdout) as {
      failure: { code: string; message: string };
    };
    expect(failed).toMatchObject({ state: 'offered', failure: { code: 'VALIDATION_FAILED' } });
    expect(failed.failure.message).toContain('gone.html');
  });
});
