/** The dependencies of shadow operations. */
import type { Clock } from '../../foundation/clock.ts';
import type { Random } from '../../foundation/random.ts';
import type { ShadowId } from '../../domain/names.ts';
import type { LimitName, LimitState, ProjectType } from '../../domain/shadow.ts';
import type { CommandOverrides } from '../../domain/shadow-plan.ts';
import type { HostChecks, Sandbox, SnapshotMaker } from '../../shadows/sandbox.ts';
import type { Liveness } from '../context.ts';
import type { ProcessIdentity } from '../../stores/store.ts';

export interface ShadowContext {
  readonly sandbox: Sandbox;
  readonly snapshots: SnapshotMaker;
  readonly hostChecks: HostChecks;
  readonly records: ShadowRecords;
  readonly settings: ShadowSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly liveness: Pick<Liveness, 'self' | 'of'>;
  readonly hostName: string;
  /** The path of a source on this host: `~` is the user's home. */
  hostPath(path: string): string;
}

/** What the workspace configures. */
export interface ShadowSettings {
  readonly projectType: ProjectType | null;
  readonly commands: CommandOverrides;
  readonly cache: string | null;
  /** Limits that must be enforced. */
  readonly requiredLimits: readonly LimitName[];
  /** Whether a test without a shadow is allowed. */
  readonly hostOnly: 'allowed' | 'refused';
  /** For one command inside. */
  readonly commandMs: number;
  /** For a whole test. */
  readonly testMs: number;
  /** After this a shadow ends by itself. */
  readonly lifeMs: number;
}

export interface RecordedSource {
  /** As the operator wrote it. */
  readonly path: string;
  /** The top of the repository. */
  readonly folder: string;
  readonly repository: string;
  readonly commit: string;
  readonly tree: string;
  readonly changedFiles: readonly string[];
  readonly warnings: readonly string[];
}

export interface ShadowRecord {
  readonly id: ShadowId;
  readonly createdAtMs: number;
  readonly untilMs: number;
  /** The process of a test run. The shadow is removed when that process is gone. Null: it stays until it is destroyed or too old. */
  readonly owner: ProcessIdentity | null;
  readonly sources: readonly RecordedSource[];
  /** Null while it is being made. */
  readonly sandbox: {
    readonly runtime: string;
    readonly image: string;
    readonly base: string;
    readonly limits: readonly LimitState[];
  } | null;
}

/** Kept below the workspace's private folder; an id never leads anywhere else. */
export interface ShadowRecords {
  list(): Promise<readonly ShadowRecord[]>;
  load(id: ShadowId): Promise<ShadowRecord | null>;
  /** Makes the folder of a new one. */
  save(record: ShadowRecord): Promise<void>;
  /** Removes the record with all its files. */
  remove(id: ShadowId): Promise<void>;
  /** The folder with its snapshots. */
  snapshots(id: ShadowId): string;
  /** An unused path beside the snapshots. */
  draft(id: ShadowId): string;
  /** Replaces a snapshot by a draft. */
  replace(id: ShadowId, draft: string, key: string): Promise<void>;
}

/** Of one command, per stream. */
export const OUTPUT_BYTES_MAX = 1024 * 1024;
