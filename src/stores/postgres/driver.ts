/**
 * One connection to the server, and the one file that knows the driver.
 *
 * The driver reconnects by itself, and that is where it can lose track: a write that waits for its turn while the
 * socket closes is kept and sent before the next greeting, or stops all later writes, or ends the process
 * (`Cannot read properties of null (reading 'write')`). So each driver instance gets one socket for its life, and is
 * thrown away with it; `begin` and `reserve`, which keep using a closed connection, are not used at all.
 */
import type { Socket } from 'node:net';
import postgres from 'postgres';
import { defined } from '../../foundation/defined.ts';
import type { Address } from './address.ts';
import { connectSocket, SilentServer } from './connect-socket.ts';
import { connectError, statementError, ConnectionError } from './connection-error.ts';

export type Parameter = string | number | null;
type Value = string | number | boolean | null;
export type Row = readonly Value[];

export interface DriverSettings {
  readonly address: Address;
  /** Settings of the session, sent with the greeting. */
  readonly session: Readonly<Record<string, string>>;
  /** Statements are kept prepared; not possible where a pooler hands out another connection each time. */
  readonly prepare: boolean;
  readonly namespace: string;
  readonly heard?: (payload: string) => void;
  readonly closed?: () => void;
}

export interface Driver {
  readonly alive: boolean;
  /** Statements sent together travel together, and are carried out one after the other. */
  run(statement: string, parameters: readonly Parameter[]): Promise<readonly Row[]>;
  /** Several statements without parameters in one text; answers the rows of each that has any. */
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

/** Connects with the first statement, which must be one that may be lost: a question, not a change. */
export function openDriver(settings: DriverSettings): Driver {
  const { address, namespace } = settings;
  let socket: Socket | null = null;
  let used = false;
  let alive = true;
  let greeted = false;

  const die = (): void => {
    if (!alive) return;
    alive = false;
    socket?.destroy();
    void driver.end({ timeout: 0 }).catch(() => undefined);
    settings.closed?.();
  };

  const driver = postgres({
    ...optionsOf(settings),
    socket: async () => {
      if (used || !alive) throw new ConnectionError('unsent', new Error('this connection has ended'));
      used = true;
      socket = await connectSocket(address);
      return socket;
    },
    onclose: die,
  } as DriverOptions);

  const watch = watchman(SILENCE_MAX_MS, () => socket?.destroy(new SilentServer(address.shown)));

  const send = async (query: () => { values(): PromiseLike<unknown> }): Promise<unknown> => {
    if (!alive) throw new ConnectionError('unsent', new Error(`the connection to ${address.shown} has ended`));
    watch.begin();
    try {
      const answer: unknown = await query().values();
      greeted = true;
      return answer;
    } catch (error) {
      const trouble = greeted ? statementError(error) : connectError(error);
      // A server that was written to and can only be read from now has changed places with its standby.
      if (trouble.kind === 'lost' || trouble.kind === 'unsent' || trouble.code === READ_ONLY) die();
      throw trouble;
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
      // One result comes bare, several come in a list; only a result knows its command.
      return ('command' in answer ? [answer] : answer) as readonly (readonly Row[])[];
    },
    end: async () => {
      alive = false;
      await driver.end({ timeout: 1 }).catch(() => undefined);
      socket?.destroy();
    },
  };
}

function optionsOf({ address, session, prepare, heard }: DriverSettings): Omit<DriverOptions, 'socket'> {
  return {
    ...defined({ user: address.user, pass: address.password, database: address.database }),
    // Otherwise it reads the variable itself, and does not know all of its values.
    ...(process.env['PGTARGETSESSIONATTRS'] === undefined ? {} : { target_session_attrs: 'read-write' }),
    // The socket that it is given is encrypted already, and leads to the right host: nothing here is for it to choose.
    ssl: false,
    host: 'localhost',
    connection: session,
    prepare,
    max: 1,
    // A pooler takes a connection back with the answer to one statement, even if the next is already under way on it.
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
    onnotify: (_channel, payload) => heard?.(payload),
  };
}

/**
 * One timer for all that is under way: it looks at whether anything at all has been answered lately. It is set once
 * for many statements, since setting one takes longer than sending a small statement; the socket keeps the process.
 */
function watchman(silenceMs: number, alarm: () => void): { begin(): void; end(): void } {
  let underWay = 0;
  let lastSignMs = 0;
  let isSet = false;
  const lookIn = (waitMs: number): void => {
    isSet = true;
    setTimeout(look, waitMs).unref();
  };
  const look = (): void => {
    isSet = false;
    const leftMs = lastSignMs + silenceMs - performance.now();
    if (underWay === 0) return;
    if (leftMs > 0) lookIn(leftMs);
    else alarm();
  };
  return {
    begin: () => {
      if (underWay === 0) lastSignMs = performance.now();
      underWay += 1;
      if (!isSet) lookIn(silenceMs);
    },
    end: () => {
      underWay -= 1;
      lastSignMs = performance.now();
    },
  };
}

const renamed = new Map<string, string>();

/** Statements are written for the schema `baton`; a store that lives in another one has them rewritten once. */
function inNamespace(text: string, namespace: string): string {
  if (namespace === 'baton') return text;
  const key = `${namespace} ${text}`;
  const known = renamed.get(key);
  if (known !== undefined) return known;
  const rewritten = text.replaceAll(/\bbaton(?=[.;])/g, namespace);
  renamed.set(key, rewritten);
  return rewritten;
}
