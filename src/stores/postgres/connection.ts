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
import type { Driver, Parameter, Row } from './driver.ts';
import { ConnectionError } from './connection-error.ts';

export interface Connection {
  /** Asks; may be asked twice. */
  read(statement: string, parameters?: readonly Parameter[]): Promise<readonly Row[]>;
  write(statement: string, parameters?: readonly Parameter[]): Promise<Written>;
  /** What this process has agreed on, or found out, for all its connections. */
  readonly app: ConnectionHost;
  close(): Promise<void>;
}

/** A connection that can also hold rows locked between asking and writing. */
export interface LockingConnection extends Connection {
  /**
   * Both in one transaction: asks, and lets `act` write on the connection that it is given. `act` has sent everything
   * when it first waits. Nothing is sent again here: null says that it was undone, or lost without an answer.
   */
  together<Answer>(
    statement: string,
    parameters: readonly Parameter[],
    act: (rows: readonly Row[], on: Connection) => Promise<Answer>,
  ): Promise<Answer | null>;
  /**
   * All that `act` writes on the connection that it is given, in one transaction; what it throws undoes it. Nothing is
   * sent again here: `lost` says that no answer came and that it may have happened, `undone` that it has not.
   */
  wholly<Answer>(act: (on: Connection) => Promise<Answer>): Promise<Wholly<Answer>>;
}

type Wholly<Answer> =
  | { readonly end: 'done'; readonly answer: Answer }
  | { readonly end: 'undone' | 'lost'; readonly trouble: ConnectionError };

export interface ConnectionHost {
  /** Whether other processes are notified of what is written. */
  readonly notifies: boolean;
  /** False until a statement has met a counter: as long as there is none, adding to them can be left out. */
  hasCounters: boolean;
}

interface Written {
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
}

const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 500;

/** `open` connects and greets; what it throws as a StoreFault is final. */
export function openConnection(
  open: () => Promise<Driver>,
  patience: Patience,
  app: ConnectionHost,
): LockingConnection {
  const { timers, random, patienceMs, where } = patience;
  let link: Driver | null = null;
  let opening: Promise<Driver> | null = null;
  let lastTransaction: Promise<unknown> = Promise.resolve();
  let closed = false;

  const reopen = (): Promise<Driver> => {
    opening ??= open()
      .then((opened) => (link = opened))
      .finally(() => (opening = null));
    return opening;
  };

  /** Tries until it is done, or refused for good, or the patience is at its end. */
  const patiently = async <Answer>(
    act: (link: Driver) => Promise<Answer>,
  ): Promise<{ answer: Answer; doubtful: boolean }> => {
    const endMs = performance.now() + patienceMs;
    let doubtful = false;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      if (closed) throw new StoreFault('the store is closed', doubtful ? 'unknown' : 'unchanged');
      try {
        return { answer: await act(link?.alive === true ? link : await reopen()), doubtful };
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error;
        if (error.kind === 'conflict') throw new Conflict(error.constraint, doubtful);
        doubtful ||= error.kind === 'lost';
        if (!isPassing(error) || performance.now() > endMs) throw faultOf(error, doubtful, where);
      }
      await timers.sleep(jittered(waitMs, random));
    }
  };

  /** One at a time: the statements of two transactions on one connection would run into each other. */
  const inTurn = <Answer>(act: () => Promise<Answer>): Promise<Answer> => {
    const mine = lastTransaction.then(act);
    lastTransaction = mine.catch(() => undefined);
    return mine;
  };

  const inTransaction: LockingConnection['together'] = async (statement, parameters, act) => {
    const { answer: begun } = await patiently((on) =>
      orRollBack(on, async () => {
        const [, rows] = await Promise.all([on.run('begin', []), on.run(statement, parameters)]);
        return { on, rows };
      }),
    );
    try {
      return await orRollBack(begun.on, async () => {
        const acting = act(begun.rows, bare(begun.on, app));
        const [answer] = await Promise.all([acting, begun.on.run('commit', [])]);
        return answer;
      });
    } catch (error) {
      if (error instanceof ConnectionError && isPassing(error)) return null;
      throw error instanceof ConnectionError ? faultOf(error, false, where) : error;
    }
  };

  const whollyInTransaction: LockingConnection['wholly'] = async (act) => {
    const { answer: on } = await patiently((link) => link.run('begin', []).then(() => link));
    try {
      const answer = await orRollBack(on, () => act(bare(on, app)));
      await on.run('commit', []);
      return { end: 'done', answer };
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      if (error.kind === 'conflict') throw new Conflict(error.constraint, false);
      if (!isPassing(error)) throw faultOf(error, false, where);
      return { end: error.kind === 'lost' ? 'lost' : 'undone', trouble: error };
    }
  };

  return {
    app,
    read: async (statement, parameters = []) => {
      try {
        return (await patiently((on) => on.run(statement, parameters))).answer;
      } catch (error) {
        // A question changes nothing, whatever became of it.
        if (error instanceof StoreFault) throw new StoreFault(error.message, 'unchanged', { cause: error.cause });
        throw error;
      }
    },
    write: async (statement, parameters = []) => {
      const { answer, doubtful } = await patiently((on) => on.run(statement, parameters));
      return { rows: answer, doubtful };
    },
    together: (statement, parameters, act) => inTurn(() => inTransaction(statement, parameters, act)),
    wholly: (act) => inTurn(() => whollyInTransaction(act)),
    close: async () => {
      closed = true;
      const last = link ?? (await opening?.catch(() => null)) ?? null;
      await last?.end();
    },
  };
}

/** A transaction that failed stays open until it is ended, and every later statement would fail with it. */
async function orRollBack<Answer>(link: Driver, act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    if (link.alive) await link.run('rollback', []).catch(() => undefined);
    throw error;
  }
}

/** Sends each statement once, on this connection and no other. */
function bare(link: Driver, app: ConnectionHost): Connection {
  return {
    app,
    read: (statement, parameters = []) => link.run(statement, parameters),
    write: async (statement, parameters = []) => ({ rows: await link.run(statement, parameters), doubtful: false }),
    close: () => Promise.resolve(),
  };
}

export function isPassing({ kind }: ConnectionError): boolean {
  return kind === 'unsent' || kind === 'lost' || kind === 'again';
}

export function faultOf(trouble: ConnectionError, doubtful: boolean, where: string): StoreFault {
  return new StoreFault(`${where}: ${saying(trouble)}`, doubtful ? 'unknown' : 'unchanged', { cause: trouble });
}

/** Whether the server refused a value, so that nothing has happened: then the others of the same statement can go alone. */
export function isRefusedValue(error: unknown): boolean {
  if (!(error instanceof StoreFault) || error.outcome !== 'unchanged') return false;
  return error.cause instanceof ConnectionError && (error.cause.kind === 'text' || error.cause.kind === 'fault');
}

const NO_DATABASE = '3D000';

/** For whoever has found out that there is a pooler between. */
export const POOLER_ADVICE =
  'behind a pooler that lends connections per transaction, add notify=off to the address (…/database?notify=off)';

function saying(trouble: ConnectionError): string {
  switch (trouble.kind) {
    case 'unsent':
    case 'lost':
      return `the server is out of reach (${trouble.message})`;
    case 'again':
      return `the server asked to try again, for too long (${trouble.message})`;
    case 'no-schema':
      return (
        `the tables of Baton are not there as they should be (${trouble.message}): ` +
        'were they dropped or restored meanwhile? Start Baton again to make them'
      );
    case 'text':
      return `a text holds a character that PostgreSQL cannot store, such as U+0000 (${trouble.message})`;
    case 'pooled':
      return `a pooler keeps no session for Baton (${trouble.message}): ${POOLER_ADVICE}`;
    case 'conflict':
    case 'fault':
      return trouble.code === NO_DATABASE ? `${trouble.message}; createdb makes one` : trouble.message;
  }
}
