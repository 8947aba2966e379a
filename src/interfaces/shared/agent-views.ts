/** Agent sessions as programs see them. */
import type { AgentSession } from '../../domain/agent-session.ts';
import { tierOf } from '../../domain/agent-session.ts';
import { progressOf, STEPS, type TriggerRefusal } from '../../domain/succession.ts';
import type { Fact } from '../../domain/facts.ts';
import type { BeginRefusal } from '../../engine/succession/begin.ts';

export function agentSessionView(session: AgentSession): Record<string, unknown> {
  const { id, persona, adapter, command, cwd, pane, conversation, predecessor, state, context } = session;
  const { succession, lastSuccession, startedAt, endedAt } = session;
  return {
    id,
    persona,
    adapter,
    command,
    cwd,
    state,
    pane: pane === null ? null : { session: pane.session, pane: pane.pane, pid: pane.pid },
    conversation,
    previous_agent_id: predecessor,
    started_at: new Date(startedAt).toISOString(),
    ended_at: endedAt === null ? null : new Date(endedAt).toISOString(),
    context:
      context === null
        ? null
        : {
            percent: context.percent,
            tier: tierOf(context.percent),
            used_tokens: context.usedTokens,
            window_tokens: context.windowTokens,
            limit_percent: context.limitPercent,
            at: new Date(context.at).toISOString(),
          },
    handoff:
      succession === null
        ? null
        : {
            id: succession.handoff,
            reason: succession.reason,
            file_path: succession.documentPath,
            created_at: new Date(succession.at).toISOString(),
          },
    last_handoff:
      lastSuccession === null
        ? null
        : {
            id: lastSuccession.handoff,
            at: new Date(lastSuccession.at).toISOString(),
            error: lastSuccession.error?.code ?? null,
            message: lastSuccession.error?.says ?? null,
          },
  };
}

/** The steps of a succession in their order, each with when it was done. */
export function stepsView(facts: readonly Fact[]): readonly { readonly step: string; readonly at: string | null }[] {
  const { at } = progressOf(facts);
  return STEPS.map((step) => {
    const done = at.get(step);
    return { step, at: done === undefined ? null : new Date(done).toISOString() };
  });
}

/** The words of the specification for what cannot begin. */
export const TRIGGER_WORDS: Readonly<Record<TriggerRefusal['code'], string>> = {
  'agent-not-found': 'not_found',
  'agent-not-active': 'not_active',
  'agent-without-persona': 'no_persona',
  'agent-without-pane': 'no_tmux_pane',
  'succession-in-progress': 'already_in_progress',
};

export function agentWording(refusal: BeginRefusal): string {
  switch (refusal.code) {
    case 'agent-not-found':
      return `there is no agent ${refusal.id}; see: baton agent list`;
    case 'agent-not-active':
      return `agent ${refusal.id} is ${refusal.state}: only an active agent can hand over`;
    case 'agent-without-persona':
      return `agent ${refusal.id} has no persona, so nobody can follow it; start it with: baton agent start --persona NAME`;
    case 'agent-without-pane':
      return `agent ${refusal.id} has no tmux pane; carry the lines by hand with: baton agent handoff --manual`;
    case 'succession-in-progress':
      return `agent ${refusal.id} is handing over already: ${refusal.handoff}; see: baton agent show ${refusal.id}`;
    case 'not-your-agent':
      return `agent ${refusal.id} is of another persona; an operator may hand it over`;
  }
}
