/** Agents described by schemas: both sides get their types from one place, and both sides are checked. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  agent,
  BatonRefusal,
  HandoffNotCompleted,
  isFinal,
  openBaton,
  type Baton,
  type BatonEvent,
  type Json,
} from '../../src/index.ts';
import { openTestBaton } from '../../src/testing.ts';
import { tempFolder } from '../support/processes.ts';

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

it('what is wrong does not compile', async () => {
  const { baton } = await openTestBaton();
  await using closing = baton;
  const compiled = (): unknown => [
    // @ts-expect-error A typo in a field of the input.
    closing.send(shop, { from: '@me', input: { ordre: 1 } }),
    // @ts-expect-error The input is missing.
    closing.send(shop, { from: '@me' }),
    // @ts-expect-error The agent says to whom.
    closing.send(shop, { from: '@me', to: '@other', input: { order: 1 } }),
    // @ts-expect-error There is no such state.
    closing.feed({ states: ['gone'] }),
    // @ts-expect-error Somebody has to be the sender.
    closing.sendMany([{ to: '@a' }], { priority: 'low' }),
    closing.sendMany([{ to: '@a' }], { from: '@me' }),
    closing.sendMany([{ from: '@me', to: '@a' }]),
  ];
  expect(compiled).toBeTypeOf('function');
  const told = (event: BatonEvent): string | undefined => {
    if (event.kind === 'fault') expectTypeOf(event.doing).toEqualTypeOf<string>();
    // @ts-expect-error There is no such event.
    return event.kind === 'nothing' ? '' : event.kind;
  };
  expect(told({ kind: 'feed-free' })).toBe('feed-free');
});

describe('the schemas of a typed agent are registered', () => {
  const works = async (baton: Baton, input: Json): Promise<void> => {
    await (await baton.send({ from: '@me', to: '@shop', input })).wait();
  };
  const refused = async (baton: Baton, input: Json): Promise<unknown> =>
    baton.send({ from: '@me', to: '@shop', input }).then(
      () => null,
      (error: unknown) => (error instanceof BatonRefusal ? error.code : error),
    );

  it('until its worker is started without them', async () => {
    const { baton } = await openTestBaton();
    await using closing = baton;
    const first = closing.work(shop, () => ({ shipped: true }));
    await works(baton, { order: 1 });
    expect(await refused(baton, { order: 'one' })).toBe('schema-violated');
    await first.stop();
    const untyped = baton.work('@shop', () => ({ shipped: true }));
    await works(baton, { order: 1 });
    expect(await refused(baton, { order: 'one' })).toBe('schema-violated');
    await untyped.stop();
    baton.work(agent('@shop'), () => ({ shipped: true }));
    await works(baton, { order: 1 });
    expect(await refused(baton, { order: 'one' })).toBeNull();
  });

  it('as far as every program can check them, and it is said where none can', async () => {
    const events: BatonEvent[] = [];
    const { baton } = await openTestBaton({ onEvent: (event) => events.push(event) });
    await using closing = baton;
    const input = z.object({ code: z.string().regex(/^(?!x)\w+$/), at: z.iso.datetime() });
    const strange = agent('@shop', { input, output: z.object({ at: z.date() }) });
    closing.work(strange, () => ({ at: new Date(0) }));
    await works(baton, { code: 'y', at: '2026-01-01T00:00:00Z' }).catch(() => undefined);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'schema-not-registered', agent: '@shop' }));
    expect(await refused(baton, { code: 'x' })).toBe('schema-violated');
    expect(await refused(baton, { code: 'x', at: '2026-01-01T00:00:00Z' })).toBeNull();
  });

  it('not by somebody who may not work for the agent', async () => {
    const { baton } = await openTestBaton({ as: '@other' });
    await using closing = baton;
    await closing.work(shop, () => ({ shipped: true })).stop();
    expect((await baton.send({ from: '@other', to: '@shop', input: { order: 'one' } })).state).toBe('offered');
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

describe('an agent described by JSON Schemas of the workspace', () => {
  const inWorkspace = async (): Promise<Baton> => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'schemas'));
    writeFileSync(join(folder, 'baton.yaml'), '');
    const order = { type: 'object', properties: { order: { $ref: 'number.json' } }, required: ['order'] };
    writeFileSync(join(folder, 'schemas/order.schema.json'), JSON.stringify(order));
    writeFileSync(join(folder, 'schemas/number.json'), JSON.stringify({ type: 'number' }));
    writeFileSync(join(folder, 'schemas/receipt.json'), JSON.stringify({ type: 'object', required: ['shipped'] }));
    return openBaton({ workspace: folder });
  };
  const named = agent<Order, { readonly shipped: boolean }>('@shop', { input: 'order', output: 'receipt' });

  it('refuses what they refuse: the sender at once, the answer as a failure, and every other sender too', async () => {
    await using baton = await inWorkspace();
    const wrong = { order: 'one' } as unknown as Order;
    const refused = await baton.send(named, { from: '@me', input: wrong }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'schema-violated', message: expect.stringContaining('/order') as string });
    baton.work(named, ({ input }) => (input.order > 0 ? { shipped: true } : ({} as { readonly shipped: boolean })));
    const sent = await baton.send(named, { from: '@me', input: { order: 1 } });
    expectTypeOf(sent.result).returns.resolves.toEqualTypeOf<{ readonly shipped: boolean }>();
    expect(await sent.result()).toEqual({ shipped: true });
    const failing = await baton.send(named, { from: '@me', input: { order: 0 }, retry: { max: 0 } });
    await expect(failing.result()).rejects.toBeInstanceOf(HandoffNotCompleted);
    // Registered: a sender that knows nothing of the schemas gets the same refusal.
    const untyped = baton.send({ from: '@me', to: '@shop', input: { order: 'one' } });
    await expect(untyped).rejects.toMatchObject({ code: 'schema-violated' });
  });

  it('says so when there is none of that name', async () => {
    await using baton = await inWorkspace();
    const unknown = baton.send(agent('@shop', { input: 'ordre' }), { from: '@me', input: {} });
    await expect(unknown).rejects.toMatchObject({ code: 'schema-unknown' });
  });
});
