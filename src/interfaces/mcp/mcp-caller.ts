/** Who asks through MCP, and what it holds. */
import type { AgentId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AgentSession } from '../../engine/agent-session.ts';
import type { Context } from '../../engine/context.ts';

export interface McpAsking {
  readonly ctx: Context;
  readonly principal: Principal;
  /** Null: an operator, who sends and takes nothing in its own name. */
  readonly agent: AgentId | null;
  /** Where this process lives as long as the agent does: what it takes is its own until it ends. Null: by lease in time. */
  readonly session: AgentSession | null;
  /** The handoff that this agent was started for, if a worker started it. */
  readonly parent: string | null;
  readonly signal: AbortSignal;
}
