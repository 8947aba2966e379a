/**
 * A running agent that Baton knows: its persona, its adapter, where it runs, and how full its context is. The record is
 * replaced as a whole, guarded by its revision.
 */
import type { AgentId, HandoffId } from './names.ts';
import type { SuccessionPlan, SuccessionReason } from './succession.ts';

/** The adapters that start, observe and stop agents. `command` is any program. */
export const ADAPTERS = ['claude', 'codex', 'gemini', 'command'] as const;
export type AdapterName = (typeof ADAPTERS)[number];

/**
 * `starting`: its process is being started. `retired`: it has handed its work over. `ended`: it stopped without that.
 * Nothing follows `retired` and `ended`, except that a predecessor is revived when its successor could not be started.
 */
type AgentSessionState = 'starting' | 'active' | 'retired' | 'ended';

export interface AgentSession {
  /** An integer from 1 on, never reused. */
  readonly id: number;
  /** Counts the replacements of this record. */
  readonly revision: number;
  /** Chosen by the caller: adding the same key again returns the existing session. */
  readonly key: string;
  /** Null: it can be watched, but it has no successor. */
  readonly persona: AgentId | null;
  readonly adapter: AdapterName;
  /** The program and its first arguments; empty: the program that the adapter is named after. */
  readonly command: readonly string[];
  /** The working folder. */
  readonly cwd: string;
  /** The place (machine, boot, process-id namespace) whose processes can drive it. */
  readonly place: string;
  /** The terminal pane for typed lines; null: it has none. */
  readonly pane: Pane | null;
  /** The id of the conversation in the agent's own program. */
  readonly conversation: string | null;
  readonly predecessor: number | null;
  readonly state: AgentSessionState;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly context: ContextUse | null;
  /** The handover that is under way. Null: none is. */
  readonly succession: SuccessionBegun | null;
  /** How the last finished handover ended. */
  readonly lastSuccession: SuccessionEnd | null;
  /** The id of the token that it was started with; absent: this workspace needs none. The token ends with the session. */
  readonly token?: string;
}

/** A pane of a terminal multiplexer, and the process that ran in it when it was recorded. */
export interface Pane {
  readonly session: string;
  readonly pane: string;
  readonly pid: number;
  /** The start time of that process: process ids are reused. */
  readonly startedAt: string;
}

export interface SuccessionBegun {
  readonly handoff: HandoffId;
  readonly reason: SuccessionReason;
  readonly context: string | null;
  readonly documentPath: string;
  readonly at: number;
  readonly plan: SuccessionPlan;
}

interface SuccessionEnd {
  readonly handoff: HandoffId;
  readonly at: number;
  /** Null: it succeeded. */
  readonly error: { readonly code: string; readonly says: string } | null;
}

/** How much of an agent's context is used. */
export interface ContextUse {
  /** Of the point at which the agent compacts by itself, from 0 on; may exceed 100. */
  readonly percent: number;
  readonly usedTokens: number | null;
  readonly windowTokens: number | null;
  /** Of the vendor's usage limit that is used most. */
  readonly limitPercent: number | null;
  readonly at: number;
  /** Whether this session was ever seen below the tier at which a handover is offered. */
  readonly wasBelow: boolean;
}

export type NewAgentSession = Omit<AgentSession, 'id' | 'revision'>;

/** The fields that are still unknown when a session is added. */
export const FRESH_SESSION = {
  pane: null,
  predecessor: null,
  endedAt: null,
  context: null,
  succession: null,
  lastSuccession: null,
} as const;

export const CONTEXT_TIERS = { notice: 65, warning: 75, handoff: 80 } as const;
export type ContextTier = keyof typeof CONTEXT_TIERS;

/** Below the limit, so that the agent can still write a document. */
const USAGE_LIMIT_PERCENT = 95;

export function tierOf(percent: number): ContextTier | null {
  if (percent >= CONTEXT_TIERS.handoff) return 'handoff';
  if (percent >= CONTEXT_TIERS.warning) return 'warning';
  return percent >= CONTEXT_TIERS.notice ? 'notice' : null;
}

/**
 * Why a handover should begin automatically; null: no reason. A session that was never seen below the tier began full:
 * its successor would begin full too, and so on without end.
 */
export function dueReason({ context, state, succession }: AgentSession): 'context_limit' | 'usage_limit' | null {
  if (context === null || state !== 'active' || succession !== null) return null;
  if (context.limitPercent !== null && context.limitPercent >= USAGE_LIMIT_PERCENT) return 'usage_limit';
  return context.wasBelow && tierOf(context.percent) === 'handoff' ? 'context_limit' : null;
}

export function isOpenSession({ state }: Pick<AgentSession, 'state'>): boolean {
  return state === 'starting' || state === 'active';
}
