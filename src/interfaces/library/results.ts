/** What the methods of the library answer. */
import type { Json } from '../../foundation/json.ts';
import type { ArtifactStatus } from '../../domain/artifacts.ts';
import type { FactView, HandoffView, WholeView } from '../shared/views.ts';
import type { StandardSchema } from './standard-schema.ts';

/** Beside what an operation takes. */
export interface CallOptions {
  /** In whose name; default: as `openBaton` was told. */
  readonly as?: string;
  /** Aborted: nothing further is begun. */
  readonly signal?: AbortSignal;
}

/** A part of a list. */
export interface HandoffPage {
  readonly items: readonly HandoffView[];
  /** Goes on as `after`; null: there is no more. */
  readonly next: string | null;
  /** Where to begin with `feed` to miss nothing of this list. */
  readonly cursor: string;
}

export type ShownHandoff = WholeView & { readonly facts: readonly FactView[] };

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
  /** Waits until it is completed, and answers what was delivered. Throws like `baton.wait`. */
  result(options?: WaitOptions<Output>): Promise<Output>;
  /** Says that it is no longer wanted, in the name of its sender. Throws `BatonRefusal` when it is settled already. */
  cancel(options?: { readonly reason?: string }): Promise<HandoffView>;
  /** Everything that has happened to it, oldest first. */
  facts(): Promise<readonly FactView[]>;
}

export interface WaitOptions<Output = Json> extends CallOptions {
  /** Give up after this many milliseconds; default: never. */
  readonly timeoutMs?: number;
  /** The result has to follow it; what it makes of the result is answered. */
  readonly resultSchema?: StandardSchema<Output>;
}

export interface IngestAnswer {
  readonly index: number;
  readonly line: number;
  readonly column: number;
  readonly place: string;
  /** By which rule a block was obeyed or taken for an example, like `ends-message`; null for what is no block. */
  readonly rule: string | null;
  readonly fate: 'done' | 'known' | 'ready' | 'quoted' | 'unclear' | 'invalid' | 'refused' | 'nothing';
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

export interface CleanedArtifacts {
  readonly applied: boolean;
  readonly deprecated: readonly string[];
  readonly changes: readonly {
    readonly id: string;
    readonly from: ArtifactStatus;
    readonly to: ArtifactStatus;
    /** Why it stays as it is; null: it does not. */
    readonly kept: string | null;
  }[];
}
