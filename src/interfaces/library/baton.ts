/** The public interface of the library. Names of agents may be written with or without `@`. */
import type { Evidence } from '../../domain/evidence.ts';
import type { Json } from '../../foundation/json.ts';
import type { State } from '../../domain/lifecycle.ts';
import type { FactView, WholeView } from '../shared/views.ts';
import type { FindArtifactsOptions, ListOptions, Methods, SendRequest } from './methods.ts';
import type { ArtifactView, HandoffPage, SentHandoff, TypedHandoff, WaitOptions } from './results.ts';
import type { TypedAgent } from './agent.ts';
import type { BatonEvent } from './events.ts';
import type { StandardSchema } from './standard-schema.ts';

/** What `send` takes. */
export type SendOptions<Input = Json> = Omit<SendRequest, 'input'> &
  FormerCapacity & {
    /** What the recipient needs: anything that is JSON. @default {} */
    readonly input?: Input;
  };

/** Former spellings that still work. */
interface FormerCapacity {
  /** @deprecated Say `waitForCapacity`. */
  readonly queue?: boolean;
}
interface FormerPage {
  /** @deprecated Say `limit`. */
  readonly max?: number;
  /** @deprecated Say `state`. */
  readonly states?: readonly State[];
}

/**
 * Hands work from one agent to another. Names of agents are written with or without `@`; durations are milliseconds.
 *
 * Every method throws errors that extend `BatonError`: `BatonRefusal` with a code where something is refused and nothing
 * was changed, `StoreFault` where the database could not do it.
 */
export interface Baton extends Omit<Methods, 'send' | 'wait'> {
  /**
   * Offers work to an agent. Once it resolves, the handoff survives a power cut.
   *
   * With `inputSchema` the input is checked first: a violation is thrown as `BatonRefusal` `schema-violated`.
   *
   * @example
   * const sent = await baton.send({ from: '@me', to: '@react', input: { component: 'UserProfile' } });
   * const { result } = await sent.wait({ timeoutMs: 60_000 });
   */
  send<Input = Json, Output = Json>(
    request: SendOptions<Input> & { readonly inputSchema?: StandardSchema<Input> },
  ): Promise<SentHandoff<Output>>;
  /**
   * The same for a described agent: its schemas check the input and the result.
   *
   * @example
   * const sent = await baton.send(shop, { from: '@me', input: { order: 1 } });
   */
  send<Input, Output>(
    agent: TypedAgent<Input, Output>,
    request: Omit<SendOptions<Input>, 'to' | 'input'> & { readonly input: Input },
  ): Promise<SentHandoff<Output>>;
  /**
   * Sends all requests or none, in one transaction. The request id of the first request applies to all. Fields of `shared`, such as a
   * common `parent`, apply to each request that does not set them.
   *
   * @example
   * await baton.sendMany(orders.map((input) => ({ to: '@shop', input })), { from: '@me', parent: handoff.id });
   */
  sendMany(requests: readonly SendOptions<unknown>[]): Promise<readonly SentHandoff[]>;
  sendMany<Shared extends Partial<SendOptions<unknown>>>(
    requests: readonly (Omit<SendOptions<unknown>, keyof Shared> & Partial<SendOptions<unknown>>)[],
    shared: Shared,
  ): Promise<readonly SentHandoff[]>;
  /**
   * Sends a parent and its children in one transaction. The parent waits until all children are completed, and its worker
   * gets their results in `input.dependencies`, by the ids of the children. `onDependencyFailure` of the parent says what
   * happens when a child does not succeed: `wait` for a retry of it (default), `fail` with it, or `run` all the same.
   *
   * @example
   * const { parent } = await baton.sendWithChildren({ from: '@me', to: '@merge', onDependencyFailure: 'fail' }, [
   *   { to: '@render', input: { page: 1 } },
   *   { to: '@render', input: { page: 2 } },
   * ]);
   */
  sendWithChildren<Output = Json>(
    parent: SendOptions<unknown>,
    children: readonly (Omit<SendOptions<unknown>, 'from' | 'parent' | 'requestId'> & { readonly from?: string })[],
  ): Promise<{ readonly parent: SentHandoff<Output>; readonly children: readonly SentHandoff[] }>;
  /**
   * Runs `handler` on everything that is offered to `agent`, until it is stopped. Execution is at least once: an attempt
   * whose process dies is made again, with the same id.
   *
   * @example
   * const worker = baton.work<Order, Receipt>('@shop', async ({ input }) => ship(input), { concurrency: 4 });
   */
  work<Input = Json, Output = Json>(
    agent: string | TypedAgent<Input, Output>,
    handler: WorkHandler<Input, Output>,
    options?: WorkerOptions<Input, Output>,
  ): Worker;
  /**
   * Waits until a handoff is completed. Throws `HandoffNotCompleted` when it ends otherwise, and `BatonTimeout` when time
   * is up or the signal is aborted.
   *
   * @example
   * const { result } = await baton.wait<Receipt>(id, { timeoutMs: 60_000 });
   */
  wait<Output = Json>(id: string, options?: WaitOptions<Output>): Promise<TypedHandoff<Json, Output>>;
  /** One handoff with input and result, or null. */
  load(id: string): Promise<WholeView | null>;
  /** The same as `list`. */
  find(filter?: FindOptions): Promise<HandoffPage>;
  /**
   * All facts from `after` on (default: from now), without end and without a gap; with `handoff`, `agent` or `states`, only
   * those. All feeds of a process share one reader.
   *
   * @example
   * for await (const { fact } of baton.feed({ agent: '@shop', states: ['failed'] })) page(fact.handoff);
   */
  feed(options?: FeedOptions): AsyncIterable<FeedItem>;
  /** One artifact with its content, or null. */
  artifact(id: string): Promise<ArtifactView | null>;

  /** Stops the workers, waits for running handlers, and closes the database. */
  close(): Promise<void>;
  /** The same as `close`, for `await using baton = await openBaton()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface OpenBatonOptions {
  /** A folder with a `baton.yaml`; default: the current folder or the nearest above it. */
  readonly workspace?: string;
  /**
   * `postgres://…`, the path of a SQLite file, or `:memory:` for one that is gone when it is closed; default: the
   * workspace's own.
   */
  readonly database?: string;
  /** The default for `as`: who makes a move. Default: the operator. */
  readonly as?: string;
  /** The token that proves it, where the workspace is strict; default: `BATON_TOKEN`. */
  readonly token?: string;
  /** Called for events besides the results, for logs. */
  readonly onEvent?: (event: BatonEvent) => void;
}

export interface EvidenceOption {
  readonly deliverable: string;
  readonly kind: Evidence['kind'];
  readonly value: string;
}

/** Returns the result. An error fails the attempt; `HandlerFailure` names the code. */
export type WorkHandler<Input = Json, Output = Json> = (
  handoff: TypedHandoff<Input, never>,
  attempt: WorkAttempt,
) => Promise<Output> | Output;

export interface WorkAttempt {
  /** Aborted when time is up, the lease is lost or the worker must stop. */
  readonly signal: AbortSignal;
  /** The progress from 0 to 1, and as text. */
  progress(fraction: number | null, says?: string): void;
  /** Shown for a deliverable together with the result. */
  evidence(deliverable: string, kind: EvidenceOption['kind'], value: string): void;
}

export interface WorkerOptions<Input = Json, Output = Json> {
  /** How many handoffs at a time, from 1 to 10000. @default 1 */
  readonly concurrency?: number;
  /** Invalid input fails the attempt with the code `VALIDATION_FAILED`. The handler gets the parsed input. */
  readonly inputSchema?: StandardSchema<Input>;
  /** An invalid result fails the attempt with the code `VALIDATION_FAILED`. */
  readonly outputSchema?: StandardSchema<Output>;
  /** When aborted, the worker takes no new handoffs and finishes the running ones. */
  readonly signal?: AbortSignal;
}

export interface Worker {
  /**
   * Resolves when the worker has stopped. Rejects when it cannot start or the database stays unreachable. If nobody awaits it,
   * the process prints a warning, and `onEvent` gets `worker-ended`.
   */
  readonly done: Promise<{ readonly attempts: number; readonly refused: number }>;
  /** Takes no new handoffs and finishes the running ones; with `now`, those are aborted and given back. */
  stop(options?: { readonly now?: boolean }): Promise<void>;
}

/** What `list` takes. */
export type FindOptions = ListOptions & FormerPage;

/** What `findArtifacts` takes. */
export type ArtifactOptions = FindArtifactsOptions;

export interface FeedOptions {
  /** Only facts of this handoff. */
  readonly handoff?: string;
  /** Only facts of handoffs from or to this agent. */
  readonly agent?: string;
  /** Only facts that lead into one of these states, or happen in them. */
  readonly states?: readonly State[];
  /** The cursor of the last item that was read; an empty text starts with the first fact. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

export interface FeedItem {
  readonly cursor: string;
  readonly fact: FactView;
}
