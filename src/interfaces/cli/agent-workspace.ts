/** What the agent commands share: the runtime of the agents, and the check who may drive them. */
import type { AgentSession } from '../../domain/agent-session.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AgentRuntime } from '../../engine/succession/agent-runtime.ts';
import type { OpenWorkspace } from '../../workspace/opened-workspace.ts';
import { cliProblem, type Problem } from './problem.ts';

export async function agentsOf(app: OpenWorkspace): Promise<AgentRuntime> {
  const { workspace } = app;
  if (workspace === null) {
    throw cliProblem('no-workspace', 'agents belong to a workspace, and there is none here; make one with: baton init');
  }
  const { openAgents } = await import('../../adapters/agent-sessions/open-agents.ts');
  return openAgents(workspace, app);
}

export function agentNumber(text: string | undefined): number {
  if (text !== undefined && /^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw cliProblem('bad-request', `id ${JSON.stringify(text ?? '')}: the number of an agent; see: baton agent list`);
}

export function noSuchAgent(id: number): Problem {
  return cliProblem('agent-not-found', `there is no agent ${id}; see: baton agent list`, { id });
}

/** The operator may drive every agent, an agent only those of its own persona. */
export function mustBeAllowedToDrive(
  principal: Principal,
  { id, persona }: Pick<AgentSession, 'id' | 'persona'>,
): void {
  if (principal.kind === 'operator' || (principal.kind === 'agent' && principal.agent === persona)) return;
  throw cliProblem('not-your-agent', `agent ${id} is of another persona; an operator may do this`, { id });
}
