/**
 * One connection to the server, and the one file that knows the driver.
 *
 * The reconnect of the driver is not reliable: a write that is queued while the socket closes is sent before the next
 * handshake, blocks all later writes, or ends the process (`Cannot read properties of null (reading 'write')`). So each
 * driver instance gets one socket and is discarded with it. `begin` and `reserve`, which keep using a closed connection,
 * are not used.
 */
import type { Socket } from 'node:net';
import postgres from 'postgres';
import { defined } from '../../foundation/defined.ts';
import type { Address } from './address.ts';
import { connectSocket, ServerTimeout } from './connect-socket.ts';
import { connectError, statementError, ConnectionError } from './connection-error.ts';

export type Parameter = string | number | null;
type Value = string | number | boolean | null;
export type Row = readonly Value[];

export interface DriverSettings {
  readonly address: Address;
  /** Settings of the session, sent in the startup message. */
  readonly session: Readonly<Record<string, string>>;
  /** Keep statements prepared. Not possible behind a pooler that changes connections. */
  readonly prepare: boolean;
  readonly namespace: string;
  readonly onNotification?: (payload: string) => void;
  readonly onClosed?: () => void;
}

export interface Driver {
  readonly alive: boolean;
  /** Concurrent statements are pipelined and run one after the other. */
  run(statement: string, parameters: readonly Parameter[]): Promise<readonly Row[]>;
  /** Runs several statements without parameters. Returns the rows of each statement that has any. */
  runScript(script: string): Promise<readonly (readonly Row[])[]>;
  end(): Promise<void>;
}

const READ_ONLY = '25006';

/** The server ends a statement after 5 s; an answer that takes twice as long will not come. */
const SILENCE_MAX_MS = 10_000;

interface DriverOptions extends postgres.Options<{ int8: postgres.PostgresType<number> }> {
  socket: () => Promise<Socket>;
  onnotify: (channel: string, payload: string) => void;
  no_subscribe: boolean;
  max_pipeline: number;
}

/** Connects with the first statement, which must be a read, because it may be lost. */
export function openDriver(settings: DriverSettings): Driver {
  const { address, namespace } = settings;
  let socket: Socket | null = null;
  let used = false;
  let alive = true;
  let connected = false;

  const drop = (): void => {
    if (!alive) return;
    alive = false;
    socket?.destroy();
    void driver.end({ timeout: 0 }).catch(() => undefined);
    settings.onClosed?.();
  };

  const driver = postgres({
    ...optionsOf(settings),
    socket: async () => {
      if (used || !alive) throw new ConnectionError('unsent', new Error('this connection has ended'));
      used = true;
      socket = await connectSocket(address);
      return socket;
    },
    onclose: drop,
  } as DriverOptions);

  const watch = silenceTimer(SILENCE_MAX_MS, () => socket?.destroy(new ServerTimeout(address.shown)));

  const send = async (query: () => { values(): PromiseLike<unknown> }): Promise<unknown> => {
    if (!alive) throw new ConnectionError('unsent', new Error(`the connection to ${address.shown} has ended`));
    watch.begin();
    try {
      const answer: unknown = await query().values();
      connected = true;
      return answer;
    } catch (error) {
      const problem = connected ? statementError(error) : connectError(error);
      // A server that has become read-only was replaced by its standby.
      if (problem.kind === 'lost' || problem.kind === 'unsent' || problem.code === READ_ONLY) drop();
      throw problem;
    } finally {
      watch.end();
    }
  };

  return {
    get alive() {
      return alive;
    },
    run: (statement, parameters) => {
      const text = inNamespace(statement, namespace);
      return send(() => driver.unsafe(text, [...parameters], { prepare: true })) as Promise<readonly Row[]>;
    },
    runScript: async (script) => {
      const answer = (await send(() => driver.unsafe(inNamespace(script, namespace)).simple())) as object;
      // A single result is not in a list; only a result has `command`.
      return ('command' in answer ? [answer] : answer) as readonly (readonly Row[])[];
    },
    end: async () => {
      alive = false;
      await driver.end({ timeout: 1 }).catch(() => undefined);
      socket?.destroy();
    },
  };
}

function optionsOf({ address, session, prepare, onNotification }: DriverSettings): Omit<DriverOptions, 'socket'> {
  return {
    ...defined({ user: address.user, pass: address.password, database: address.database }),
    // The driver would read the variable, and does not know all its values.
    ...(process.env['PGTARGETSESSIONATTRS'] === undefined ? {} : { target_session_attrs: 'read-write' }),
    // The given socket is encrypted already and connected to the right host.
    ssl: false,
    host: 'localhost',
    connection: session,
    prepare,
    max: 1,
    // A pooler takes the connection back after one answer, even if the next statement was sent already.
    max_pipeline: prepare ? Number.MAX_SAFE_INTEGER : 0,
    connect_timeout: Math.ceil(address.connectTimeoutMs / 1000),
    idle_timeout: 0,
    max_lifetime: null,
    keep_alive: 10,
    backoff: false,
    fetch_types: false,
    no_subscribe: true,
    // Milliseconds since 1970 fit into a number, and so does everything else we count.
    types: { int8: { to: 20, from: [20], parse: Number, serialize: String } },
    onnotice: () => undefined,
    onnotify: (_channel, payload) => onNotification?.(payload),
  };
}

/**
 * One timer for all statements in flight: raises the alarm if nothing was answered for `silenceMs`. It is set once for
 * many statements, because setting a timer takes longer than sending a small statement.
 */
function silenceTimer(silenceMs: number, alarm: () => void): { begin(): void; end(): void } {
  let inFlight = 0;
  let lastSignMs = 0;
  let isSet = false;
  const checkIn = (waitMs: number): void => {
    isSet = true;
    setTimeout(check, waitMs).unref();
  };
  const check = (): void => {
    isSet = false;
    const leftMs = lastSignMs + silenceMs - performance.now();
    if (inFlight === 0) return;
    if (leftMs > 0) checkIn(leftMs);
    else alarm();
  };
  return {
    begin: () => {
      if (inFlight === 0) lastSignMs = performance.now();
      inFlight += 1;
      if (!isSet) checkIn(silenceMs);
    },
    end: () => {
      inFlight -= 1;
      lastSignMs = performance.now();
    },
  };
}

const renamed = new Map<string, string>();

/** Statements use the schema `baton`. For another schema they are rewritten once and cached. */
function inNamespace(text: string, namespace: string): string {
  if (namespace === 'baton') return text;
  const key = `${namespace} ${text}`;
  const known = renamed.get(key);
  if (known !== undefined) return known;
  const rewritten = text.replaceAll(/\bbaton(?=[.;])/g, namespace);
  renamed.set(key, rewritten);
  return rewritten;
}
