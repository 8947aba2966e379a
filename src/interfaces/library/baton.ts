/** The library as its users see it. Names of agents may be written with or without `@`. */
import type { Json, JsonObject } from '../../foundation/json.ts';
import type { ArtifactStatus } from '../../domain/artifacts.ts';
import type { State } from '../../domain/lifecycle.ts';
import type { GivenInput } from '../../operations/field.ts';
import type { OPERATIONS } from '../../operations/index.ts';
import type { Defined } from '../../operations/operation.ts';
import type { FactView, HandoffView, StatusView, WholeView } from '../shared/views.ts';
import type { StandardSchema } from './standard-schema.ts';

export type { FactView, HandoffView, StatusView, WholeView };

/** What each kind of result is to users of the library. */
interface ResultViews {
  readonly handoff: HandoffView;
  readonly created: SentHandoff;
  readonly claimed: WholeView | null;
  readonly page: {
    readonly items: readonly HandoffView[];
    /** Goes on as `after`; null: there is no more. */
    readonly next: string | null;
    /** Where to begin with `feed` to miss nothing of this list. */
    readonly cursor: string;
  };
  readonly shown: WholeView & { readonly facts: readonly FactView[] };
  readonly facts: readonly FactView[];
  readonly chain: readonly HandoffView[];
  readonly settled: WholeView;
  readonly status: StatusView;
  readonly inbox: readonly JsonObject[];
  readonly ingested: readonly IngestAnswer[];
  /** As `baton workflow --json` prints them. */
  readonly workflows: readonly JsonObject[];
  /** As `baton report --json` prints it. */
  readonly report: JsonObject;
  readonly artifacts: readonly ArtifactEntry[];
  readonly artifact: ArtifactView;
  readonly registered: ArtifactEntry;
  readonly cleaned: {
    readonly applied: boolean;
    readonly deprecated: readonly string[];
    readonly changes: readonly {
      readonly id: string;
      readonly from: ArtifactStatus;
      readonly to: ArtifactStatus;
      /** Why it stays as it is; null: it does not. */
      readonly kept: string | null;
    }[];
  };
}

/** Beside what an operation takes. */
export interface CallOptions {
  /** In whose name; default: as `openBaton` was told. */
  readonly as?: string;
  /** Aborted: nothing further is begun. */
  readonly signal?: AbortSignal;
}

/** Optional where nothing has to be said. */
type Args<Options> = object extends Options ? [options?: Options & CallOptions] : [options: Options & CallOptions];

type Method<O> =
  O extends Defined<infer F, infer R, infer Subject>
    ? Subject extends keyof F
      ? F[Subject] extends { readonly isRequired: true }
        ? (subject: string, ...args: Args<GivenInput<Omit<F, Subject>>>) => Promise<ResultViews[R]>
        : (subject?: string, ...args: Args<GivenInput<Omit<F, Subject>>>) => Promise<ResultViews[R]>
      : (...args: Args<GivenInput<F>>) => Promise<ResultViews[R]>
    : never;

/** One method for each operation, named like it: what it is about comes first, then its options. */
export type Operated = { [Name in keyof typeof OPERATIONS]: Method<(typeof OPERATIONS)[Name]> };

/** A handoff with the types that its user knows its input and result by. */
export type TypedHandoff<Input = Json, Output = Json> = Omit<WholeView, 'input' | 'result'> & {
  readonly input: Input;
  /** What was delivered; not there before. */
  readonly result?: Output;
};

/** A handoff that was sent: its fields, and what its sender does with it next. */
export interface SentHandoff<Output = Json> extends HandoffView {
  /** Waits until it is completed. Throws like `baton.wait`. */
  wait<Result = Output>(options?: WaitOptions<Result>): Promise<TypedHandoff<Json, Result>>;
  /** Says that it is no longer wanted, in the name of its sender. Throws `BatonRefusal` when it is settled already. */
  cancel(options?: { readonly reason?: string }): Promise<HandoffView>;
  /** Everything that has happened to it, oldest first. */
  facts(): Promise<readonly FactView[]>;
}

/** What `send` takes. */
export type SendOptions<Input = Json> = Omit<GivenInput<typeof OPERATIONS.send.input>, 'input'> &
  FormerCapacity & {
    /** What the recipient needs: anything that is JSON. @default {} */
    readonly input?: Input;
  };

export interface WaitOptions<Output = Json> extends CallOptions {
  /** Give up after this many milliseconds; default: never. */
  readonly timeoutMs?: number;
  /** The result has to follow it; what it makes of the result is answered. */
  readonly resultSchema?: StandardSchema<Output>;
}

/** Spellings that are still understood. */
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
export interface Baton extends Omit<Operated, 'send' | 'wait'> {
  /**
   * Offers work to an agent. When this comes back, the handoff survives a power cut.
   *
   * With `inputSchema` the input is checked first: a violation is thrown as `BatonRefusal` `schema-violated`.
   *
   * @example
   * const sent = await baton.send({ from: '@me', to: '@react', input: { component: 'UserProfile' } });
   * const { result } = await sent.wait({ timeoutMs: 60_000 });
   */
  send<Input = Json, Output = Json>(
    request: SendOptions<Input> & CallOptions & { readonly inputSchema?: StandardSchema<Input> },
  ): Promise<SentHandoff<Output>>;
  /** Sends all of them or none, in one transaction. A request id is that of the first and stands for all. */
  sendMany(requests: readonly SendOptions<unknown>[]): Promise<readonly SentHandoff[]>;
  /**
   * Runs `handler` on everything that is offered to `agent`, until it is stopped. Execution is at least once: an attempt
   * whose process dies is made again, with the same id.
   *
   * @example
   * const worker = baton.work<Order, Receipt>('@shop', async ({ input }) => ship(input), { concurrency: 4 });
   */
  work<Input = Json, Output = Json>(
    agent: string,
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
  find(filter?: FindOptions): Promise<ResultViews['page']>;
  /** Everything that happens, from `after` on (default: from now), without end and without a gap. */
  feed(options?: FeedOptions): AsyncIterable<FeedItem>;
  /** One artifact with its content, or null. */
  artifact(id: string): Promise<ArtifactView | null>;

  /** Stops the workers, finishes what runs, closes the database. */
  close(): Promise<void>;
}

/** What `ingest` takes. */
export type IngestOptions = GivenInput<typeof OPERATIONS.ingest.input> & CallOptions;

export interface IngestAnswer {
  readonly index: number;
  readonly line: number;
  readonly column: number;
  readonly place: string;
  readonly fate: 'done' | 'known' | 'quoted' | 'unclear' | 'invalid' | 'refused' | 'nothing';
  readonly from: string | null;
  readonly to: string | null;
  readonly status: string | null;
  readonly problems: readonly IngestProblem[];
  readonly warnings: readonly IngestProblem[];
  /** What was done: `did` in a word, and the handoffs that it was done to. */
  readonly ingested?: {
    readonly did: string;
    readonly leg: string;
    readonly opened: string | null;
    readonly escalatedTo: string | null;
    readonly says: readonly string[];
  };
  readonly refusal?: { readonly code: string; readonly message: string };
  /** Why nothing followed from it. */
  readonly says?: string;
  /** Of a handoff in a form of its own: which form, and how sure that it is one. */
  readonly legacy?: { readonly form: string; readonly sure: string; readonly because: string };
}

export interface IngestProblem {
  readonly line: number;
  readonly column: number;
  readonly field: string;
  readonly says: string;
  readonly allowed?: readonly string[];
}

/** In the words of `artifacts/registry.json`. */
export interface ArtifactEntry {
  readonly artifact_id: string;
  readonly artifact_type: string;
  readonly artifact_version: string;
  readonly status: ArtifactStatus;
  readonly status_since: string;
  readonly created_at: string;
  readonly phase: number | null;
  readonly agent_id: string | null;
  readonly handoff_id: string | null;
  /** Within the workspace. */
  readonly path: string;
  readonly sha256: string;
  readonly dependencies: { readonly required: readonly string[]; readonly optional: readonly string[] };
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
  /** Why it is not active. */
  readonly flaw: string | null;
}

export interface ArtifactView extends ArtifactEntry {
  readonly content: Json;
  /** What is no longer as it was registered. */
  readonly changed: readonly { readonly path: string; readonly says: string }[];
  /** Those that require it, or can use it. */
  readonly dependents: readonly string[];
}

/** What `findArtifacts` takes. */
export type ArtifactOptions = GivenInput<typeof OPERATIONS.findArtifacts.input>;

export interface OpenBatonOptions {
  /** A folder with a `baton.yaml`; default: the current folder or the nearest above it. */
  readonly workspace?: string;
  /** `postgres://…`, or the path of a SQLite file; default: the workspace's own. */
  readonly database?: string;
  /** In whose name moves are made that do not say it themselves; default: the operator. */
  readonly as?: string;
  /** Proof of it, where the workspace is strict; default: `BATON_TOKEN`. */
  readonly token?: string;
  /** What happens beside the answers, for logs. */
  readonly onEvent?: (event: { readonly kind: string } & Readonly<Record<string, unknown>>) => void;
}

export interface EvidenceOption {
  readonly deliverable: string;
  readonly kind: 'file' | 'commit' | 'command' | 'shadow' | 'url' | 'note';
  readonly value: string;
}

/** What it answers is the result. What it throws is a failure; `HandlerFailure` names its code. */
export type WorkHandler<Input = Json, Output = Json> = (
  handoff: TypedHandoff<Input, never>,
  attempt: WorkAttempt,
) => Promise<Output> | Output;

export interface WorkAttempt {
  /** Aborted when time is up, the lease is lost or the worker must stop. */
  readonly signal: AbortSignal;
  /** From 0 to 1, and in words. */
  progress(fraction: number | null, says?: string): void;
  /** Shown for a deliverable together with the result. */
  evidence(deliverable: string, kind: EvidenceOption['kind'], value: string): void;
}

export interface WorkerOptions<Input = Json, Output = Json> {
  /** How many handoffs at a time, from 1 to 10000. @default 1 */
  readonly concurrency?: number;
  /** Input that does not follow it fails the attempt with the code `VALIDATION_FAILED`; the handler gets what it makes of it. */
  readonly inputSchema?: StandardSchema<Input>;
  /** A result that does not follow it fails the attempt with the code `VALIDATION_FAILED`. */
  readonly outputSchema?: StandardSchema<Output>;
  /** Aborted: takes nothing new, finishes what runs. */
  readonly signal?: AbortSignal;
}

export interface Worker {
  /** When the worker has stopped. Rejects when the database is gone for good. */
  readonly done: Promise<{ readonly attempts: number; readonly refused: number }>;
  /** Takes nothing new and finishes what runs; with `now`, what runs is aborted and given back. */
  stop(options?: { readonly now?: boolean }): Promise<void>;
}

/** What `list` takes. */
export type FindOptions = GivenInput<typeof OPERATIONS.list.input> & FormerPage;

export interface FeedOptions {
  /** The cursor of the last item that was read; an empty text is the very beginning. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

export interface FeedItem {
  readonly cursor: string;
  readonly fact: FactView;
}
