/** A Baton without a file: the real engine over the store in memory, by whatever clock it is given. */
import type { Clock, Timers } from '../foundation/clock.ts';
import { systemRandom } from '../foundation/random.ts';
import { SESSION_LEASE_MS } from '../domain/deadlines.ts';
import { NO_LIMITS } from '../domain/limits.ts';
import type { Context, EngineEvent, Heartbeat, Liveness } from '../engine/context.ts';
import { guardSecrets } from '../engine/secrets/guard-store.ts';
import { openMemoryStore } from '../stores/memory/memory-store.ts';
import type { Sessions } from '../stores/store.ts';
import { parseConfiguration } from '../workspace/configuration.ts';
import type { OpenWorkspace } from '../workspace/opened-workspace.ts';
import { openPolicy } from '../workspace/policy.ts';
import { workspaceRules } from './workspace-rules.ts';

export interface InMemoryOptions {
  /** The text of a `baton.yaml`. */
  readonly configuration?: string | undefined;
  readonly time: Clock & Timers;
  readonly heartbeatOf: (sessions: Sessions, leaseMs: number) => Heartbeat;
  readonly report?: ((event: EngineEvent) => void) | undefined;
}

/** Nothing is written to disk, nothing is shared between two of them, and all of it is gone when it is closed. */
export async function openInMemory(options: InMemoryOptions): Promise<OpenWorkspace> {
  const { configuration, time, heartbeatOf, report = () => undefined } = options;
  const parsed = configuration === undefined ? null : parseConfiguration(configuration, 'baton.yaml');
  const limits = parsed?.configuration.limits ?? NO_LIMITS;
  const store = openMemoryStore({ clock: time, timers: time, limits });
  const policy = await openPolicy(store, parsed?.text ?? null);
  const refresh = async (): Promise<void> => void (await policy.refresh());
  const leaseMs = policy.configuration.leaseMs ?? SESSION_LEASE_MS;
  const rules = workspaceRules(null, () => policy.configuration, refresh, store, policy);
  const ctx: Context = {
    store: guardSecrets(store, () => rules.secrets, report),
    clock: time,
    timers: time,
    random: systemRandom,
    liveness: ALWAYS_ALIVE,
    heartbeat: heartbeatOf(store.sessions, leaseMs),
    leaseMs,
    rules,
    report,
  };
  return {
    ctx,
    workspace: null,
    policy,
    isReplaced: false,
    get configuration() {
      return policy.configuration;
    },
    close: () => store.close(),
  };
}

const BEATS_PER_LEASE = 5;

/** Sends heartbeats by a timer. A blocked event loop also blocks the sweep that would judge the silence. */
export function timerHeartbeat({ sleep }: Timers): InMemoryOptions['heartbeatOf'] {
  return (sessions, leaseMs) => ({
    start: async (session, { lost }) => {
      const stop = new AbortController();
      const beat = async (): Promise<void> => {
        while (!stop.signal.aborted) {
          if (!(await sessions.beat(session))) return lost();
          await sleep(leaseMs / BEATS_PER_LEASE, stop.signal);
        }
      };
      const beating = beat();
      return {
        stop: async () => {
          stop.abort();
          await beating;
        },
      };
    },
  });
}

/** No other process can use this memory, so every process in it is this one. */
const ALWAYS_ALIVE: Liveness = {
  self: { host: 'memory', machine: 'memory', boot: 'memory', pidSpace: 'memory', pid: 1, startedAt: '' },
  of: () => 'alive',
  isStopped: () => false,
  endGroup: async () => undefined,
};
