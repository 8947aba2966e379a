/** A Baton for the tests of its users: in memory, with a clock that only the test moves. */
import { SESSION_LEASE_MS } from '../domain/deadlines.ts';
import { NO_LIMITS } from '../domain/limits.ts';
import type { Context, Heartbeat, Liveness } from '../engine/context.ts';
import { systemRandom } from '../foundation/random.ts';
import type { Baton, OpenBatonOptions } from '../interfaces/library/baton.ts';
import { openBatonWith } from '../interfaces/library/open-baton.ts';
import { openMemoryStore } from '../stores/memory/memory-store.ts';
import type { Store } from '../stores/store.ts';
import { parseConfiguration } from '../workspace/configuration.ts';
import { openPolicy } from '../workspace/policy.ts';
import { openTestClock, type TestClock } from './test-clock.ts';
import { workspaceRules } from './workspace-rules.ts';

export interface TestBatonOptions extends Pick<OpenBatonOptions, 'as' | 'onEvent'> {
  /** The text of a `baton.yaml`, for agents, limits, roles, retries and clocks. @default nothing is configured */
  readonly configuration?: string;
  /** Where the clock begins. @default 2026-01-01T00:00:00Z */
  readonly now?: Date;
}

export interface TestBaton {
  readonly baton: Baton;
  readonly clock: TestClock;
}

const BEGINNING = new Date('2026-01-01T00:00:00Z');

/**
 * Opens a Baton that keeps everything in memory, for tests of your own workers and senders. Nothing is written to disk,
 * nothing is shared between two of them, and no time passes unless `clock.advance` is called: retries, deadlines, leases
 * and timeouts come when the test says so.
 *
 * @example
 * const { baton, clock } = await openTestBaton();
 * baton.work('@shop', shipOrder);
 * const sent = await baton.send({ from: '@me', to: '@shop', input: { order: 1 } });
 * await clock.advance(60_000);
 * expect((await sent.wait()).result).toEqual({ shipped: true });
 * await baton.close();
 */
export async function openTestBaton(options: TestBatonOptions = {}): Promise<TestBaton> {
  const { configuration, now = BEGINNING, ...own } = options;
  const { clock, time } = openTestClock(now);
  const parsed = configuration === undefined ? null : parseConfiguration(configuration, 'baton.yaml');
  const limits = parsed?.configuration.limits ?? NO_LIMITS;
  const store = openMemoryStore({ clock: time, timers: time, limits });
  const policy = await openPolicy(store, parsed?.text ?? null);
  const refresh = async (): Promise<void> => void (await policy.refresh());
  const ctx: Context = {
    store,
    clock: time,
    timers: time,
    random: systemRandom,
    liveness: ALWAYS_ALIVE,
    heartbeat: beating(store, time.beforeEachStep),
    leaseMs: policy.configuration.leaseMs ?? SESSION_LEASE_MS,
    rules: workspaceRules(null, () => policy.configuration, refresh, store),
    report: own.onEvent ?? (() => undefined),
  };
  const opened = {
    ctx,
    workspace: null,
    policy,
    isReplaced: false,
    get configuration() {
      return policy.configuration;
    },
    close: () => store.close(),
  };
  // A test is nobody else's: variables of the environment have no say.
  const baton = await openBatonWith(async () => opened, { ...own, token: '' });
  return { baton, clock };
}

const ALWAYS_ALIVE: Liveness = {
  self: { host: 'test', machine: 'test', boot: 'test', pidSpace: 'test', pid: 1, startedAt: '' },
  of: () => 'alive',
  isStopped: () => false,
  endGroup: async () => undefined,
};

/** By the clock of the test: a worker that lives is never taken for dead, however far the clock is moved at once. */
function beating({ sessions }: Store, beforeEachStep: (act: () => void) => () => void): Heartbeat {
  return {
    start: async (session) => {
      const leave = beforeEachStep(() => void sessions.beat(session));
      return { stop: async () => leave() };
    },
  };
}
