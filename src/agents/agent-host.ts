/**
 * The contract with what runs agents. A *host* has terminals: it starts a program in one, types into it and ends it. An
 * *adapter* knows one agent's program: its command line, the events of its hooks, how full it is and how it ends. A *journal*
 * stores the events of hooks on disk, whether or not a server runs.
 */
import type { Json } from '../foundation/json.ts';
import type { Result } from '../foundation/result.ts';
import type { AgentEvent } from '../domain/agent-events.ts';
import type { AgentId, HandoffId } from '../domain/names.ts';
import type { AdapterName, AgentSession, ContextUse, Pane } from '../domain/agent-session.ts';

export interface AgentHost {
  /**
   * Starts a program in a terminal of its own. Where the name is in use, nothing is started and the pane that has it is
   * answered: a second try finds what the first one began.
   */
  start(start: HostStart): Promise<Result<Pane, HostProblem>>;
  /** The pane of this name; null: there is none. */
  find(name: string): Promise<Result<Pane | null, HostProblem>>;
  look(pane: Pane): Promise<PaneSight>;
  /** Puts one line before the cursor and does not send it. */
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
  /** Variables whose values are in files: they must not be seen on a command line. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** `changed`: another process runs in the pane. `no-host`: the host does not answer. */
export type PaneSight =
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

/** What an adapter needs to know to start its agent. */
export interface LaunchRequest {
  readonly session: Pick<AgentSession, 'id' | 'command' | 'cwd'>;
  readonly conversation: string;
  readonly title: string;
  /** The agent reads this before anything else; null: it is resumed and knows it. */
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
  /** Goes on with a conversation that has ended; null: this agent cannot. */
  resume(request: LaunchRequest): Launch | null;
  /** A command line that ends at once and well where the program is there. */
  check(session: Pick<AgentSession, 'command'>): readonly string[];
  activity(probe: Probe): Promise<AgentActivity>;
  /** Events from the agent's own record of the conversation, which also holds those of lost hooks. */
  recorded(probe: Probe): Promise<readonly AgentEvent[]>;
  /** Null: nothing is known yet. */
  context(probe: Probe): Promise<ContextReading | null>;
  /** The end of what was said, for a substitute document; empty: it cannot be read. */
  transcriptTail(probe: Probe): Promise<string>;
}

/** What an adapter may look at: the session, its status line, its transcript and its screen. */
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
  hear(agent: number, hook: HookCall): Promise<object | null>;
  /** All events of this agent, in order. */
  read(agent: number): Promise<readonly AgentEvent[]>;
  /** Changes how hooks of this agent answer; null: no handover is under way. */
  note(agent: number, note: HandoverNote | null): Promise<void>;
  /** The last input of the agent's status line; null: none yet. */
  statusLine(agent: number): Promise<Json>;
  /** Runs `drive` while no other process drives this agent; false: another one does, and nothing was run. */
  alone(agent: number, drive: () => Promise<void>): Promise<boolean>;
}

/** When an interactive agent can learn of work for it. */
export type WakeMoment = 'session-start' | 'turn-end';

/** Which handoffs were announced to an agent, on disk: each once, and again when a new session starts. */
export interface WakeNotes {
  told(agent: AgentId): readonly HandoffId[];
  /** Marks these as announced. Returns those that were not marked before, so that of many callers one announces. */
  tell(agent: AgentId, ids: readonly HandoffId[]): readonly HandoffId[];
  forget(agent: AgentId, ids: readonly HandoffId[]): void;
}

/** How a program ended, as far as its host knows. */
export function endText(status: number | null): string {
  return status === null ? 'by a signal, or with an exit code that the terminal did not tell' : `exit code ${status}`;
}
