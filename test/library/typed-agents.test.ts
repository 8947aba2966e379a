/** Agents described by schemas: both sides get their types from one place, and both sides are checked. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { agent, BatonRefusal, HandoffNotCompleted, isFinal } from '../../src/index.ts';
import { openTestBaton } from '../../src/testing.ts';

interface Order {
  readonly order: number;
}

const shop = agent('@shop', { input: z.object({ order: z.number() }), output: z.object({ shipped: z.boolean() }) });

describe('a typed agent', () => {
  it('gives handler, handle and result their types', async () => {
    const { baton } = await openTestBaton();
    await using closing = baton;
    closing.work(shop, ({ input }) => {
      expectTypeOf(input).toEqualTypeOf<{ order: number }>();
      return { shipped: input.order > 0 };
    });
    const sent = await baton.send(shop, { from: '@me', input: { order: 1 } satisfies Order });
    const result = await sent.result();
    expectTypeOf(result).toEqualTypeOf<{ shipped: boolean }>();
    expect(result).toEqual({ shipped: true });
    expect(isFinal((await baton.load(sent.id))?.state ?? 'draft')).toBe(true);
  });

  it('refuses an input that its schema refuses, before anything is sent', async () => {
    const { baton } = await openTestBaton();
    // @ts-expect-error A number is wanted.
    const refused = await baton.send(shop, { from: '@me', input: { order: 'one' } }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(BatonRefusal);
    expect((refused as BatonRefusal).message).toContain('/order');
    expect((await baton.list()).items).toEqual([]);
    await baton.close();
  });

  it('fails an attempt whose answer its schema refuses', async () => {
    const { baton } = await openTestBaton();
    // @ts-expect-error `shipped` is not a text.
    baton.work(shop, () => ({ shipped: 'yes' }));
    const sent = await baton.send(shop, { from: '@me', input: { order: 1 }, retry: { max: 0 } });
    const failed = await sent.result().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(HandoffNotCompleted);
    expect((await baton.load(sent.id))?.failure).toMatchObject({ code: 'VALIDATION_FAILED' });
    await baton.close();
  });

  it('takes interfaces of the user without a schema', async () => {
    const { baton } = await openTestBaton();
    const plain = agent<Order, { readonly shipped: boolean }>('@shop');
    baton.work(plain, ({ input }) => ({ shipped: input.order > 0 }));
    const sent = await baton.send(plain, { from: '@me', input: { order: 0 } });
    expectTypeOf(sent.result).returns.resolves.toEqualTypeOf<{ readonly shipped: boolean }>();
    expect(await sent.result()).toEqual({ shipped: false });
    await baton.close();
  });
});

it('a worker that cannot start says so, also when nobody asks for its end', async () => {
  let said = (event: unknown): void => void event;
  const event = new Promise<unknown>((resolve) => (said = resolve));
  const { baton } = await openTestBaton({ configuration: 'identity: strict\n', onEvent: said });
  const worker = baton.work('@shop', () => 1);
  expect(await event).toMatchObject({
    kind: 'worker-ended',
    agent: '@shop',
    says: expect.stringContaining('token') as string,
  });
  await expect(worker.done).rejects.toThrow(/token/);
  await baton.close();
});
