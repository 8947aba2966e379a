/** The engine on the reference store and on SQLite, by a clock that the test moves. */
import { onTestFinished } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import type { JsonObject } from '../../src/foundation/json.ts';
import { systemRandom } from '../../src/foundation/random.ts';
import type { Result } from '../../src/foundation/result.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { notificationRules } from '../../src/adapters/notifications/notification-rules.ts';
import { NO_RULES, type Context, type WorkspaceRules } from '../../src/engine/context.ts';
import { acceptBy } from './engine-steps.ts';
import { send, type SendRequest } from '../../src/engine/handoffs/send.ts';
import { checkOnce } from '../../src/engine/stall-detection.ts';
import { sweep } from '../../src/engine/sweep.ts';
import { openMemoryStore } from '../../src/stores/memory/memory-store.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open-sqlite-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { agentOf, processOf, THIS_BOOT } from '../contract/builders.ts';
import { manualClock, type ManualClock } from '../contract/manual-clock.ts';
import { newPath } from '../sqlite/stores.ts';
import { putDatabase } from '../support/sqlite-with-tables.ts';

export const ME = agentOf('me');
export const DEV = agentOf('dev');

export interface EngineWorld {
  readonly ctx: Context;
  readonly clock: ManualClock;
  /** Another process over the same data, which has seen nothing of what was before. */
  another(): Context;
  send(more?: Partial<SendRequest>): Promise<Handoff>;
  record(id: HandoffId): Promise<Handoff>;
  /** Taken and failed for good. */
  fails(id: HandoffId): Promise<void>;
  completes(id: HandoffId, result?: JsonObject): Promise<void>;
  /** A second later, by whoever has the duty. */
  sweep(ctx?: Context): Promise<void>;
  inbox(agent?: typeof ME): Promise<readonly JsonObject[]>;
}

export const STORES = ['memory', 'SQLite'] as const;

export function engineWorld(kind: (typeof STORES)[number], rules: Partial<WorkspaceRules> = {}): EngineWorld {
  const clock = manualClock();
  const path = newPath();
  if (kind === 'SQLite') putDatabase(path);
  const memory = openMemoryStore({ clock, limits: NO_LIMITS });
  const open = (): Store => {
    if (kind === 'memory') return { ...memory };
    const store = openSqliteStore({ path, limits: NO_LIMITS, clock, random: systemRandom, boot: THIS_BOOT });
    onTestFinished(async () => store.close());
    return store;
  };
  let pid = 0;
  const another = (): Context => {
    pid += 1;
    return {
      store: open(),
      clock,
      timers: { sleep: async () => undefined },
      random: systemRandom,
      liveness: {
        self: processOf({ pid }),
        of: () => 'unknown',
        isStopped: () => false,
        endGroup: async () => undefined,
      },
      heartbeat: { start: async () => ({ stop: async () => undefined }) },
      leaseMs: 10_000,
      rules: {
        ...NO_RULES,
        notificationsFor: notificationRules({ desktop: false, webhooks: [], allowHosts: [] }),
        ...rules,
      },
      report: () => undefined,
    };
  };
  const ctx = another();
  const record = async (id: HandoffId): Promise<Handoff> => present(await ctx.store.load(id), `${id} is there`).handoff;
  return {
    ctx,
    clock,
    another,
    send: async (more = {}) => made(await send(ctx, agentPrincipal(ME), { from: ME, to: DEV, input: {}, ...more })),
    record,
    ...acceptBy(ctx, DEV),
    sweep: async (by = ctx) => {
      clock.advance(1_000);
      await sweep(by, await checkOnce(by));
    },
    inbox: async (agent = ME) =>
      (await ctx.store.outbox.inbox(agent, 1_000)).map(({ payload }) => JSON.parse(payload) as JsonObject),
  };
}

export function made<Value>(answer: Result<Value, { readonly code: string }>): Value {
  if (!answer.ok) throw new Error(JSON.stringify(answer.refusal));
  return answer.value;
}
