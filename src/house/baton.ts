/** The library as its users see it. Names of agents may be written with or without `@`. */
import type { Json, JsonObject } from '../foundation/json.ts';
import type { ArtifactStatus } from '../domain/artifacts.ts';
import type { State } from '../domain/lifecycle.ts';
import type { Priority } from '../domain/priority.ts';
import type { FactView, HandoffView, WholeView } from '../faces/shared/views.ts';

export type { FactView, HandoffView, WholeView };

/** Hands work from one agent to another. Everything that is refused is thrown as a `BatonRefusal` with its code. */
export interface Baton {
  /** Offers work to an agent. When this comes back, it survives a power cut. */
  send(request: SendOptions): Promise<HandoffView>;
  /** All of them or none, in one transaction. */
  sendMany(requests: readonly SendOptions[]): Promise<readonly HandoffView[]>;
  /** Runs `handler` on everything that is offered to `agent`, until it is stopped. */
  work(agent: string, handler: WorkHandler, options?: WorkerOptions): Worker;
  /** Until it is completed; throws `HandoffNotCompleted` when it ends otherwise, `BatonTimeout` when time is up. */
  wait(id: string, options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal }): Promise<WholeView>;
  /** Takes the next one by hand, or null. It is held for `leaseMs` (15 minutes) and longer with `renew`. */
  claim(agent: string, options?: { readonly leaseMs?: number }): Promise<WholeView | null>;

  /** Offers a draft. */
  activate(id: string, options?: As): Promise<HandoffView>;
  /** Takes this one by hand. */
  accept(id: string, options?: As & { readonly notes?: string; readonly leaseMs?: number }): Promise<HandoffView>;
  /** Declines it for good. */
  reject(id: string, options: Fenced & { readonly type: string; readonly reason: string }): Promise<HandoffView>;
  /** Gives it back; the attempt does not count. */
  release(id: string, options?: Fenced): Promise<HandoffView>;
  renew(id: string, options?: Fenced & { readonly leaseMs?: number }): Promise<HandoffView>;
  progress(id: string, options: Fenced & { readonly fraction?: number; readonly says?: string }): Promise<HandoffView>;
  /** Done, says the doer. Evidence is looked at before anything is written. */
  deliver(
    id: string,
    options?: Fenced & { readonly result?: Json; readonly evidence?: readonly EvidenceOption[] },
  ): Promise<HandoffView>;
  /** This attempt failed; the retry policy says whether there is another. */
  fail(id: string, options: Fenced & { readonly code: string; readonly message: string }): Promise<HandoffView>;
  /** Stops it until a question is answered. */
  block(id: string, options: Fenced & { readonly question: string }): Promise<HandoffView>;
  unblock(id: string, options?: As & { readonly answer?: string }): Promise<HandoffView>;
  /** Somebody who neither sent nor did it agrees. `criteria` are those that are met. */
  verify(
    id: string,
    options?: As & { readonly notes?: string; readonly criteria?: readonly string[] },
  ): Promise<HandoffView>;
  /** Delivered work goes back to its doer. */
  rework(id: string, options: As & { readonly reason: string }): Promise<HandoffView>;
  cancel(id: string, options?: As & { readonly reason?: string }): Promise<HandoffView>;
  /** A new handoff in place of one that has ended badly. */
  retry(
    id: string,
    options?: As & { readonly input?: Json; readonly timeoutMs?: number; readonly requestId?: string },
  ): Promise<HandoffView>;

  /** One handoff with input and result, or null. */
  load(id: string): Promise<WholeView | null>;
  find(filter?: FindOptions): Promise<{ readonly items: readonly HandoffView[]; readonly next: string | null }>;
  /** The chain that it belongs to, oldest first. */
  trace(id: string): Promise<readonly HandoffView[]>;
  /** Everything that happened to one handoff. */
  facts(id: string): Promise<readonly FactView[]>;
  /** Everything that happens, from `after` on (default: from now), without end and without a gap. */
  feed(options?: FeedOptions): AsyncIterable<FeedItem>;
  /** What an agent has to hear of. `clear` takes it as read. */
  inbox(agent: string, options?: { readonly clear?: boolean; readonly max?: number }): Promise<readonly JsonObject[]>;

  /**
   * Reads the handoff blocks of a text and does what they say; a file without one is read in whatever form it has. Each
   * has its own answer, in the order of the text, and one that is refused holds up no other: nothing is thrown for it.
   * The same text from the same place changes nothing a second time.
   */
  ingest(request: IngestOptions): Promise<readonly IngestAnswer[]>;

  /** One artifact with its content, or null. */
  artifact(id: string): Promise<ArtifactView | null>;
  /** What is registered, without its content. */
  findArtifacts(filter?: ArtifactOptions): Promise<readonly ArtifactEntry[]>;
  /** Brings a file below `artifacts/` into the registry; refused with the first check that it does not pass. */
  registerArtifact(
    path: string,
    options?: { readonly schema?: string; readonly supersedes?: readonly string[] },
  ): Promise<ArtifactEntry>;

  /** Stops the workers, finishes what runs, closes the database. */
  close(): Promise<void>;
}

export interface IngestOptions extends Fenced {
  /** Markdown, YAML, JSON, or a transcript of JSON lines. */
  readonly text: string;
  /** The file that it was read from. */
  readonly file?: string;
  /** Or the session that said it, with the turn: then only blocks are read. */
  readonly session?: string;
  readonly turn?: string;
  /** For blocks that name none; default: that of `baton.yaml`. */
  readonly project?: string;
  /** Takes only blocks that are written exactly as specified. */
  readonly strict?: boolean;
  /** Aborted: no further one is begun. */
  readonly signal?: AbortSignal;
}

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

export interface ArtifactOptions {
  readonly type?: string;
  readonly phase?: number;
  readonly agent?: string;
  /** Default: everything that is not archived or deleted. */
  readonly status?: ArtifactStatus;
}

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

export interface As {
  readonly as?: string;
}

export interface Fenced extends As {
  /** The number of your acceptance. Needed for everything that is held with a lease; documents by hand have none. */
  readonly fence?: number;
}

export interface SendOptions {
  readonly from: string;
  readonly to: string;
  readonly input: Json;
  /** The name of a schema in `schemas/` that the input follows. */
  readonly schema?: string;
  readonly context?: JsonObject;
  readonly title?: string;
  readonly task?: string;
  readonly priority?: Priority;
  /** For each attempt, from pick-up. */
  readonly timeoutMs?: number;
  readonly dependsOn?: readonly string[];
  readonly deliverables?: readonly string[];
  readonly criteria?: readonly string[];
  /** Who has to agree that it is done. */
  readonly verifiers?: readonly string[];
  readonly retry?: { readonly max?: number; readonly delayMs?: number; readonly multiplier?: number };
  /** The leg that this one follows from. */
  readonly parent?: string;
  readonly notBefore?: Date;
  /** A governed document begins as a draft. */
  readonly kind?: 'queue' | 'document';
  /** Where a limit is reached, wait for a place. */
  readonly queue?: boolean;
  /** The same key and content again answers the same handoff. */
  readonly requestId?: string;
}

export interface EvidenceOption {
  readonly deliverable: string;
  readonly kind: 'file' | 'commit' | 'command' | 'shadow' | 'url' | 'note';
  readonly value: string;
}

/** What it answers is the result. What it throws is a failure; `HandlerFailure` names its code. */
export type WorkHandler = (handoff: WholeView, attempt: WorkAttempt) => Promise<Json> | Json;

export interface WorkAttempt {
  /** Aborted when time is up, the lease is lost or the worker must stop. */
  readonly signal: AbortSignal;
  /** From 0 to 1, and in words. */
  progress(fraction: number | null, says?: string): void;
  /** Shown for a deliverable together with the result. */
  evidence(deliverable: string, kind: EvidenceOption['kind'], value: string): void;
}

export interface WorkerOptions {
  readonly concurrency?: number;
  /** Aborted: takes nothing new, finishes what runs. */
  readonly signal?: AbortSignal;
}

export interface Worker {
  /** When the worker has stopped. Rejects when the database is gone for good. */
  readonly done: Promise<{ readonly attempts: number; readonly refused: number }>;
  /** Takes nothing new and finishes what runs; with `now`, what runs is aborted and given back. */
  stop(options?: { readonly now?: boolean }): Promise<void>;
}

export interface FindOptions {
  readonly agent?: string;
  readonly from?: string;
  readonly to?: string;
  readonly states?: readonly State[];
  readonly task?: string;
  readonly text?: string;
  readonly max?: number;
  readonly after?: string;
}

export interface FeedOptions {
  /** The cursor of the last item that was read; an empty text is the very beginning. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

export interface FeedItem {
  readonly cursor: string;
  readonly fact: FactView;
}
