/** A workspace that is open: what the command line, the library and the server are given to work with. */
import type { Context, EngineEvent } from '../engine/context.ts';
import type { Configuration } from './configuration-values.ts';
import type { DatabaseAddress } from './database-address.ts';
import type { WorkspacePolicy } from './policy.ts';
import type { Workspace } from './workspace.ts';

export interface OpenOptions {
  /** Its folder; without one, the nearest from here upwards. */
  readonly workspace?: string;
  /** Instead of the workspace's own. */
  readonly database?: DatabaseAddress;
  readonly report?: (event: EngineEvent) => void;
  /** A caller that only reads also opens a database file that cannot be written. */
  readonly onlyReads?: boolean;
  /** Called with the reason while a database server does not answer yet. */
  readonly waiting?: (why: Error) => void;
}

export interface OpenWorkspace {
  readonly ctx: Context;
  /** Null for a database without a workspace folder. */
  readonly workspace: Workspace | null;
  /** What is in force now: the stored policy, and what is local in `baton.yaml`. */
  readonly configuration: Configuration;
  readonly policy: WorkspacePolicy;
  /** The database was gone, and this one is new and empty. */
  readonly isReplaced: boolean;
  close(): Promise<void>;
}
