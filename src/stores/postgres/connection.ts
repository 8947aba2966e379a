/**
 * A connection that outlives its server: it is made when it is needed, greeted, and made again when it was lost.
 *
 * What passes by itself (a restart, a failover, a deadlock) is waited out here, so that nobody above sees it. A write
 * that was lost is sent again, because every write of this store is guarded: done twice, it changes nothing the second
 * time. Whoever sends it is told that there was a doubt, and looks for its own trace before it calls it refused.
 */
import type { Timers } from '../../foundation/clock.ts';
import { jittered, type Random } from '../../foundation/random.ts';
import { StoreFault } from '../store.ts';
import type { Link, Parameter, Row } from './link.ts';
import { Trouble } from './trouble.ts';

export interface Connection {
  /** Whether other processes are notified of what is written here. */
  readonly notifies: boolean;
  /** What this process has found out about the counters of limits, for all its connections. */
  readonly counting: Counting;
  /** Asks; may be asked twice. */
  read(statement: string, parameters?: readonly Parameter[]): Promise<readonly Row[]>;
  write(statement: string, parameters?: readonly Parameter[]): Promise<Written>;
  close(): Promise<void>;
}

/** False until a statement has met a counter: as long as there is none, adding to them can be left out. */
export interface Counting {
  isNeeded: boolean;
}

export interface Written {
  readonly rows: readonly Row[];
  /** An earlier sending of the same statement was lost and may be what changed things. */
  readonly doubtful: boolean;
}

/** A unique key is taken: by others, or, where there is a doubt, by an earlier sending of our own. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  readonly constraint: string | null;
  readonly doubtful: boolean;

  constructor(constraint: string | null, doubtful: boolean) {
    super(`the key ${constraint ?? ''} is taken`);
    this.constraint = constraint;
    this.doubtful = doubtful;
  }
}

export interface Patience {
  readonly timers: Timers;
  readonly random: Random;
  /** How long a server may be away before callers are told. */
  readonly patienceMs: number;
  /** The address as it may be shown. */
  readonly where: string;
  readonly notifies: boolean;
  readonly counting: Counting;
}

const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 500;

/** `open` connects and greets; what it throws as a StoreFault is final. */
export function openConnection(open: () => Promise<Link>, patience: Patience): Connection {
  const { timers, random, patienceMs, where, notifies, counting } = patience;
  let link: Link | null = null;
  let opening: Promise<Link> | null = null;
  let closed = false;

  const reopen = (): Promise<Link> => {
    opening ??= open()
      .then((opened) => (link = opened))
      .finally(() => (opening = null));
    return opening;
  };

  const patiently = async (statement: string, parameters: readonly Parameter[]): Promise<Written> => {
    const endMs = performance.now() + patienceMs;
    let doubtful = false;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      if (closed) throw new StoreFault('the store is closed', doubtful ? 'unknown' : 'unchanged');
      try {
        const alive = link?.alive === true ? link : await reopen();
        return { rows: await alive.run(statement, parameters), doubtful };
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        if (error.kind === 'conflict') throw new Conflict(error.constraint, doubtful);
        doubtful ||= error.kind === 'lost';
        if (!PASSING.has(error.kind) || performance.now() > endMs) throw faultOf(error, doubtful, where);
      }
      await timers.sleep(jittered(waitMs, random));
    }
  };

  return {
    notifies,
    counting,
    read: async (statement, parameters = []) => {
      try {
        return (await patiently(statement, parameters)).rows;
      } catch (error) {
        // A question changes nothing, whatever became of it.
        if (error instanceof StoreFault) throw new StoreFault(error.message, 'unchanged', { cause: error.cause });
        throw error;
      }
    },
    write: (statement, parameters = []) => patiently(statement, parameters),
    close: async () => {
      closed = true;
      const last = link ?? (await opening?.catch(() => null)) ?? null;
      await last?.end();
    },
  };
}

const PASSING: ReadonlySet<Trouble['kind']> = new Set(['unsent', 'lost', 'again']);

export function faultOf(trouble: Trouble, doubtful: boolean, where: string): StoreFault {
  const outcome = doubtful ? 'unknown' : 'unchanged';
  return new StoreFault(`${where}: ${saying(trouble)}`, outcome, { cause: trouble });
}

function saying(trouble: Trouble): string {
  switch (trouble.kind) {
    case 'unsent':
    case 'lost':
      return `the server is out of reach (${trouble.message})`;
    case 'again':
      return `the server asked to try again, for too long (${trouble.message})`;
    case 'no-schema':
      return `the tables of Baton are not there as they should be (${trouble.message}): were they dropped or restored meanwhile? Start Baton again to make them`;
    case 'text':
      return `a text holds a character that PostgreSQL cannot store, such as U+0000 (${trouble.message})`;
    case 'conflict':
    case 'fault':
      return trouble.message;
  }
}
