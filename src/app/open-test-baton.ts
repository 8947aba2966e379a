/** A Baton for the tests of its users: in memory, with a clock that only the test moves. */
import { readAgentId, type AgentId } from '../domain/names.ts';
import type { Baton, OpenBatonOptions, WorkHandler, Worker, WorkerOptions } from '../interfaces/library/baton.ts';
import { openBatonWith } from '../interfaces/library/open-baton.ts';
import type { TypedAgent } from '../interfaces/library/agent.ts';
import type { TypedHandoff } from '../interfaces/library/results.ts';
import { drain, settledSince, type WorkersAtWork } from './drain.ts';
import { openInMemory, type InMemoryOptions } from './open-in-memory.ts';
import { openTestClock, type TestClock } from './test-clock.ts';

export interface TestBatonOptions extends Pick<OpenBatonOptions, 'as' | 'onEvent'> {
  /** The text of a `baton.yaml`, for agents, limits, roles, retries and clocks. @default nothing is configured */
  readonly configuration?: string;
  /** Where the clock begins. @default 2026-01-01T00:00:00Z */
  readonly now?: Date;
}

export interface TestBaton {
  readonly baton: Baton;
  readonly clock: TestClock;
  /**
   * Lets the workers do everything that is offered to them, and moves the clock to their retries. Comes back when nothing
   * is left that they could do, with everything that was settled since the last time, in that order.
   *
   * Time does not move while a handler runs, unless it waits for another handoff.
   */
  drain(): Promise<readonly TypedHandoff[]>;
}

const BEGINNING = new Date('2026-01-01T00:00:00Z');

/**
 * Opens a Baton that keeps everything in memory, for tests of your own workers and senders. Nothing is written to disk,
 * nothing is shared between two of them, and no time passes unless `clock.advance` is called: retries, deadlines, leases
 * and timeouts come when the test says so.
 *
 * @example
 * const { baton, drain } = await openTestBaton();
 * baton.work('@shop', shipOrder);
 * await baton.send({ from: '@me', to: '@shop', input: { order: 1 } });
 * expect(await drain()).toMatchObject([{ state: 'completed', result: { shipped: true } }]);
 * await baton.close();
 */
export async function openTestBaton(options: TestBatonOptions = {}): Promise<TestBaton> {
  const { configuration, now = BEGINNING, ...own } = options;
  const { clock, time } = openTestClock(now);
  const opened = await openInMemory({
    configuration,
    time,
    heartbeatOf: testHeartbeat(time.beforeEachStep),
    report: own.onEvent,
  });
  // The environment of a test must not change its result.
  const baton = await openBatonWith(async () => opened, { ...own, token: '' });
  const at = trackWork(baton);
  let read = '';
  return {
    baton,
    clock,
    drain: async () => {
      await drain(opened.ctx, time, at);
      const { settled, cursor } = await settledSince(opened.ctx, read);
      read = cursor;
      return settled;
    },
  };
}

/** The handles that `send` answers ask this very object too, so its methods are replaced. */
function trackWork(baton: Baton): WorkersAtWork {
  const agents = new Map<AgentId, number>();
  const running = new Set<Promise<unknown>>();
  let waiting = 0;
  const { work, wait } = baton;
  const count = (agent: AgentId, by: number): void => void agents.set(agent, (agents.get(agent) ?? 0) + by);
  const observed: Pick<Baton, 'work' | 'wait'> = {
    work: <Input, Output>(
      agent: string | TypedAgent<Input, Output>,
      handler: WorkHandler<Input, Output>,
      options?: WorkerOptions<Input, Output>,
    ): Worker => {
      const tracked: WorkHandler<Input, Output> = async (...call) => {
        const handled = (async () => handler(...call))();
        const settled = handled.catch(() => undefined).finally(() => running.delete(settled));
        running.add(settled);
        return handled;
      };
      const worker = work(agent, tracked, options);
      const name = readAgentId(typeof agent === 'string' ? agent : agent.name);
      if (name === null) return worker;
      count(name, 1);
      void worker.done.catch(() => undefined).finally(() => count(name, -1));
      return worker;
    },
    wait: async (id, options) => {
      waiting += 1;
      return wait(id, options).finally(() => {
        waiting -= 1;
      });
    },
  };
  Object.assign(baton, observed);
  return {
    agents: () => new Set([...agents].flatMap(([agent, workers]) => (workers > 0 ? [agent] : []))),
    running: () => [...running],
    waiting: () => waiting,
  };
}

/** By the clock of the test: a live worker is never considered dead, however far the clock moves in one step. */
function testHeartbeat(beforeEachStep: (act: () => void) => () => void): InMemoryOptions['heartbeatOf'] {
  return (sessions) => ({
    start: async (session) => {
      const leave = beforeEachStep(() => void sessions.beat(session));
      return { stop: async () => leave() };
    },
  });
}
