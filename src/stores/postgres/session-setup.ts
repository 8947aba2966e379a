/** What every new connection is asked before it is used: is the schema ours, does a commit wait for the disk, what time is it. */
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
  /** False behind a pooler that lends a connection for one transaction: nothing can be agreed with a session there. */
  readonly ownSession: boolean;
}

/** Runaway statements, waits for locks and forgotten transactions end by themselves. */
const SESSION = {
  application_name: 'baton',
  statement_timeout: '5000',
  lock_timeout: '2000',
  idle_in_transaction_session_timeout: '10000',
  jit: 'off',
  // Means nothing to the server, and nobody else sets it: if it is there, the rest is too.
  'batonpass.session': 'own',
} as const;

/** Every statement has an index, also while the tables are small or nobody has counted their rows. */
export const BY_INDEX = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' } as const;

/** For the few statements that carry the load: they are planned once, perhaps while the tables are still empty. */
export const PLANNED_ONCE = { ...BY_INDEX, plan_cache_mode: 'force_generic_plan' } as const;

type Extra = Pick<DriverSettings, 'heard' | 'closed'> & { readonly session?: Readonly<Record<string, string>> };

/** Connects and asks. With `anySchema` the version is left to whoever migrates. */
export async function setUpSession(greeting: SessionSetup, extra: Extra = {}, anySchema = false): Promise<Driver> {
  const { address, clock, namespace, ownSession } = greeting;
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
    clock.heard(Number(settings?.[0]?.[1]), sentAtMs);
    if (ownSession && settings?.[0]?.[2] !== SESSION['batonpass.session']) throw notKept(address.shown);
    if (settings?.[0]?.[0] === 'off') await insistOnDisk(link, greeting);
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
 * What was sent with the greeting did not arrive: a pooler was told to ignore it. It may work for a while, until a
 * transaction meets a statement that was prepared on another connection.
 */
function notKept(shown: string): StoreFault {
  const says = `${shown} does not keep the settings of a session: ${POOLER_ADVICE}`;
  return new StoreFault(says, 'unchanged');
}

/** A commit that does not wait for the disk can be lost after it was acknowledged. */
async function insistOnDisk(link: Driver, { address, ownSession }: SessionSetup): Promise<void> {
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
