/** Sets up every new connection: checks the schema version and that commits wait for the disk, and reads the clock. */
import { StoreFault } from '../store.ts';
import type { Address } from './address.ts';
import type { Driver, DriverSettings } from './driver.ts';
import { VERSION_SQL, wrongVersion } from './migrations.ts';
import { writableHost } from './writable-host.ts';
import { NOW_MS, SCHEMA_VERSION } from './schema.ts';
import type { ServerClock } from './server-clock.ts';
import { ConnectionError } from './connection-error.ts';
import { faultOf, POOLER_ADVICE } from './connection.ts';

export interface SessionSetup {
  readonly address: Address;
  readonly namespace: string;
  readonly clock: ServerClock;
  /** False behind a pooler in transaction mode, which does not keep session settings. */
  readonly ownSession: boolean;
}

/** Timeouts end runaway statements, lock waits and forgotten transactions. */
const SESSION = {
  application_name: 'baton',
  statement_timeout: '5000',
  lock_timeout: '2000',
  idle_in_transaction_session_timeout: '10000',
  jit: 'off',
  // A marker that only Baton sets: if it arrives, the other settings do too.
  'batonpass.session': 'own',
} as const;

/** Forces indexes, also while the tables are small or have no statistics: every statement has one. */
export const BY_INDEX = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' } as const;

/** For the few frequent statements: they are planned once, perhaps while the tables are still empty. */
export const PLANNED_ONCE = { ...BY_INDEX, plan_cache_mode: 'force_generic_plan' } as const;

type Extra = Pick<DriverSettings, 'onNotification' | 'onClosed'> & {
  readonly session?: Readonly<Record<string, string>>;
};

/** Connects and checks. With `anySchema` the schema version is not checked. */
export async function setUpSession(setup: SessionSetup, extra: Extra = {}, anySchema = false): Promise<Driver> {
  const { address, clock, namespace, ownSession } = setup;
  let link: Driver | null = null;
  try {
    link = await writableHost({
      ...extra,
      address,
      namespace,
      prepare: ownSession,
      session: ownSession ? { ...SESSION, ...extra.session } : { application_name: SESSION.application_name },
    });
    const sentAtMs = clock.elapsedMs();
    const script = `select current_setting('synchronous_commit'), ${NOW_MS}, current_setting('batonpass.session', true)`;
    const [settings, version] = await link.runScript(anySchema ? script : `${script}; ${VERSION_SQL}`);
    clock.observe(Number(settings?.[0]?.[1]), sentAtMs);
    if (ownSession && settings?.[0]?.[2] !== SESSION['batonpass.session']) throw settingsNotKept(address.shown);
    if (settings?.[0]?.[0] === 'off') await requireDurableCommit(link, setup);
    const found = Number(version?.[0]?.[0] ?? 0);
    if (!anySchema && found !== SCHEMA_VERSION) throw wrongVersion(address.shown, found);
    return link;
  } catch (error) {
    await link?.end();
    if (error instanceof ConnectionError && error.kind !== 'unsent') throw faultOf(error, false, address.shown);
    throw error;
  }
}

/**
 * The settings of the startup message did not arrive, because a pooler ignores them. It would work only until a transaction
 * uses a statement that was prepared on another connection.
 */
function settingsNotKept(shown: string): StoreFault {
  const says = `${shown} does not keep the settings of a session: ${POOLER_ADVICE}`;
  return new StoreFault(says, 'unchanged');
}

/** Without waiting for the disk an acknowledged commit can be lost. */
async function requireDurableCommit(link: Driver, { address, ownSession }: SessionSetup): Promise<void> {
  if (ownSession) {
    const answers = await link.runScript(`set synchronous_commit = on; select current_setting('synchronous_commit')`);
    if (answers.at(-1)?.[0]?.[0] !== 'off') return;
  }
  throw new StoreFault(
    `${address.shown} does not wait for the disk when it commits (synchronous_commit is off): ` +
      'switch it on for this role (ALTER ROLE … SET synchronous_commit = on), or acknowledged work can be lost',
    'unchanged',
  );
}
