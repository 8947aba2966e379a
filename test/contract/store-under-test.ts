/** What the suite needs of a store: a way to open it, to look at it from elsewhere, and to clean up. */
import { onTestFinished } from 'vitest';
import { SESSION_LEASE_MS } from '../../src/domain/deadlines.ts';
import { NO_LIMITS, type Limits } from '../../src/domain/limits.ts';
import type { HandoffId, SessionId } from '../../src/domain/names.ts';
import type { Store } from '../../src/stores/store.ts';
import { processOf, SESSION, THIS_BOOT, WORKER } from './builders.ts';
import { manualClock, type ManualClock } from './manual-clock.ts';

export interface StoreUnderTest {
  readonly store: Store;
  /** A second, independent handle on the same data, with the same limits; null where there is no such thing. */
  readonly reopen: (() => Promise<Store>) | null;
  /** Closes every handle, also those that are closed already, and takes the data away; it may be called twice. */
  readonly destroy: () => Promise<void>;
  /** Whether the store lives by the clock it was given; a database server has its own. */
  readonly controlsTime: boolean;
  /** False where a waiter learns of what another handle did by looking only, as behind a pooler. Else: it is told. */
  readonly tellsOthers?: boolean;
  /** Writes a value into a column of one record past all checks of ours; null where there are no rows. */
  readonly damage: Damage | null;
}

export type Damage = (
  id: HandoffId,
  column: 'terms' | 'lineage' | 'since' | 'offered_at',
  value: string | bigint,
) => Promise<void>;

interface MakeOptions {
  readonly limits: Limits;
  readonly clock: ManualClock;
  /** The start of the machine that the processes of this suite say they belong to. */
  readonly boot: string;
}

export type MakeStore = (options: MakeOptions) => Promise<StoreUnderTest>;

interface Opened extends StoreUnderTest {
  readonly clock: ManualClock;
}

/**
 * Opens a fresh store for the test that calls it, and takes it away afterwards. It is empty but for the sessions that
 * may accept something, because a session that is not open takes nothing.
 */
export type OpenStore = (limits?: Limits, sessions?: readonly SessionId[]) => Promise<Opened>;

export function openerOf(make: MakeStore): OpenStore {
  return async (limits = NO_LIMITS, sessions = [SESSION]) => {
    const clock = manualClock();
    const made = await make({ limits, clock, boot: THIS_BOOT });
    onTestFinished(async () => made.destroy());
    for (const id of sessions)
      await made.store.sessions.open({ id, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS });
    return { ...made, clock };
  };
}
