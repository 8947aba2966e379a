/** Agents work for long: how long an attempt may take and how often it is tried again, on a clock that a test moves. */
import { expect, it } from 'vitest';
import { SESSION_LEASE_MS } from '../../src/domain/deadlines.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { AGENT_TERMS } from '../../src/domain/retry-policy.ts';
import { PostponedAttempt } from '../../src/engine/attempt.ts';
import { NO_RULES, type Context } from '../../src/engine/context.ts';
import { factsOf } from '../../src/engine/handoffs/read.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { work, type Handler, type WorkOptions } from '../../src/engine/work.ts';
import { present } from '../../src/foundation/assert.ts';
import { readAgentId, type HandoffId } from '../../src/domain/names.ts';
import { openMemoryStore } from '../../src/stores/memory/memory-store.ts';
import { processOf } from '../contract/builders.ts';
import { manualClock } from '../contract/manual-clock.ts';

const [BOSS, CODER] = ['boss', 'coder'].map((name) => present(readAgentId(name), name)) as [never, never];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface World {
  readonly ctx: Context;
  /** Moves the clock on, and wakes who slept until then. */
  advance(ms: number): Promise<void>;
}

function worldOf(): World {
  const clock = manualClock();
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  const ctx: Context = {
    store: openMemoryStore({ clock, limits: NO_LIMITS }),
    clock,
    timers: {
      sleep: (ms, signal) =>
        new Promise((wake) => {
          const sleeper = { until: clock.monotonicMs() + ms, wake };
          sleepers.add(sleeper);
          signal?.addEventListener('abort', () => wake(), { once: true });
        }),
    },
    random: { bytes: (count) => new Uint8Array(count).map((_each, at) => at), unit: () => 0.5 },
    liveness: {
      self: processOf({ pid: 1 }),
      of: () => 'alive',
      isStopped: () => false,
      endGroup: async () => undefined,
    },
    heartbeat: { start: async () => ({ stop: async () => undefined }) },
    leaseMs: SESSION_LEASE_MS,
    rules: NO_RULES,
    report: () => undefined,
  };
  return {
    ctx,
    advance: async (ms) => {
      clock.advance(ms);
      for (const sleeper of sleepers) {
        if (sleeper.until > clock.monotonicMs()) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
      await settled();
    },
  };
}

/** Everything that only waits for its turn has had it. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((next) => setImmediate(next));
}

async function offered({ ctx }: World, terms = {}): Promise<HandoffId> {
  const sent = await send(ctx, agentPrincipal(BOSS), { from: BOSS, to: CODER, input: {}, terms });
  if (!sent.ok) throw new Error(sent.refusal.code);
  return sent.value.id;
}

async function storyOf({ ctx }: World, id: HandoffId): Promise<readonly string[]> {
  return (await factsOf(ctx, id)).map(({ deed, detail }) => {
    const { code } = (detail === '' ? {} : JSON.parse(detail)) as { readonly code?: string };
    return code === undefined ? deed : `${deed} ${code}`;
  });
}

/** A worker that is stopped at the end of the test. */
async function atWork(
  { ctx }: World,
  handler: Handler,
  options: Partial<WorkOptions> = {},
): Promise<() => Promise<unknown>> {
  const stop = new AbortController();
  const done = work(ctx, { agent: CODER, handler, stop: stop.signal, abort: stop.signal, ...options });
  await settled();
  return async () => {
    stop.abort();
    await settled();
    return done;
  };
}

it('an agent that works for 20 minutes is done; a command would have had five', async () => {
  for (const [terms, last] of [
    [AGENT_TERMS, 'complete'],
    [undefined, 'retry TIMEOUT'],
  ] as const) {
    const world = worldOf();
    const id = await offered(world);
    const handler: Handler = async () => {
      await world.ctx.timers.sleep(20 * MINUTE);
      return { done: true };
    };
    const end = await atWork(world, handler, terms === undefined ? {} : { terms });
    for (let minute = 0; minute < 21; minute += 1) await world.advance(MINUTE);
    await end();
    expect((await storyOf(world, id)).at(-1)).toBe(last);
  }
});

it('an agent that never answers has two hours, is tried once more, and then has failed', async () => {
  const world = worldOf();
  const id = await offered(world);
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const end = await atWork(world, () => new Promise(() => undefined), { terms: AGENT_TERMS, attemptsMax: 1 });
    await world.advance(2 * HOUR - 1);
    expect((await storyOf(world, id)).at(-1)).toBe('accept');
    await world.advance(1);
    // A handler that does not listen is waited for a moment.
    await world.advance(MINUTE);
    await end();
    // The second attempt has to wait for half a minute.
    await world.advance(MINUTE);
  }
  expect(await storyOf(world, id)).toEqual(['create', 'accept', 'retry TIMEOUT', 'accept', 'fail TIMEOUT']);
});

it("the sender's own time and retries hold for agents too", async () => {
  const world = worldOf();
  const retry = { retriesMax: 0, delayMs: 0, multiplier: 1, capMs: 0, retryOn: ['TIMEOUT'] };
  const id = await offered(world, { attemptTimeoutMs: MINUTE, retry });
  const end = await atWork(world, () => new Promise(() => undefined), { terms: AGENT_TERMS });
  for (let step = 0; step < 4; step += 1) await world.advance(MINUTE / 2);
  await end();
  expect(await storyOf(world, id)).toEqual(['create', 'accept', 'fail TIMEOUT']);
});

it('a usage limit is no failed attempt: it is offered again when the limit ends, as often as it takes', async () => {
  const world = worldOf();
  const id = await offered(world);
  let runs = 0;
  const handler: Handler = async (_claimed, { note }) => {
    runs += 1;
    note({ agent: { vendor: 'codex' } });
    if (runs <= 5) throw new PostponedAttempt(HOUR, 'usage limit of codex');
    return { done: true };
  };
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const end = await atWork(world, handler, { terms: AGENT_TERMS, attemptsMax: 1 });
    await end();
    expect(runs).toBe(attempt);
    await world.advance(HOUR);
  }
  const whole = present(await world.ctx.store.load(id), 'the handoff');
  expect(whole.handoff).toMatchObject({ state: 'completed', attempt: 6, excused: 5 });
  const [, , released] = await factsOf(world.ctx, id);
  expect(JSON.parse(released?.detail ?? '')).toEqual({ reason: 'usage limit of codex', agent: { vendor: 'codex' } });
});
