import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { untilSays } from '../support/processes.ts';
import { databases, makeWorkspace, storyOf } from './workspaces.ts';

const ID_ALONE = /^hoff-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\n$/;

describe.each(databases)('baton send and wait on $name', (database) => {
  it('prints the id alone, or its state too for programs', async () => {
    const { run } = await makeWorkspace(database);
    const sent = await run(['send', '--from', '@me', '--to', '@react', '--input', '{"x":1}']);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(sent.stdout).toMatch(ID_ALONE);
    const told = await run(['send', '--json', '--from', '@me', '--to', '@react']);
    expect(told).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(told.stdout)).toEqual({ id: expect.stringMatching(/^hoff-/) as unknown, state: 'offered' });
  });

  it('Q13: send --wait is answered by a worker of another process', async () => {
    const { run, start } = await makeWorkspace(database);
    const worker = start(['work', '@react', '--', 'cat']);
    await untilSays(worker, 'working as @react');
    const beganMs = performance.now();
    const answered = await run(['send', '--from', '@me', '--to', '@react', '--input', '{"x":1}', '--wait']);
    const tookMs = Math.round(performance.now() - beganMs);
    console.log(`send --wait, answered by "work -- cat", took ${tookMs} ms: ${answered.stderr.trim()}`);

    expect(answered.code).toBe(0);
    expect(JSON.parse(answered.stdout)).toMatchObject({
      from: '@me',
      to: '@react',
      input: { x: 1 },
      state: 'accepted',
    });
    expect(answered.stderr).toMatch(
      /^(hoff-\S+) offered to @react; waiting\n\1 completed \(unverified\) after [0-9]+ ms, attempt 1\n$/,
    );
  });

  it('send --wait says at once what it waits for, on standard error, and nothing to programs', async () => {
    const { run, send, start } = await makeWorkspace(database);
    const args = ['send', '--from', 'me', '--to', 'nobody', '--wait'];
    const waiter = start(args);
    await untilSays(waiter, ' offered to @nobody; waiting\n');
    waiter.signal('SIGINT');
    expect(await waiter.ended).toMatchObject({ code: 130, stdout: '' });
    const blocked = start([...args, '--depends', await send('nobody')]);
    await untilSays(blocked, ' blocked; waiting\n');
    blocked.signal('SIGINT');
    expect(await blocked.ended).toMatchObject({ code: 130, stdout: '' });
    const worker = start(['work', 'react', '--', 'cat']);
    const told = await run(['send', '--from', 'me', '--to', 'react', '--wait', '--json']);
    worker.signal('SIGINT');
    expect(told).toMatchObject({ code: 0, stderr: '' });
  });

  it('wait prints the result for people and the whole handoff for programs', async () => {
    const { run, send, folder } = await makeWorkspace(database);
    mkdirSync(join(folder, 'schemas'));
    writeFileSync(join(folder, 'schemas', 's.json'), '{"type":"object"}');
    const id = await send('@react', { x: 1 }, [
      '--title',
      'A line',
      '--task',
      'T-1',
      '--priority',
      'high',
      '--schema',
      's',
    ]);
    const worked = await run(['work', '@react', '--once', '--', 'echo', '{"done":true}']);
    expect(worked).toMatchObject({ code: 0, stdout: '' });

    const waited = await run(['wait', id]);
    expect(waited).toMatchObject({ code: 0, stdout: '{\n  "done": true\n}\n' });
    const whole = await run(['wait', id, '--json']);
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(whole.stdout)).toMatchObject({
      id,
      state: 'completed',
      title: 'A line',
      task: 'T-1',
      priority: 'high',
      schema: 's',
      input: { x: 1 },
      result: { done: true },
      attempt: 1,
      fence: 1,
      revision: 4,
    });
    expect(whole.stdout.trim().split('\n')).toHaveLength(1);
  });

  it('takes the input from a file and from standard input', async () => {
    const { run, folder } = await makeWorkspace(database);
    writeFileSync(join(folder, 'input.json'), '\uFEFF{"from":"file"}\r\n');
    const send = ['send', '--from', 'me', '--to', 'react', '--input'];
    const fromFile = await run([...send, 'input.json']);
    const fromPipe = await run([...send, '-'], { input: Buffer.from('{"from": "pipe"}') });
    for (const [sent, from] of [
      [fromFile, 'file'],
      [fromPipe, 'pipe'],
    ] as const) {
      expect(sent.code).toBe(0);
      await run(['work', '@react', '--once', '--', 'cat']);
      const whole = await run(['wait', sent.stdout.trim(), '--json']);
      expect(JSON.parse(whole.stdout)).toMatchObject({ input: { from } });
    }
  });

  it('I5: the same request id repeats the answer; with other content it is refused', async () => {
    const { run } = await makeWorkspace(database);
    const send = ['send', '--from', 'me', '--to', 'react', '--request-id', 'K-1', '--input'];
    const first = await run([...send, '{"a":1,"b":2}']);
    const second = await run([...send, '{"b":2,"a":1}']);
    expect(second).toEqual(first);
    const other = await run([...send, '{"a":2}']);
    expect(other).toMatchObject({ code: 4, stdout: '' });
    expect(other.stderr).toContain('"K-1" was used for a request with other content');
  });

  it('Q9: what depends on another waits for it', async () => {
    const { run, send, start, open } = await makeWorkspace(database);
    const needed = await send('@first');
    const dependent = await send('@second', {}, ['--depends', needed]);
    const second = start(['work', '@second', '--once', '--', 'cat']);
    await untilSays(second, 'working as @');
    expect(await run(['work', '@first', '--once', '--', 'cat'])).toMatchObject({ code: 0 });
    expect(await second.ended).toMatchObject({ code: 0 });
    const waited = await run(['wait', dependent, '--json']);
    expect(JSON.parse(waited.stdout)).toMatchObject({ state: 'completed', dependsOn: [needed] });
    expect(await storyOf(await open(), dependent)).toContain('unblock by system');
  });

  it('wait gives up when its time is over, and says how to go on', async () => {
    const { run, send } = await makeWorkspace(database);
    const id = await send('@nobody');
    const waited = await run(['wait', id, '--timeout', '0.2']);
    expect(waited).toMatchObject({ code: 7, stdout: '' });
    expect(waited.stderr).toBe(`baton: ${id} was not settled within 0.2 s; wait again with: baton wait ${id}\n`);
    const told = await run(['wait', id, '--timeout', '0', '--json']);
    expect(told).toMatchObject({ code: 7, stdout: '' });
    expect(JSON.parse(told.stderr)).toMatchObject({ error: { code: 'timed-out', id } });
  });

  it('finds the workspace from a folder inside it', async () => {
    const { run, folder, send } = await makeWorkspace(database);
    const id = await send('@react');
    const deep = join(folder, 'deep', 'inside');
    mkdirSync(deep, { recursive: true });
    const waited = await run(['wait', id, '--timeout', '0'], { cwd: deep });
    expect(waited.code).toBe(7);
    const named = await run(['wait', id, '--timeout', '0', '--workspace', folder], { cwd: '/' });
    expect(named.code).toBe(7);
  });
});
