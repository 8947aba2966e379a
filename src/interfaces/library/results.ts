/** The results of the library's methods. */
import type { Json } from '../../foundation/json.ts';
import type { ArtifactStatus } from '../../domain/artifacts.ts';
import type { FactView, HandoffView, WholeView } from '../shared/views.ts';
import type { StandardSchema } from './standard-schema.ts';

/** Options of every operation. */
export interface CallOptions {
  /** Who acts; default: `as` of `openBaton`. */
  readonly as?: string;
  /** When aborted, the operation starts nothing further. */
  readonly signal?: AbortSignal;
}

/** A page of a list. */
export interface HandoffPage {
  readonly items: readonly HandoffView[];
  /** The `after` of the next page; null: there is none. */
  readonly next: string | null;
  /** The `after` of a feed that misses nothing of this list. */
  readonly cursor: string;
}

export type ShownHandoff = WholeView & { readonly facts: readonly FactView[] };

/** A handoff with the types of its input and result. */
export type TypedHandoff<Input = Json, Output = Json> = Omit<WholeView, 'input' | 'result'> & {
  readonly input: Input;
  /** Set when the handoff is delivered. */
  readonly result?: Output;
};

/** A sent handoff with methods for its sender. */
export interface SentHandoff<Output = Json> extends HandoffView {
  /** Waits until it is completed. Throws like `baton.wait`. */
  wait<Result = Output>(options?: WaitOptions<Result>): Promise<TypedHandoff<Json, Result>>;
  /** Waits until it is completed, and returns the result. Throws like `baton.wait`. */
  result(options?: WaitOptions<Output>): Promise<Output>;
  /** Cancels it in the name of its sender. Throws `BatonRefusal` when it is settled already. */
  cancel(options?: { readonly reason?: string }): Promise<HandoffView>;
  /** Everything that has happened to it, oldest first. */
  facts(): Promise<readonly FactView[]>;
}

export interface WaitOptions<Output = Json> extends CallOptions {
  /** Give up after this many milliseconds; default: never. */
  readonly timeoutMs?: number;
  /** Checks the result. The parsed result is returned. */
  readonly resultSchema?: StandardSchema<Output>;
}

export interface IngestAnswer {
  readonly index: number;
  readonly line: number;
  readonly column: number;
  readonly place: string;
  /** The rule by which a block was taken or quoted, like `ends-message`; null: it is no block. */
  readonly rule: string | null;
  readonly fate: 'done' | 'known' | 'ready' | 'quoted' | 'unclear' | 'invalid' | 'refused' | 'nothing';
  readonly from: string | null;
  readonly to: string | null;
  readonly status: string | null;
  readonly problems: readonly IngestProblem[];
  readonly warnings: readonly IngestProblem[];
  /** What was done, and to which handoffs. */
  readonly ingested?: {
    readonly did: string;
    readonly leg: string;
    readonly opened: string | null;
    readonly escalatedTo: string | null;
    readonly says: readonly string[];
  };
  readonly refusal?: { readonly code: string; readonly message: string };
  /** Why the block changed nothing. */
  readonly says?: string;
  /** For a handoff in another format: the format, and how sure the reading is. */
  readonly legacy?: { readonly form: string; readonly sure: string; readonly because: string };
}

export interface IngestProblem {
  readonly line: number;
  readonly column: number;
  readonly field: string;
  readonly says: string;
  readonly allowed?: readonly string[];
}

/** With the field names of `artifacts/registry.json`. */
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
  /** Files that have changed since the registration. */
  readonly changed: readonly { readonly path: string; readonly says: string }[];
  /** Artifacts that depend on it. */
  readonly dependents: readonly string[];
}

export interface CleanedArtifacts {
  readonly applied: boolean;
  readonly deprecated: readonly string[];
  readonly changes: readonly {
    readonly id: string;
    readonly from: ArtifactStatus;
    readonly to: ArtifactStatus;
    /** Why the artifact stays as it is; null: it changes. */
    readonly kept: string | null;
  }[];
}
