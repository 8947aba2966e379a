/**
 * The contracts for running agents. A *host* has terminals: it starts a program in one, types into it and ends it. An
 * *adapter* knows one vendor's program: its command line, its hook events, its context use and how it ends. A *journal*
 * stores hook events on disk, whether or not a server runs.
 */
import type { Json } from '../foundation/json.ts';
import type { Result } from '../foundation/result.ts';
import type { AgentEvent } from '../domain/agent-events.ts';
import type { AgentId, HandoffId } from '../domain/names.ts';
import type { AdapterName, AgentSession, ContextUse, Pane } from '../domain/agent-session.ts';

export interface AgentHost {
  /**
   * Starts a program in a terminal of its own. If the name is in use, nothing is started and the existing pane is returned:
   * a second try finds what the first one started.
   */
  start(start: HostStart): Promise<Result<Pane, HostProblem>>;
  /** The pane of this name; null: there is none. */
  find(name: string): Promise<Result<Pane | null, HostProblem>>;
  status(pane: Pane): Promise<PaneStatus>;
  /** Inserts one line at the cursor without sending it. */
  paste(pane: Pane, line: string): Promise<Result<true, HostProblem>>;
  press(pane: Pane, key: 'enter' | 'clear-line' | 'interrupt'): Promise<Result<true, HostProblem>>;
  /** What the terminal shows now, without colors; for people, never for decisions. */
  screen(pane: Pane): Promise<string>;
  /** Ends the program: `ask` lets it finish, `hang-up` closes its terminal, `kill` is sure. */
  end(pane: Pane, how: 'ask' | 'hang-up' | 'kill'): Promise<void>;
}

export interface HostStart {
  readonly name: string;
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables whose values are read from files, because command lines are visible to other users. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** `changed`: another process runs in the pane. `no-host`: the host does not answer. */
export type PaneStatus =
  | { readonly kind: 'alive'; readonly copyMode: boolean }
  /** Null: a signal ended the program, or the host does not know (tmux 3.3 sometimes loses it on a busy machine). */
  | { readonly kind: 'dead'; readonly status: number | null }
  | { readonly kind: 'gone' }
  | { readonly kind: 'changed'; readonly says: string }
  | { readonly kind: 'no-host'; readonly says: string };

export interface HostProblem {
  readonly code: 'pane_gone' | 'pane_changed' | 'host_failed';
  readonly says: string;
}

/** What an adapter needs to start its agent. */
export interface LaunchRequest {
  readonly session: Pick<AgentSession, 'id' | 'command' | 'cwd'>;
  readonly conversation: string;
  readonly title: string;
  /** The first text for the agent; null: a resumed agent knows it. */
  readonly priming: string | null;
  /** Where the agent may write its document without being asked; a real path. */
  readonly documentFolder: string;
  /** Where files for this one launch may lie. */
  readonly privateFolder: string;
  /** The command line of Baton itself, for hooks. */
  readonly baton: readonly string[];
}

export interface Launch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Written before the program starts. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** How the priming reaches the agent: with its command line, or as a line that is typed when it is ready. */
  readonly primedBy: 'command-line' | 'typing';
}

/** What the agent's own files say it is doing; null: they do not say. */
export type AgentActivity = 'idle' | 'busy' | 'dialog' | null;

export interface AgentAdapter {
  readonly name: AdapterName;
  /** Whether hooks confirm what was typed. Without them a line counts as delivered when it was sent. */
  readonly hasHooks: boolean;
  launch(request: LaunchRequest): Launch;
  /** Continues an ended conversation; null: this agent cannot. */
  resume(request: LaunchRequest): Launch | null;
  /** A command line that exits quickly with code 0 if the program is installed. */
  check(session: Pick<AgentSession, 'command'>): readonly string[];
  activity(probe: Probe): Promise<AgentActivity>;
  /** Events from the agent's own record of the conversation, which also holds those of lost hooks. */
  recorded(probe: Probe): Promise<readonly AgentEvent[]>;
  /** Null: nothing is known yet. */
  context(probe: Probe): Promise<ContextReading | null>;
  /** The end of the conversation, for a substitute document; empty: it cannot be read. */
  transcriptTail(probe: Probe): Promise<string>;
}

/** What an adapter may read: the session, its status line, its transcript and its screen. */
export interface Probe {
  readonly session: AgentSession;
  readonly statusLine: Json;
  /** The file in which the agent keeps the conversation, as a hook named it. */
  readonly transcript: string | null;
  screen(): Promise<string>;
}

export type ContextReading = Pick<ContextUse, 'percent' | 'usedTokens' | 'windowTokens' | 'limitPercent'>;

/** While a handover is under way: the agent must not compact, and may write this one file. */
export interface HandoverNote {
  readonly handoff: string;
  readonly documentPath: string;
}

export interface HookCall {
  readonly vendor: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface AgentJournal {
  /** Stores one call of a hook. Returns what the hook prints for the agent's program, or null. */
  record(agent: number, hook: HookCall): Promise<object | null>;
  /** All events of this agent, in order. */
  read(agent: number): Promise<readonly AgentEvent[]>;
  /** Changes how hooks of this agent answer; null: no handover is under way. */
  note(agent: number, note: HandoverNote | null): Promise<void>;
  /** The last input of the agent's status line; null: none yet. */
  statusLine(agent: number): Promise<Json>;
  /** Runs `drive` under the lock of this agent; false: another process has the lock, and nothing was run. */
  withLock(agent: number, drive: () => Promise<void>): Promise<boolean>;
}

/** When an interactive agent can learn of work for it. */
export type WakeMoment = 'session-start' | 'turn-end';

/** The handoffs that were announced to an agent, stored on disk. Each is announced once per session. */
export interface WakeNotes {
  announced(agent: AgentId): readonly HandoffId[];
  /** Marks these as announced. Returns those that were not marked before, so that of many callers one announces. */
  markAnnounced(agent: AgentId, ids: readonly HandoffId[]): readonly HandoffId[];
  forget(agent: AgentId, ids: readonly HandoffId[]): void;
}

/** How a program ended, as far as its host knows. */
export function endText(status: number | null): string {
  return status === null ? 'by a signal, or with an unknown exit code' : `exit code ${status}`;
}
