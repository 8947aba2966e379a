import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/domain/decision.ts';
import { sendEffects, type EffectSender } from '../../src/engine/effects.ts';
import type { Resolve } from '../../src/adapters/notifications/address-guard.ts';
import { webhookSender, type WebhookOptions } from '../../src/adapters/notifications/webhook.ts';
import { until } from '../support/processes.ts';
import { effectOf, outboxWorld, receiver, type OutboxWorld } from './outbox-world.ts';

function hook(key: string, url: string, more: Readonly<Record<string, string>> = {}): Effect {
  return effectOf(key, 'webhook', { url, event: 'handoff.completed', id: `d-${key}`, body: { key }, ...more });
}

function carrierIn({ clock }: OutboxWorld, more: Partial<WebhookOptions> = {}): EffectSender {
  return webhookSender({ clock, allowHosts: ['127.0.0.0/8'], secretOf: () => null, ...more });
}

describe('a webhook', () => {
  it('is one POST with JSON, a key, its event and a signature that the receiver can check', async () => {
    const world = outboxWorld();
    const { port, received } = await receiver();
    await world.add(hook('k-1', `http://127.0.0.1:${port}/hooks?x=1`));
    const carrier = carrierIn(world, { secretOf: ({ url }) => (url.includes('/hooks') ? 'top secret' : null) });
    expect(await sendEffects(world.ctx, [carrier])).toMatchObject({ carried: 1 });
    const [{ method, path, headers, text }] = received as [(typeof received)[number]];
    expect({ method, path }).toEqual({ method: 'POST', path: '/hooks?x=1' });
    expect(JSON.parse(text)).toEqual({ id: 'd-k-1', event: 'handoff.completed', body: { key: 'k-1' } });
    expect(headers).toMatchObject({
      host: `127.0.0.1:${port}`,
      'content-type': 'application/json',
      'idempotency-key': 'k-1',
      'baton-event': 'handoff.completed',
      'baton-delivery': 'd-k-1',
    });
    const seconds = Math.floor(world.clock.nowMs() / 1000);
    const mac = createHmac('sha256', 'top secret').update(`${seconds}.${text}`).digest('hex');
    expect(headers['baton-signature']).toBe(`t=${seconds},v1=${mac}`);
    expect(headers['webhook-signature']).toBe(standardSignature('top secret', `d-k-1.${seconds}.${text}`));
  });

  it.each([
    { form: 'of Standard Webhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    { form: 'of any other form', secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
  ])('is signed as Standard Webhooks has it, by a secret $form', async ({ secret }) => {
    const world = outboxWorld();
    const { port, received } = await receiver();
    await world.add(hook('k-1', `http://127.0.0.1:${port}/`));
    await sendEffects(world.ctx, [carrierIn(world, { secretOf: () => secret })]);
    const [{ headers, text }] = received as [(typeof received)[number]];
    const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature } = headers;
    expect([id, seconds]).toEqual(['d-k-1', String(Math.floor(world.clock.nowMs() / 1000))]);
    const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
    expect(signature).toBe(standardSignature(key, `d-k-1.${String(seconds)}.${text}`));
  });

  it('arrives exactly once by key when the receiver was down and comes back', async () => {
    const world = outboxWorld();
    const { port, stop } = await receiver();
    await stop();
    const keys = Array.from({ length: 10 }, (_, n) => `k-${n}`);
    await world.add(...keys.map((key) => hook(key, `http://127.0.0.1:${port}/`)));
    const carrier = carrierIn(world);
    for (let round = 0; round < 5; round += 1) {
      expect(await sendEffects(world.ctx, [carrier])).toEqual({ carried: 0, postponed: 10, dropped: 0 });
      world.clock.advance(5 * 60_000);
    }
    const back = await receiver(undefined, port);
    expect(await sendEffects(world.ctx, [carrier])).toMatchObject({ carried: 10 });
    world.clock.advance(5 * 60_000);
    await sendEffects(world.ctx, [carrier]);
    expect(back.received).toHaveLength(10);
    expect(new Set(back.received.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set(keys));
  });

  it('is tried again with the same key and id after 500', async () => {
    const world = outboxWorld();
    const { port, received } = await receiver((response, count) => {
      response.statusCode = count < 3 ? 500 : 200;
      response.end();
    });
    await world.add(hook('k', `http://127.0.0.1:${port}/`));
    const carrier = carrierIn(world);
    for (const ending of ['postponed', 'postponed', 'carried'] as const) {
      expect((await sendEffects(world.ctx, [carrier]))[ending]).toBe(1);
      world.clock.advance(60_000);
    }
    expect(received.map(({ headers }) => [headers['idempotency-key'], headers['baton-delivery']])).toEqual(
      Array.from({ length: 3 }, () => ['k', 'd-k']),
    );
  });

  it('is postponed when the receiver hangs before it answers', async () => {
    const world = outboxWorld();
    const { port, received } = await receiver(() => undefined);
    await world.add(hook('k', `http://127.0.0.1:${port}/`));
    const round = sendEffects(world.ctx, [carrierIn(world)]);
    await until('the receiver has it', () => received.length === 1);
    world.pass(10_000);
    expect(await round).toMatchObject({ postponed: 1 });
    expect(world.events).toMatchObject([{ says: `127.0.0.1:${port}: no answer in time` }]);
  });

  it('is done when the receiver says 200 and then hangs', async () => {
    const world = outboxWorld();
    let answered = false;
    const { port } = await receiver((response) => {
      response.writeHead(200).write('x', () => {
        answered = true;
      });
    });
    await world.add(hook('k', `http://127.0.0.1:${port}/`));
    const round = sendEffects(world.ctx, [carrierIn(world)]);
    await until('half of an answer is written', () => answered);
    // What is written lies in the kernel: a few turns of the event loop bring it here.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((soon) => setImmediate(soon));
    world.pass(10_000);
    expect(await round).toMatchObject({ carried: 1 });
  });

  it('reads no more of a huge answer than it has to', async () => {
    const world = outboxWorld();
    let closed = false;
    const { port } = await receiver((response) => {
      const pour = (): void => void response.write(Buffer.alloc(64 * 1024), (error) => error ?? setImmediate(pour));
      response.on('close', () => (closed = true));
      pour();
    });
    await world.add(hook('k', `http://127.0.0.1:${port}/`));
    expect(await sendEffects(world.ctx, [carrierIn(world)])).toMatchObject({ carried: 1 });
    await until('the receiver is rid of us', () => closed);
  });

  it('follows no redirect, and gives up after a few', async () => {
    const world = outboxWorld();
    const inside = await receiver();
    const { port, received } = await receiver((response) => {
      response.writeHead(307, { Location: `http://127.0.0.1:${inside.port}/inside` }).end();
    });
    await world.add(hook('k', `http://127.0.0.1:${port}/`));
    const carrier = carrierIn(world);
    for (let round = 0; round < 10; round += 1) {
      await sendEffects(world.ctx, [carrier]);
      world.clock.advance(5 * 60_000);
    }
    expect(inside.received).toEqual([]);
    expect(received).toHaveLength(5);
    expect(world.events.at(-1)).toMatchObject({ kind: 'effect-dropped' });
  });

  it.each([
    [410, 1],
    [404, 5],
    [400, 5],
    [408, 10],
    [425, 10],
    [429, 10],
    [503, 10],
  ])('answered by %i is tried %i times out of ten', async (status, tries) => {
    const world = outboxWorld();
    const { port, received } = await receiver((response) => void response.writeHead(status).end());
    await world.add(hook('k', `http://127.0.0.1:${port}/`));
    const carrier = carrierIn(world);
    for (let round = 0; round < 10; round += 1) {
      await sendEffects(world.ctx, [carrier]);
      world.clock.advance(5 * 60_000);
    }
    expect(received).toHaveLength(tries);
  });

  it.each([
    ['120', 120_000],
    ['Thu, 01 Jan 2026 00:02:00 GMT', 120_000],
    ['99999999', 60 * 60_000],
    ['-5', 1_000],
    ['soon', 1_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 1_000],
  ])('waits as long as Retry-After: %s says, within bounds', async (value, waitMs) => {
    const world = outboxWorld();
    const { port } = await receiver((response) => void response.writeHead(429, { 'Retry-After': value }).end());
    await world.add(hook('k', `http://127.0.0.1:${port}/`));
    await sendEffects(world.ctx, [carrierIn(world)]);
    world.clock.advance(waitMs - 1);
    expect(await world.dueKeys()).toEqual([]);
    world.clock.advance(1);
    expect(await world.dueKeys()).toEqual(['k']);
  });

  it('keeps the keys of the outbox apart, however they are written', async () => {
    const world = outboxWorld();
    const { port, received } = await receiver();
    const keys = ['a\r\nX-Evil: 1', 'ü', 'b c'];
    await world.add(...keys.map((key) => hook(key, `http://127.0.0.1:${port}/`, { id: 'd' })));
    expect(await sendEffects(world.ctx, [carrierIn(world)])).toMatchObject({ carried: 3 });
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(3);
    expect(received.every(({ headers }) => headers['x-evil'] === undefined)).toBe(true);
  });
});

describe('a webhook that must not be', () => {
  it.each([
    [{ url: 'ftp://example.test/' }, /neither http/],
    [{ url: 'file:///etc/passwd' }, /neither http/],
    [{ url: 'http://user:hunter2@example.test/' }, /password/],
    [{ url: 'http://169.254.169.254/' }, /not a public address/],
    [{ url: 'http://[::1]/' }, /not a public address/],
    [{ url: 'nonsense' }, /payload/],
    [{ event: 'a\r\nb' }, /payload/],
    [{ id: '' }, /payload/],
  ])('is dropped with the reason: %j', async (more, says) => {
    const world = outboxWorld();
    await world.add(hook('k', 'http://example.test/', more));
    const carrier = carrierIn(world, { resolve: async () => Promise.reject(new Error('nobody may ask')) });
    expect(await sendEffects(world.ctx, [carrier])).toMatchObject({ dropped: 1 });
    const [event] = world.events;
    expect(event).toMatchObject({ kind: 'effect-dropped', says: expect.stringMatching(says) as unknown });
    expect(JSON.stringify(event)).not.toContain('hunter2');
  });

  it('connects to the address that was judged, not to a second answer of the name service', async () => {
    const world = outboxWorld();
    const inside = await receiver();
    let asked = 0;
    // Public at the first look, ours at the second: what a rebinding name service does.
    const rebinding: Resolve = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }];
    };
    await world.add(hook('k', `http://rebinding.test:${inside.port}/`));
    const carrier = carrierIn(world, { allowHosts: ['127.0.0.2'], resolve: rebinding });
    expect(await sendEffects(world.ctx, [carrier])).toMatchObject({ postponed: 1 });
    expect(asked).toBe(1);
    world.clock.advance(60_000);
    expect(await sendEffects(world.ctx, [carrier])).toMatchObject({ postponed: 1 });
    expect(asked).toBe(2);
    expect(inside.received).toEqual([]);
  });

  it('reaches an allowed name at the address that was judged, with its name in the Host header', async () => {
    const world = outboxWorld();
    const { port, received } = await receiver();
    await world.add(hook('k', `http://hooks.test:${port}/`));
    const resolve: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const carrier = carrierIn(world, { allowHosts: ['hooks.test'], resolve });
    expect(await sendEffects(world.ctx, [carrier])).toMatchObject({ carried: 1 });
    expect(received[0]?.headers.host).toBe(`hooks.test:${port}`);
  });

  it('does not wait for a name service that never answers', async () => {
    const world = outboxWorld();
    await world.add(hook('k', 'http://slow.test/'));
    let asked = false;
    const resolve: Resolve = () => {
      asked = true;
      return new Promise(() => undefined);
    };
    const round = sendEffects(world.ctx, [carrierIn(world, { resolve })]);
    await until('the name service is asked', () => asked);
    world.pass(10_000);
    expect(await round).toMatchObject({ postponed: 1 });
  });
});

function standardSignature(key: string | Buffer, signed: string): string {
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
