/** What fails for good goes to whoever its sender has named for that, once. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { HandlerFailure, type Json, type JsonObject } from '../../src/index.ts';
import { openTestBaton, type TestBaton } from '../../src/testing.ts';
import { sendEffects } from '../../src/engine/effects.ts';
import { deadLetterSender } from '../../src/engine/dead-letters.ts';
import { agentOf } from '../contract/builders.ts';
import { engineWorld, STORES } from './engine-world.ts';

async function open(): Promise<TestBaton> {
  const opened = await openTestBaton();
  onTestFinished(() => opened.baton.close());
  return opened;
}

describe('onFailed', () => {
  it('hands what failed for good to the agent that it names, with input and failure', async () => {
    const { baton, clock, drain } = await open();
    // Beyond 2^53: a double would end in 2.
    const order = 9_007_199_254_740_993n as unknown as Json;
    baton.work('@flaky', () => {
      throw new HandlerFailure('PROCESSING_ERROR', 'no luck');
    });
    const sent = await baton.send({
      from: '@me',
      to: '@flaky',
      title: 'Ship it',
      input: { order },
      onFailed: '@fixer',
      retry: { max: 1 },
    });
    expect(sent.onFailed).toBe('@fixer');
    await drain();
    await clock.advance(2_000);
    const { items } = await baton.list({ to: '@fixer' });
    expect(items).toMatchObject([
      { from: '@me', to: '@fixer', state: 'offered', title: 'failed: Ship it', parent: sent.id, root: sent.id },
    ]);
    expect((await baton.load(items[0]?.id ?? ''))?.input).toEqual({
      handoff: sent.id,
      from: '@me',
      to: '@flaky',
      state: 'failed',
      attempt: 2,
      failure: { code: 'PROCESSING_ERROR', message: 'no luck' },
      input: { order },
    });
  });

  it('also what is rejected, and what comes back to its sender comes from whoever had it; not what is cancelled', async () => {
    const { baton, clock } = await open();
    const stand = baton.work('@other', () => null);
    const rejected = await baton.send({ from: '@me', to: '@you', onFailed: '@me' });
    const cancelled = await baton.send({ from: '@me', to: '@you', onFailed: '@fixer' });
    await baton.reject(rejected.id, { as: '@you', type: 'skill_gap', reason: 'cannot' });
    await cancelled.cancel();
    await clock.advance(2_000);
    expect((await baton.list({ to: '@me' })).items).toMatchObject([{ from: '@you', parent: rejected.id }]);
    expect((await baton.list({ to: '@fixer' })).items).toEqual([]);
    await stand.stop();
  });
});

describe('a parent with children', () => {
  it('gets the results of its children, all in one chain', async () => {
    const { baton, drain } = await open();
    baton.work('@render', ({ input }) => [input, 'rendered']);
    baton.work<JsonObject, Json>('@merge', ({ input }) => input);
    const above = await baton.send({ from: '@me', to: '@nobody' });
    const { parent, children } = await baton.sendWithChildren(
      { from: '@me', to: '@merge', input: { book: 1 }, parent: above.id },
      [
        { to: '@render', input: 1 },
        { to: '@render', input: 2, from: '@me' },
      ],
    );
    expect(parent).toMatchObject({ state: 'blocked', parent: above.id, root: above.id });
    expect(children).toMatchObject([
      { from: '@me', state: 'offered', parent: parent.id, root: above.id },
      { from: '@me', state: 'offered', parent: parent.id, root: above.id },
    ]);
    await drain();
    const { dependencies, book } = (await parent.result()) as { dependencies: JsonObject; book: number };
    expect(book).toBe(1);
    const [one, two] = children.map(({ id }) => JSON.stringify(dependencies[id]));
    expect(one).toContain('[1,"rendered"]');
    expect(two).toContain('[2,"rendered"]');
  });

  it('fails with a child, runs all the same, or waits, as its sender says', async () => {
    const { baton, drain } = await open();
    baton.work('@merge', () => 'merged');
    baton.work('@render', () => {
      throw new HandlerFailure('VALIDATION_FAILED', 'torn');
    });
    const states = await Promise.all(
      (['fail', 'run', 'wait'] as const).map(async (onDependencyFailure) => {
        const sent = await baton.sendWithChildren({ from: '@me', to: '@merge', onDependencyFailure }, [
          { to: '@render', retry: { max: 0 } },
        ]);
        return sent.parent.id;
      }),
    );
    await drain();
    const ended = await Promise.all(states.map(async (id) => (await baton.load(id))?.state));
    expect(ended).toEqual(['failed', 'completed', 'blocked']);
  });

  it('is sent with all of them or not at all', async () => {
    const { baton } = await open();
    const wrong = baton.sendWithChildren({ from: '@me', to: '@merge' }, [{ to: '@a' }, { to: '../b' }]);
    await expect(wrong).rejects.toMatchObject({ code: 'bad-request' });
    expect((await baton.list()).items).toEqual([]);
  });
});

it('sendMany says once what holds for all', async () => {
  const { baton } = await open();
  const above = await baton.send({ from: '@me', to: '@you' });
  const sent = await baton.sendMany([{ to: '@a' }, { to: '@b', priority: 'low' }], {
    from: '@me',
    parent: above.id,
    priority: 'high',
  });
  expect(sent).toMatchObject([
    { from: '@me', to: '@a', priority: 'high', parent: above.id },
    { from: '@me', to: '@b', priority: 'low', parent: above.id },
  ]);
});

describe.each(STORES)('a dead letter on %s', (kind) => {
  it('I4: is sent once, however often it is tried', async () => {
    const { ctx, send, fails } = engineWorld(kind, { notificationsFor: () => [] });
    const { id } = await send({ terms: { onFailed: agentOf('fixer') } });
    await fails(id);
    const [effect] = await ctx.store.outbox.due(10);
    const sender = deadLetterSender(ctx);
    expect(await sender.send(effect!, new AbortController().signal)).toBe('done');
    await sendEffects(ctx, [sender]);
    expect(await ctx.store.outbox.due(10)).toEqual([]);
    const { items } = await ctx.store.find({ by: 'filter', to: agentOf('fixer'), max: 10 });
    expect(items).toHaveLength(1);
  });
});
