import { describe, expect, it } from 'vitest';
import { StoreFault } from '../../src/stores/store.ts';
import { sendEffectsInBackground, sendEffects, type SendResult, type EffectSender } from '../../src/engine/effects.ts';
import { until } from '../support/processes.ts';
import { effectOf, outboxWorld } from './outbox-world.ts';

const DAY_MS = 24 * 60 * 60_000;

function carrierOf(carry: EffectSender['send'], more: Partial<EffectSender> = {}): EffectSender {
  return { kind: 'test', send: carry, ...more };
}

function answering(...answers: readonly SendResult[]): { readonly carrier: EffectSender; readonly tried: string[] } {
  const tried: string[] = [];
  const carrier = carrierOf(async ({ key }) => {
    tried.push(key);
    return answers[Math.min(tried.length, answers.length) - 1] ?? 'done';
  });
  return { carrier, tried };
}

describe('carrying effects', () => {
  it('I9: does each once, and nothing where nothing is due', async () => {
    const { ctx, add } = outboxWorld();
    const { carrier, tried } = answering('done');
    expect(await sendEffects(ctx, [carrier])).toEqual({ carried: 0, postponed: 0, dropped: 0 });
    await add(effectOf('a'), effectOf('b'));
    expect(await sendEffects(ctx, [carrier])).toEqual({ carried: 2, postponed: 0, dropped: 0 });
    expect(await sendEffects(ctx, [carrier])).toEqual({ carried: 0, postponed: 0, dropped: 0 });
    expect(tried).toEqual(['a', 'b']);
  });

  it('I9: tries again after 1 s, then twice as long each time, up to five minutes', async () => {
    const { ctx, add, clock, dueKeys } = outboxWorld();
    await add(effectOf('a'));
    const { carrier, tried } = answering({ says: 'no' });
    for (const pauseS of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
      expect(await sendEffects(ctx, [carrier])).toEqual({ carried: 0, postponed: 1, dropped: 0 });
      clock.advance(pauseS * 1000 - 1);
      expect(await dueKeys()).toEqual([]);
      clock.advance(1);
      expect(await dueKeys()).toEqual(['a']);
    }
    expect(tried).toHaveLength(11);
  });

  it('waits longer where the target asks for it', async () => {
    const { ctx, add, clock, dueKeys } = outboxWorld();
    await add(effectOf('a'));
    await sendEffects(ctx, [answering({ says: 'busy', retryInMs: 60_000 }).carrier]);
    clock.advance(59_999);
    expect(await dueKeys()).toEqual([]);
    clock.advance(1);
    expect(await dueKeys()).toEqual(['a']);
  });

  it('gives up after three days of trying, and says so; time in which nobody tried does not count', async () => {
    const { ctx, add, clock, events } = outboxWorld();
    await add(effectOf('a'));
    const { carrier, tried } = answering({ says: 'no' });
    clock.advance(30 * DAY_MS);
    const beganMs = clock.nowMs();
    let dropped = 0;
    while (dropped === 0) {
      ({ dropped } = await sendEffects(ctx, [carrier]));
      if (dropped === 0) clock.advance(5 * 60_000);
    }
    expect(clock.nowMs() - beganMs).toBeGreaterThan(2.9 * DAY_MS);
    expect(clock.nowMs() - beganMs).toBeLessThan(3.2 * DAY_MS);
    expect(events.at(-1)).toMatchObject({ kind: 'effect-dropped', key: 'a', effect: 'test' });
    clock.advance(DAY_MS);
    expect(await sendEffects(ctx, [carrier])).toEqual({ carried: 0, postponed: 0, dropped: 0 });
    expect(tried.length).toBeGreaterThan(800);
  });

  it('gives up at once where the carrier says never', async () => {
    const { ctx, add, events } = outboxWorld();
    await add(effectOf('a'));
    expect(await sendEffects(ctx, [answering({ never: 'gone' }).carrier])).toMatchObject({ dropped: 1 });
    expect(events).toEqual([{ kind: 'effect-dropped', key: 'a', effect: 'test', says: 'gone' }]);
  });

  it('keeps an unknown kind for whoever knows it, with all its tries', async () => {
    const { ctx, add, clock } = outboxWorld();
    await add(effectOf('a', 'from-the-future'));
    for (let round = 0; round < 1_000; round += 1) {
      expect(await sendEffects(ctx, [])).toEqual({ carried: 0, postponed: 1, dropped: 0 });
      clock.advance(5 * 60_000);
    }
    const failing = carrierOf(async () => ({ says: 'no' }), { kind: 'from-the-future' });
    expect(await sendEffects(ctx, [failing])).toMatchObject({ postponed: 1 });
    clock.advance(1_000);
    const knowing = carrierOf(async () => 'done', { kind: 'from-the-future' });
    expect(await sendEffects(ctx, [knowing])).toMatchObject({ carried: 1 });
  });

  it('takes a carrier that throws for one that failed', async () => {
    const { ctx, add, events } = outboxWorld();
    await add(effectOf('a'));
    const throwing = carrierOf(async () => Promise.reject(new Error('oops')));
    expect(await sendEffects(ctx, [throwing])).toMatchObject({ postponed: 1 });
    expect(events).toMatchObject([{ kind: 'effect-postponed', says: 'oops' }]);
  });

  it('leaves a target that is down alone for the rest of the round, and goes on with the others', async () => {
    const { ctx, add } = outboxWorld();
    await add(...Array.from({ length: 50 }, (_, n) => effectOf(`down-${n}`)), effectOf('up-1'), effectOf('up-2'));
    const tried: string[] = [];
    const carrier = carrierOf(
      async ({ key }) => {
        tried.push(key);
        return key.startsWith('up') ? 'done' : { says: 'down', targetDown: true };
      },
      { laneOf: ({ key }) => key.slice(0, 2) },
    );
    expect(await sendEffects(ctx, [carrier])).toEqual({ carried: 2, postponed: 50, dropped: 0 });
    expect(tried.filter((key) => key.startsWith('down')).length).toBeLessThanOrEqual(2);
  });

  it('does not let a target that hangs hold up the others, and ends it when its time is up', async () => {
    const { ctx, add, pass, dueKeys } = outboxWorld();
    await add(...Array.from({ length: 20 }, (_, n) => effectOf(`slow-${n}`)), effectOf('quick'));
    const done: string[] = [];
    const aborted: string[] = [];
    const carrier = carrierOf(
      ({ key }, signal) => {
        if (key === 'quick') {
          done.push(key);
          return Promise.resolve('done');
        }
        // Deaf even to its signal.
        signal.addEventListener('abort', () => aborted.push(key));
        return new Promise(() => undefined);
      },
      { limitMs: 10_000, laneOf: ({ key }) => key.slice(0, 4) },
    );
    const round = sendEffects(ctx, [carrier]);
    await until('the quick one is done', () => done.includes('quick'));
    pass(10_000);
    await until('both slow ones are aborted', () => aborted.length === 2);
    pass(1_000);
    expect(await round).toEqual({ carried: 1, postponed: 20, dropped: 0 });
    expect(await dueKeys()).toEqual([]);
  });

  it('believes a carrier that says done with its last word', async () => {
    const { ctx, add, pass } = outboxWorld();
    await add(effectOf('a'));
    let began = false;
    const carrier = carrierOf((_, signal) => {
      began = true;
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve('done')));
    });
    const round = sendEffects(ctx, [carrier]);
    await until('it has begun', () => began);
    pass(30_000);
    expect(await round).toMatchObject({ carried: 1 });
  });

  it('is left alone by a second process, and due again when the first has died', async () => {
    const { ctx, add, clock, dueKeys } = outboxWorld();
    await add(effectOf('a'));
    let began = false;
    const hanging = carrierOf(() => {
      began = true;
      return new Promise(() => undefined);
    });
    void sendEffects(ctx, [hanging]);
    await until('it has begun', () => began);
    const { carrier, tried } = answering('done');
    await sendEffects(ctx, [carrier]);
    expect(tried).toEqual([]);
    clock.advance(62_000);
    expect(await dueKeys()).toEqual(['a']);
    expect(await sendEffects(ctx, [carrier])).toMatchObject({ carried: 1 });
  });

  it('stops at its signal: what was under way is due again at once, untried', async () => {
    const { ctx, add, dueKeys } = outboxWorld();
    await add(effectOf('a'), effectOf('b'), effectOf('c'));
    const stop = new AbortController();
    const waiting = carrierOf((_, signal) => {
      stop.abort();
      return new Promise((resolve) => {
        if (signal.aborted) resolve({ says: 'stopped' });
        signal.addEventListener('abort', () => resolve({ says: 'stopped' }));
      });
    });
    await sendEffects(ctx, [waiting], { signal: stop.signal });
    expect((await dueKeys()).toSorted()).toEqual(['a', 'b', 'c']);
    expect((await ctx.store.outbox.due(10)).every(({ tries = 0 }) => tries === 0)).toBe(true);
  });

  it('finishes the others when the store fails for one, and then throws', async () => {
    const { ctx, add } = outboxWorld();
    await add(effectOf('a'), effectOf('b'), effectOf('c'));
    const { outbox } = ctx.store;
    const failing = {
      ...outbox,
      done: async (keys: readonly string[]) => {
        if (keys.includes('a')) throw new StoreFault('full disk', 'unchanged');
        return outbox.done(keys);
      },
    };
    const { carrier, tried } = answering('done');
    const broken = { ...ctx, store: { ...ctx.store, outbox: failing } };
    await expect(sendEffects(broken, [carrier])).rejects.toThrow('full disk');
    expect(tried).toEqual(['a', 'b', 'c']);
  });
});

describe('carrying beside a loop', () => {
  it('does one round at a time, and ends with the loop', async () => {
    const { ctx, add, dueKeys } = outboxWorld();
    await add(effectOf('a'));
    let calls = 0;
    const carrier = carrierOf((_, signal) => {
      calls += 1;
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ says: 'stopped' })));
    });
    const beside = sendEffectsInBackground(ctx, [carrier]);
    beside.poll();
    beside.poll();
    await until('it carries', () => calls === 1);
    await beside.end();
    beside.poll();
    expect(calls).toBe(1);
    expect(await dueKeys()).toEqual(['a']);
  });

  it('reports a fault instead of throwing it', async () => {
    const { ctx, events } = outboxWorld();
    await ctx.store.close();
    const beside = sendEffectsInBackground(ctx, []);
    beside.poll();
    await beside.end();
    expect(events).toMatchObject([{ kind: 'fault', doing: 'sending effects' }]);
  });
});
