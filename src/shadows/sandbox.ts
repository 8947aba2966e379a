/**
 * The contract with a sandbox, in which code of a project runs without access to the host. It is small on purpose: preflight,
 * build, create, run, copy, destroy. A failure of the runtime is a `ShadowProblem`; the end of a command inside is a result.
 */
import type { Result } from '../foundation/result.ts';
import type { ShadowId } from '../domain/names.ts';
import type { LimitName, LimitState, ShadowProblem } from '../domain/shadow.ts';
import type { RunEvidence } from '../domain/shadow-verdict.ts';

export interface Sandbox {
  /** Checks whether the runtime answers, the image exists, and which limits are enforced. May build the base image. */
  preflight(signal?: AbortSignal): Promise<Preflight>;
  /** Builds the image, also where there is one already. */
  buildImage(signal?: AbortSignal): Promise<Result<BuiltImage, ShadowProblem>>;
  /** Builds a missing image, starts the environment and reads its limits back from inside. */
  create(request: CreateRequest, signal?: AbortSignal): Promise<Result<CreatedSandbox, ShadowProblem>>;
  exec(id: ShadowId, request: ExecRequest): Promise<ExecResult>;
  /** Regular files below `/workspace`; links and everything else are left out and named. */
  copyOut(id: ShadowId, path: string, signal?: AbortSignal): Promise<Result<CopiedOut, string>>;
  /** One file below `/workspace`. */
  copyIn(id: ShadowId, path: string, bytes: Uint8Array, signal?: AbortSignal): Promise<Result<null, string>>;
  /** Every environment of this workspace, of all processes. */
  list(signal?: AbortSignal): Promise<readonly ListedSandbox[]>;
  /** Resolves when it is gone; false: there was none. */
  destroy(id: ShadowId): Promise<boolean>;
}

export interface Preflight {
  /** `podman` or `docker`; null where none is installed. */
  readonly runtime: string | null;
  readonly version: string | null;
  readonly image: string;
  readonly imageExists: boolean;
  /** Null: a shadow can be created. */
  readonly problem: ShadowProblem | null;
  /** Which limits a container enforces here; empty where none could be started. */
  readonly limits: readonly LimitState[];
  /** For people; a shadow can be created nevertheless. */
  readonly warnings: readonly string[];
}

export interface BuiltImage {
  readonly image: string;
  /** How it was made, for the evidence. */
  readonly base: string;
}

export interface CreateRequest {
  readonly id: ShadowId;
  /** The host's folder with the snapshots, seen read-only inside. */
  readonly snapshots: string;
  /** The host's folder with prefetched packages (`npm/`, `wheels/`), seen read-only; null: there is none. */
  readonly cache: string | null;
  /** The environment ends by itself after this time, also when our process is gone. */
  readonly lifeMs: number;
  /** Limits without which there is to be no shadow. */
  readonly required: readonly LimitName[];
  /**
   * Called once the environment runs: the command that runs in it with the first call, because every call takes time. Null:
   * the environment is not wanted any more.
   */
  setUp(): Promise<string | null>;
}

export interface CreatedSandbox extends BuiltImage {
  readonly runtime: string;
  readonly limits: readonly LimitState[];
}

export interface ExecRequest {
  /** For a shell inside. */
  readonly command: string;
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly outputBytesMax: number;
  readonly signal?: AbortSignal;
}

export interface ExecResult {
  /** Null: a limit ended it, or the environment is gone. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  readonly stoppedBy: 'timeout' | 'output' | 'memory' | null;
  /** The environment no longer answers. */
  readonly isGone: boolean;
}

export interface CopiedOut {
  readonly files: readonly CopiedFile[];
  /** What was not copied, with the reason. */
  readonly skipped: readonly { readonly path: string; readonly says: string }[];
}

export interface CopiedFile {
  /** Relative to the path that was asked for; empty for that path itself. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

export interface ListedSandbox {
  readonly id: string;
  readonly isRunning: boolean;
}

/** What a snapshot of a working tree is (V2). Making one touches nothing of the repository. */
export interface Snapshot {
  readonly commit: string;
  readonly tree: string;
  /** The commit below the uncommitted work; null where there is none yet. */
  readonly base: string | null;
  readonly isDirty: boolean;
  readonly changedFiles: readonly string[];
  /** Path to blob id. */
  readonly files: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

export interface SnapshotMaker {
  /** The repository around a path: its top folder and the address of its origin. */
  repositoryAt(path: string): Promise<Result<{ readonly folder: string; readonly origin: string | null }, string>>;
  /** A bare repository with the working tree as its newest commit, at `target`. */
  take(folder: string, target: string): Promise<Result<Snapshot, string>>;
  /** Only the tree that `take` would make now. */
  treeOf(folder: string): Promise<Result<string, string>>;
  /** Texts of files of a snapshot, as far as they are there and not too large. */
  texts(target: string, commit: string, paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** What is in a snapshot that was taken before. */
  describe(target: string, commit: string): Promise<Pick<Snapshot, 'files' | 'tree' | 'base'>>;
}

export interface HostCheck extends Omit<RunEvidence, 'stoppedBy'> {
  readonly passes: boolean;
  readonly says: string;
}

/** Runs programs of this host on texts, never on code of the project unless `run` is used. */
export interface HostChecks {
  /** Whether a text is correct in its language; null: this host has no parser for it. */
  parses(path: string, text: string): Promise<HostCheck | null>;
  /** The names of modules that come with Python; null where there is none. */
  pythonModules(): Promise<ReadonlySet<string> | null>;
  /** Executes a command of the project on this host. Only where the operator has allowed it. */
  run(folder: string, command: string, timeoutMs: number, signal?: AbortSignal): Promise<HostCheck>;
}
