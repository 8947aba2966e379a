/** What the command line needs from the program that starts it. The command line opens nothing itself. */
import type { Principal } from '../../domain/principal.ts';
import type { EngineEvent } from '../../engine/context.ts';
import { present } from '../../foundation/assert.ts';
import type { DatabaseAddress } from '../../workspace/database-address.ts';
import type { Template } from '../../workspace/templates.ts';
import type { OpenOptions, OpenWorkspace } from '../../workspace/opened-workspace.ts';
import type { Log } from '../shared/log.ts';

export interface App {
  /** Null: there is neither a workspace nor a database. */
  openWorkspace(options: OpenOptions): Promise<OpenWorkspace | null>;
  /** Makes a workspace in a folder, or completes one. Existing files stay as they are. */
  makeWorkspace(folder: string, options?: MakeOptions): Promise<MadeWorkspace>;
  openLog(level: keyof Log, write: (text: string) => void): Promise<ServerLog>;
  /** Throws `AlreadyServing` when another process serves this workspace. */
  startServing(opened: OpenWorkspace, options: ServingOptions): Promise<Serving>;
  /** Returns when the client has closed or `stop` is aborted. Handoffs that the agent held are given back. */
  serveMcp(opened: OpenWorkspace, principal: Principal, options: ServeMcpOptions): Promise<void>;
}

export interface ServeMcpOptions {
  /** The handoff that this agent was started for. */
  readonly parent: string | null;
  readonly onFault: (error: unknown, incident: string) => void;
  readonly stop: AbortSignal;
}

export interface MakeOptions {
  readonly database?: DatabaseAddress;
  readonly template?: Template | null;
}

export interface MadeWorkspace {
  readonly folder: string;
  /** The files and folders that were made. */
  readonly made: readonly string[];
  /** The value that is missing under `database` in an existing `baton.yaml`; null: none is. */
  readonly database: string | null;
}

export interface ServerLog extends Log {
  event(event: EngineEvent): void;
}

export interface ServingOptions {
  readonly host: string;
  readonly port: number;
  /** Take any free port if this one is taken. */
  readonly orAnyPort: boolean;
  readonly allowHosts: readonly string[];
  readonly log: ServerLog;
  /** The id of the operator token that started the server. The first login link ends with that token. */
  readonly startedWith?: string | null;
}

export interface Serving {
  readonly url: string;
  /** A link that opens the dashboard once. */
  readonly link: string;
  /** A name of the workspace or database, for people. */
  readonly where: string;
  /** Ends when the first signal is aborted and all requests have ended; the second signal ends them at once. */
  until(stop: AbortSignal, force: AbortSignal): Promise<void>;
}

let given: App | null = null;

/** Called once, before the first command runs. */
export function useApp(app: App): void {
  given = app;
}

export function theApp(): App {
  return present(given, 'useApp was called before the first command');
}
