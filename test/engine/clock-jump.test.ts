/** A wall clock that is set takes no lease away, also not by a process that begins after it was set. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Clock } from '../../src/foundation/clock.ts';
import { systemRandom } from '../../src/foundation/random.ts';
import { MANUAL_LEASE_MS, SESSION_LEASE_MS } from '../../src/domain/deadlines.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { checkOnce } from '../../src/engine/stall-detection.ts';
import { sweep } from '../../src/engine/sweep.ts';
import { NO_RULES, type Context } from '../../src/engine/context.ts';
import { claimByHand } from '../../src/engine/handoffs/claim.ts';
import { openMemoryStore } from '../../src/stores/memory/memory-store.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open-sqlite-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { openingOf, processOf, THIS_BOOT, WORKER } from '../contract/builders.ts';
import { put, soundRecordOf } from '../contract/store-checks.ts';
import { manualClock } from '../contract/manual-clock.ts';
import { idOf } from '../contract/builders.ts';
import { newPath } from '../sqlite/stores.ts';

const DAY_MS = 24 * 60 * 60_000;
const ID = idOf('a');

type Reopening = (clock: Clock) => () => Store;

const STORES: readonly (readonly [string, Reopening])[] = [
  [
    'memory',
    (clock) => {
      const store = openMemoryStore({ clock, limits: NO_LIMITS });
      return () => store;
    },
  ],
  [
    'SQLite',
    (clock) => {
      const path = newPath();
      return () => {
        const store = openSqliteStore({ path, limits: NO_LIMITS, clock, random: systemRandom, boot: THIS_BOOT });
        onTestFinished(async () => store.close());
        return store;
      };
    },
  ],
];

describe.each(STORES)('a wall clock that is set, on %s', (_name, reopening) => {
  const begin = (): { clock: ReturnType<typeof manualClock>; fresh: (boot?: string) => Context } => {
    const clock = manualClock();
    const open = reopening(clock);
    // A process of its own, which has seen nothing of what was before.
    const fresh = (boot = THIS_BOOT): Context => ({
      store: open(),
      clock,
      timers: { sleep: async () => undefined },
      random: systemRandom,
      liveness: {
        self: processOf({ pid: 1, boot }),
        of: () => 'unknown',
        isStopped: () => false,
        endGroup: async () => undefined,
      },
      heartbeat: { start: async () => ({ stop: async () => undefined }) },
      leaseMs: SESSION_LEASE_MS,
      rules: NO_RULES,
      report: () => undefined,
    });
    return { clock, fresh };
  };
  const stateAfterSweep = async (ctx: Context): Promise<string> => {
    await sweep(ctx, await checkOnce(ctx));
    return (await soundRecordOf(ctx.store, ID)).state;
  };
  const claimed = async (ctx: Context): Promise<void> => {
    await put(ctx.store, openingOf({ id: 'a', terms: { attemptTimeoutMs: null } }));
    await claimByHand(ctx, agentPrincipal(WORKER), WORKER);
  };

  it('I19: by +24 h takes no hand lease, in a fresh process either; a whole lease later it ends', async () => {
    const { clock, fresh } = begin();
    await sweep(fresh(), await checkOnce(fresh()));
    await claimed(fresh());
    clock.advance(60_000);
    clock.turn(DAY_MS);
    expect(await stateAfterSweep(fresh())).toBe('accepted');
    clock.advance(MANUAL_LEASE_MS - 1_000);
    expect(await stateAfterSweep(fresh())).toBe('accepted');
    clock.advance(2_000);
    expect(await stateAfterSweep(fresh())).toBe('offered');
  });

  it('I19: by -24 h takes none either', async () => {
    const { clock, fresh } = begin();
    await sweep(fresh(), await checkOnce(fresh()));
    await claimed(fresh());
    clock.turn(-DAY_MS);
    for (let minutes = 0; minutes < 14; minutes += 1) {
      expect(await stateAfterSweep(fresh())).toBe('accepted');
      clock.advance(60_000);
    }
  });

  it('I14: where it was not set, a fresh process ends a hand lease at once when its time is up', async () => {
    const { clock, fresh } = begin();
    await sweep(fresh(), await checkOnce(fresh()));
    await claimed(fresh());
    clock.advance(MANUAL_LEASE_MS - 1_000);
    expect(await stateAfterSweep(fresh())).toBe('accepted');
    clock.advance(1_000);
    expect(await stateAfterSweep(fresh())).toBe('offered');
  });

  it('I19: after a restart of the machine nobody knows, so a hand lease gets a whole one again', async () => {
    const { clock, fresh } = begin();
    await sweep(fresh(), await checkOnce(fresh()));
    await claimed(fresh());
    clock.advance(MANUAL_LEASE_MS + 60_000);
    expect(await stateAfterSweep(fresh('the next boot'))).toBe('accepted');
    clock.advance(MANUAL_LEASE_MS);
    expect(await stateAfterSweep(fresh('the next boot'))).toBe('offered');
  });

  it('deadlines are instants, and are judged by the clock as it is', async () => {
    const { clock, fresh } = begin();
    await put(fresh().store, openingOf({ id: 'a', terms: { offeredMs: 60_000 } }));
    clock.advance(61_000);
    expect(await stateAfterSweep(fresh())).toBe('expired');
  });
});
