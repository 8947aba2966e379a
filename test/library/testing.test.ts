/** What people who test their own workers get: the real engine in memory, and time that they move. */
import { existsSync } from 'node:fs';
import * as z from 'zod';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  BatonError,
  BatonRefusal,
  BatonTimeout,
  HandlerFailure,
  HandoffNotCompleted,
  openBaton,
} from '../../src/index.ts';
import { openTestBaton, type TestBaton, type TestBatonOptions } from '../../src/testing.ts';
import { readDatabaseAddress } from '../../src/workspace/database-address.ts';

async function open(options: TestBatonOptions = {}): Promise<TestBaton> {
  const opened = await openTestBaton(options);
  onTestFinished(() => opened.baton.close());
  return opened;
}

describe('a Baton in memory', () => {
  it('hands over, works and answers without a file and without time', async () => {
    const { baton, clock } = await open();
    baton.work<{ n: number }, { doubled: number }>('@doubler', ({ input }) => ({ doubled: input.n * 2 }));
    const sent = await baton.send<{ n: number }, { doubled: number }>({
      from: '@me',
      to: '@doubler',
      input: { n: 21 },
    });
    const done = await sent.wait();
    expect(done).toMatchObject({ id: sent.id, state: 'completed', createdAt: '2026-01-01T00:00:00.000Z' });
    expect(done.result?.doubled).toBe(42);
    expect(clock.now()).toEqual(new Date('2026-01-01T00:00:00Z'));
  });

  it('I9: retries come when the clock is moved, at their time', async () => {
    const { baton, clock } = await open();
    const tried: string[] = [];
    baton.work('@flaky', () => {
      tried.push(clock.now().toISOString());
      if (tried.length < 3) throw new HandlerFailure('PROCESSING_ERROR', 'not yet');
      return 'done';
    });
    const sent = await baton.send({ from: '@me', to: '@flaky', retry: { delayMs: 30_000, multiplier: 2 } });
    await clock.advance(0);
    expect(tried).toHaveLength(1);
    await clock.advance(2 * 60_000);
    expect(tried.map((at) => at.slice(11, 19))).toEqual(['00:00:00', '00:00:30', '00:01:30']);
    expect((await sent.wait()).result).toBe('done');
  });

  it('follows the baton.yaml that it is given', async () => {
    const { baton } = await open({ configuration: 'agents: { busy: { limits: { incoming: 1 } } }' });
    await baton.send({ from: '@me', to: '@busy' });
    await expect(baton.send({ from: '@me', to: '@busy' })).rejects.toMatchObject({ code: 'limit-reached' });
    const waiting = await baton.send({ from: '@me', to: '@busy', waitForCapacity: true });
    expect(waiting.state).toBe('blocked');
    const asBefore = await baton.send({ from: '@me', to: '@busy', queue: true });
    expect(asBefore.state).toBe('blocked');
  });

  it('knows nothing of another one', async () => {
    const [{ baton: one }, { baton: other }] = [await open(), await open()];
    const { id } = await one.send({ from: '@me', to: '@you' });
    expect(await other.load(id)).toBeNull();
  });
});

describe("the database ':memory:'", () => {
  it('is a Baton in memory by the clock of the machine, and no file of that name', async () => {
    await using baton = await openBaton({ database: ':memory:' });
    baton.work('@doubler', ({ input }) => Number(input) * 2);
    const sent = await baton.send({ from: '@me', to: '@doubler', input: 21 });
    expect(await sent.result()).toBe(42);
    expect(existsSync(':memory:')).toBe(false);
    await using other = await openBaton({ database: ':memory:' });
    expect(await other.load(sent.id)).toBeNull();
  });

  it('has no folder', async () => {
    const opening = openBaton({ database: ':memory:', workspace: '.' });
    await expect(opening).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringContaining('leave out workspace') as string,
    });
  });

  it('is no address of a database for commands and baton.yaml', () => {
    expect(readDatabaseAddress(':memory:')).toBeNull();
  });
});

describe('drain', () => {
  it('lets workers do what is offered to them, retries and children included, and answers what was settled', async () => {
    const { baton, clock, drain } = await open();
    let failures = 0;
    baton.work('@parent', async ({ id, input }) => {
      const child = await baton.send({ from: '@parent', to: '@child', input, parent: id, retry: { delayMs: 60_000 } });
      return child.result();
    });
    baton.work('@child', ({ input }) => {
      failures += 1;
      if (failures < 3) throw new HandlerFailure('PROCESSING_ERROR', 'not yet');
      return [input, 'done'];
    });
    await baton.send({ from: '@me', to: '@parent', input: 7 });
    await baton.send({ from: '@me', to: '@nobody' });
    expect((await drain()).map(({ to, state, result }) => [to, state, result])).toEqual([
      ['@child', 'completed', [7, 'done']],
      ['@parent', 'completed', [7, 'done']],
    ]);
    expect(clock.now().getTime()).toBeGreaterThan(Date.parse('2026-01-01T00:01:00Z'));
    expect(await drain()).toEqual([]);
  });

  it('waits for what a handler waits for outside, and moves no time meanwhile', async () => {
    const { baton, clock, drain } = await open();
    baton.work('@slow', async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return clock.now().toISOString();
    });
    await baton.send({ from: '@me', to: '@slow', timeoutMs: 1_000 });
    expect(await drain()).toMatchObject([{ state: 'completed', result: '2026-01-01T00:00:00.000Z' }]);
  });

  it('follows dependencies and places, and leaves what waits for somebody else', async () => {
    const { baton, drain } = await open({ configuration: 'agents: { narrow: { limits: { incoming: 1 } } }' });
    const first = await baton.send({ from: '@me', to: '@wide', input: 'first' });
    const foreign = await baton.send({ from: '@me', to: '@nobody' });
    await baton.send({ from: '@me', to: '@wide', title: 'freed', dependsOn: [first.id] });
    await baton.send({ from: '@me', to: '@wide', title: 'left', dependsOn: [foreign.id] });
    for (const title of ['place 1', 'place 2', 'place 3']) {
      await baton.send({ from: '@me', to: '@narrow', title, waitForCapacity: true });
    }
    baton.work('@wide', ({ title }) => title);
    baton.work('@narrow', ({ title }) => title);
    const settled = (await drain()).map(({ result }) => result);
    expect(new Set(settled)).toEqual(new Set([null, 'freed', 'place 1', 'place 2', 'place 3']));
    expect(settled).toHaveLength(5);
  });
});

describe('the handle that send answers', () => {
  it('waits, cancels and tells what happened, and is the plain record otherwise', async () => {
    const { baton, clock } = await open();
    const sent = await baton.send({ from: '@me', to: '@you', input: 1 });
    expect(JSON.parse(JSON.stringify(sent))).toEqual({ ...sent });
    expect(Object.keys(sent)).not.toContain('wait');
    const waiting = sent.wait({ timeoutMs: 1_000 }).catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(await waiting).toBeInstanceOf(BatonTimeout);
    expect(await sent.cancel({ reason: 'changed my mind' })).toMatchObject({ state: 'cancelled' });
    expect((await sent.facts()).map(({ by, deed }) => `${by} ${deed}`)).toEqual(['@me create', '@me cancel']);
    await expect(sent.wait()).rejects.toThrow(HandoffNotCompleted);
  });

  it('every error extends BatonError and has a code', async () => {
    const { baton } = await open();
    const sent = await baton.send({ from: '@me', to: '@you' });
    await sent.cancel();
    const errors = await Promise.all(
      [
        sent.wait(),
        sent.cancel(),
        baton.load('../x'),
        baton.claim('@you', { leaseMs: 0.5 }),
        baton.list({ after: 'nowhere' }),
      ].map((each) => each.then(String, (error: unknown) => error)),
    );
    expect(errors.map((error) => error instanceof BatonError && error.code)).toEqual([
      'CANCELLED',
      'move-not-allowed',
      'bad-request',
      'bad-request',
      'fault',
    ]);
  });
});

describe("schemas of the user's own validator", () => {
  const Order = z.object({ count: z.number().int() });
  const Receipt = z.object({ total: z.number() });

  it('are enforced where work is sent, done and waited for, and give the types', async () => {
    const { baton } = await open();
    const wrong = baton.send({ from: '@me', to: '@shop', input: { count: 1.5 }, inputSchema: Order });
    await expect(wrong).rejects.toMatchObject({
      code: 'schema-violated',
      details: { violations: [{ path: '/count' }] },
    });

    baton.work('@shop', ({ input }) => ({ total: input.count === 13 ? Number.NaN : input.count * 5 }), {
      inputSchema: Order,
      outputSchema: Receipt,
    });
    const send = async (input: object): Promise<unknown> => {
      const sent = await baton.send({ from: '@me', to: '@shop', input, retry: { max: 0 } });
      const done = sent.wait({ resultSchema: Receipt });
      return done.then(
        ({ result }) => result?.total,
        (error: unknown) =>
          error instanceof HandoffNotCompleted || error instanceof BatonRefusal ? error.code : error,
      );
    };
    expect(await send({ count: 2 })).toBe(10);
    expect(await send({ count: 'many' })).toBe('VALIDATION_FAILED');
    expect(await send({ count: 13 })).toBe('VALIDATION_FAILED');
  });
});
