/** A session is judged by the lease it was opened with, whoever sweeps. */
import { describe, expect, it } from 'vitest';
import { SESSION_LEASE_MS } from '../../src/domain/deadlines.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { examineSessions } from '../../src/engine/health-checks.ts';
import { checkOnce } from '../../src/engine/stall-detection.ts';
import { sweep } from '../../src/engine/sweep.ts';
import { NO_RULES, type Context } from '../../src/engine/context.ts';
import { openMemoryStore } from '../../src/stores/memory/memory-store.ts';
import { processOf, sessionOf, WORKER } from '../contract/builders.ts';
import { manualClock } from '../contract/manual-clock.ts';

const [PATIENT, HASTY] = [sessionOf('patient'), sessionOf('hasty')];

/** The sweeping process has the default lease, and cannot see the processes of the sessions. */
function worldOf(): { ctx: Context; advance: (ms: number) => void } {
  const clock = manualClock();
  const store = openMemoryStore({ clock, limits: NO_LIMITS });
  const ctx: Context = {
    store,
    clock,
    timers: { sleep: async () => undefined },
    random: { bytes: (count) => new Uint8Array(count), unit: () => 0.5 },
    liveness: {
      self: processOf({ pid: 1 }),
      of: () => 'unknown',
      isStopped: () => false,
      endGroup: async () => undefined,
    },
    heartbeat: { start: async () => ({ stop: async () => undefined }) },
    leaseMs: SESSION_LEASE_MS,
    rules: NO_RULES,
    report: () => undefined,
  };
  return { ctx, advance: (ms) => clock.advance(ms) };
}

describe('the lease of a session', () => {
  it('I14: belongs to the session: a sweeper with a shorter lease of its own leaves it alone', async () => {
    const { ctx, advance } = worldOf();
    const { sessions } = ctx.store;
    await sessions.open({ id: PATIENT, agent: WORKER, process: processOf(), leaseMs: 60_000 });
    await sessions.open({ id: HASTY, agent: WORKER, process: processOf(), leaseMs: 2_000 });
    advance(5_000);
    await sweep(ctx, await checkOnce(ctx));
    expect((await sessions.list()).map(({ id }) => id)).toEqual([PATIENT]);
    advance(50_000);
    await sweep(ctx, await checkOnce(ctx));
    expect(await sessions.beat(PATIENT)).toBe(true);
    expect((await examineSessions(ctx)).verdict).toBe('ok');
    advance(59_000);
    expect((await examineSessions(ctx)).verdict).toBe('ok');
    await sweep(ctx, await checkOnce(ctx));
    expect(await sessions.beat(PATIENT)).toBe(true);
    advance(61_000);
    expect((await examineSessions(ctx)).verdict).toBe('warning');
    await sweep(ctx, await checkOnce(ctx));
    expect(await sessions.list()).toEqual([]);
  });
});
