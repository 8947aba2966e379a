/**
 * A connection that is opened on first use and reopened when it is lost.
 *
 * Temporary errors (a restart, a failover, a deadlock) are retried here, so that callers do not see them. A lost write is
 * sent again: every write of this store is guarded, so applying it twice changes nothing. `maybeApplied` tells the caller
 * that an earlier attempt may have been applied; it then looks for its own facts before it reports a refusal.
 */
import type { Timers } from '../../foundation/clock.ts';
import { jittered, type Random } from '../../foundation/random.ts';
import { StoreFault } from '../store.ts';
import type { Driver, Parameter, Row } from './driver.ts';
import { ConnectionError } from './connection-error.ts';

export interface Connection {
  /** May be sent twice. */
  read(statement: string, parameters?: readonly Parameter[]): Promise<readonly Row[]>;
  write(statement: string, parameters?: readonly Parameter[]): Promise<Written>;
  /** What this process knows or has configured for all its connections. */
  readonly app: ConnectionHost;
  close(): Promise<void>;
}

/** A connection that can also run transactions of several statements. */
export interface LockingConnection extends Connection {
  /**
   * Runs `statement` and then `act` in one transaction. `act` must send all its statements before it first awaits. Nothing
   * is retried. Null: it was rolled back, or no answer came.
   */
  lockAndWrite<Answer>(
    statement: string,
    parameters: readonly Parameter[],
    act: (rows: readonly Row[], on: Connection) => Promise<Answer>,
  ): Promise<Answer | null>;
  /**
   * Runs `act` in one transaction, which is rolled back if it throws. Nothing is retried. `lost`: no answer came, and it
   * may have been applied; `undone`: it was not applied.
   */
  transaction<Answer>(act: (on: Connection) => Promise<Answer>): Promise<TransactionOutcome<Answer>>;
}

type TransactionOutcome<Answer> =
  | { readonly end: 'done'; readonly answer: Answer }
  | { readonly end: 'undone' | 'lost'; readonly error: ConnectionError };

export interface ConnectionHost {
  /** Whether writes notify other processes. */
  readonly notifies: boolean;
  /** False until a statement has found a limit counter. Without counters, statements omit updating them. */
  hasCounters: boolean;
}

interface Written {
  readonly rows: readonly Row[];
  /** An earlier attempt of the same statement was lost and may have been applied. */
  readonly maybeApplied: boolean;
}

/** A unique key is taken: by others or, if `maybeApplied`, perhaps by our own earlier attempt. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  readonly constraint: string | null;
  readonly maybeApplied: boolean;

  constructor(constraint: string | null, maybeApplied: boolean) {
    super(`the key ${constraint ?? ''} is taken`);
    this.constraint = constraint;
    this.maybeApplied = maybeApplied;
  }
}

export interface RetryOptions {
  readonly timers: Timers;
  readonly random: Random;
  /** How long the server may be unreachable before calls fail. */
  readonly patienceMs: number;
  /** The address without its password. */
  readonly where: string;
}

const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 500;

/** `open` connects and sets up the session. A `StoreFault` that it throws is not retried. */
export function openConnection(
  open: () => Promise<Driver>,
  retry: RetryOptions,
  app: ConnectionHost,
): LockingConnection {
  const { timers, random, patienceMs, where } = retry;
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

  /** Retries until it succeeds, fails permanently, or `patienceMs` is over. */
  const withRetries = async <Answer>(
    act: (link: Driver) => Promise<Answer>,
  ): Promise<{ answer: Answer; maybeApplied: boolean }> => {
    const endMs = performance.now() + patienceMs;
    let maybeApplied = false;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      if (closed) throw new StoreFault('the store is closed', maybeApplied ? 'unknown' : 'unchanged');
      try {
        return { answer: await act(link?.alive === true ? link : await reopen()), maybeApplied };
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error;
        if (error.kind === 'conflict') throw new Conflict(error.constraint, maybeApplied);
        maybeApplied ||= error.kind === 'lost';
        if (!isPassing(error) || performance.now() > endMs) throw faultOf(error, maybeApplied, where);
      }
      await timers.sleep(jittered(waitMs, random));
    }
  };

  /** Runs one transaction at a time: statements of two on one connection would mix. */
  const inTurn = <Answer>(act: () => Promise<Answer>): Promise<Answer> => {
    const mine = lastTransaction.then(act);
    lastTransaction = mine.catch(() => undefined);
    return mine;
  };

  const runLockAndWrite: LockingConnection['lockAndWrite'] = async (statement, parameters, act) => {
    const { answer: begun } = await withRetries((on) =>
      orRollBack(on, async () => {
        const [, rows] = await Promise.all([on.run('begin', []), on.run(statement, parameters)]);
        return { on, rows };
      }),
    );
    try {
      return await orRollBack(begun.on, async () => {
        const acting = act(begun.rows, withoutRetry(begun.on, app));
        const [answer] = await Promise.all([acting, begun.on.run('commit', [])]);
        return answer;
      });
    } catch (error) {
      if (error instanceof ConnectionError && isPassing(error)) return null;
      throw error instanceof ConnectionError ? faultOf(error, false, where) : error;
    }
  };

  const runTransaction: LockingConnection['transaction'] = async (act) => {
    const { answer: on } = await withRetries((link) => link.run('begin', []).then(() => link));
    try {
      const answer = await orRollBack(on, () => act(withoutRetry(on, app)));
      await on.run('commit', []);
      return { end: 'done', answer };
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      if (error.kind === 'conflict') throw new Conflict(error.constraint, false);
      if (!isPassing(error)) throw faultOf(error, false, where);
      return { end: error.kind === 'lost' ? 'lost' : 'undone', error: error };
    }
  };

  return {
    app,
    read: async (statement, parameters = []) => {
      try {
        return (await withRetries((on) => on.run(statement, parameters))).answer;
      } catch (error) {
        // A read changes nothing.
        if (error instanceof StoreFault) throw new StoreFault(error.message, 'unchanged', { cause: error.cause });
        throw error;
      }
    },
    write: async (statement, parameters = []) => {
      const { answer, maybeApplied } = await withRetries((on) => on.run(statement, parameters));
      return { rows: answer, maybeApplied };
    },
    lockAndWrite: (statement, parameters, act) => inTurn(() => runLockAndWrite(statement, parameters, act)),
    transaction: (act) => inTurn(() => runTransaction(act)),
    close: async () => {
      closed = true;
      const last = link ?? (await opening?.catch(() => null)) ?? null;
      await last?.end();
    },
  };
}

/** Rolls back after an error: a failed transaction stays open, and every later statement would fail. */
async function orRollBack<Answer>(link: Driver, act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    if (link.alive) await link.run('rollback', []).catch(() => undefined);
    throw error;
  }
}

/** A connection that sends each statement once, without retry. */
function withoutRetry(link: Driver, app: ConnectionHost): Connection {
  return {
    app,
    read: (statement, parameters = []) => link.run(statement, parameters),
    write: async (statement, parameters = []) => ({ rows: await link.run(statement, parameters), maybeApplied: false }),
    close: () => Promise.resolve(),
  };
}

export function isPassing({ kind }: ConnectionError): boolean {
  return kind === 'unsent' || kind === 'lost' || kind === 'again';
}

export function faultOf(error: ConnectionError, maybeApplied: boolean, where: string): StoreFault {
  return new StoreFault(`${where}: ${errorText(error)}`, maybeApplied ? 'unknown' : 'unchanged', { cause: error });
}

/** Whether the server refused a value and applied nothing. The rows of the statement can then be sent separately. */
export function isRefusedValue(error: unknown): boolean {
  if (!(error instanceof StoreFault) || error.outcome !== 'unchanged') return false;
  return error.cause instanceof ConnectionError && (error.cause.kind === 'text' || error.cause.kind === 'fault');
}

const NO_DATABASE = '3D000';

/** Advice in errors about poolers. */
export const POOLER_ADVICE =
  'behind a pooler that lends connections per transaction, add notify=off to the address (…/database?notify=off)';

function errorText(error: ConnectionError): string {
  switch (error.kind) {
    case 'unsent':
    case 'lost':
      return `the server cannot be reached (${error.message})`;
    case 'again':
      return `the server kept asking for a retry (${error.message})`;
    case 'no-schema':
      return (
        `the tables of Baton are missing or wrong (${error.message}): ` +
        'if they were dropped or restored, restart Baton to create them'
      );
    case 'text':
      return `a text holds a character that PostgreSQL cannot store, such as U+0000 (${error.message})`;
    case 'pooled':
      return `a pooler does not keep the session of Baton (${error.message}): ${POOLER_ADVICE}`;
    case 'conflict':
    case 'fault':
      return error.code === NO_DATABASE ? `${error.message}; createdb makes one` : error.message;
  }
}
