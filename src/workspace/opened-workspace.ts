/** An open workspace, as the command line, the library and the server get it. */
import type { Context, EngineEvent } from '../engine/context.ts';
import type { Configuration } from './configuration-values.ts';
import type { DatabaseAddress } from './database-address.ts';
import type { WorkspacePolicy } from './policy.ts';
import type { Workspace } from './workspace.ts';

export interface OpenOptions {
  /** Its folder; absent: the nearest from here upwards. */
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
  /** The stored policy with the local settings of `baton.yaml`. */
  readonly configuration: Configuration;
  readonly policy: WorkspacePolicy;
  /** The database was lost, and this one is new and empty. */
  readonly isReplaced: boolean;
  close(): Promise<void>;
}
