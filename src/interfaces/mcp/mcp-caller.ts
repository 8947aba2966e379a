/** The caller of an MCP tool. */
import type { AgentId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AgentSession } from '../../engine/agent-session.ts';
import type { Context } from '../../engine/context.ts';

export interface McpCaller {
  readonly ctx: Context;
  readonly principal: Principal;
  /** Null: an operator, who neither sends nor takes work. */
  readonly agent: AgentId | null;
  /** A session holds handoffs as long as this process lives. Null: handoffs are held by a timed lease. */
  readonly session: AgentSession | null;
  /** The handoff that this agent was started for, if a worker started it. */
  readonly parent: string | null;
  readonly signal: AbortSignal;
}
