/** Agent sessions as programs see them. */
import { instantOrNull, instantText } from '../../foundation/instant-text.ts';
import type { JsonObject } from '../../foundation/json.ts';
import { tierOf, type AgentSession } from '../../domain/agent-session.ts';
import { progressOf, STEPS, type TriggerRefusal } from '../../domain/succession.ts';
import type { Fact } from '../../domain/facts.ts';
import type { BeginRefusal } from '../../engine/succession/begin.ts';

export function agentSessionView(session: AgentSession): Record<string, unknown> {
  const { id, persona, adapter, command, cwd, pane, conversation, predecessor, state, context } = session;
  const { succession, lastSuccession: last, startedAt, endedAt } = session;
  return {
    id,
    persona,
    adapter,
    command,
    cwd,
    state,
    pane: pane && { session: pane.session, pane: pane.pane, pid: pane.pid },
    conversation,
    previous_agent_id: predecessor,
    started_at: instantText(startedAt),
    ended_at: instantOrNull(endedAt),
    context: context && {
      percent: context.percent,
      tier: tierOf(context.percent),
      used_tokens: context.usedTokens,
      window_tokens: context.windowTokens,
      limit_percent: context.limitPercent,
      at: instantText(context.at),
    },
    handoff: succession && {
      id: succession.handoff,
      reason: succession.reason,
      file_path: succession.documentPath,
      created_at: instantText(succession.at),
    },
    last_handoff: last && {
      id: last.handoff,
      at: instantText(last.at),
      error: last.error?.code ?? null,
      message: last.error?.says ?? null,
    },
  };
}

/** The steps of a succession in their order, each with the time when it was done. */
export function stepsView(facts: readonly Fact[]): readonly { readonly step: string; readonly at: string | null }[] {
  const { at } = progressOf(facts);
  return STEPS.map((step) => ({ step, at: instantOrNull(at.get(step) ?? null) }));
}

/** The specification's words for a succession that cannot begin. */
const TRIGGER_WORDS: Readonly<Record<TriggerRefusal['code'], string>> = {
  'agent-not-found': 'not_found',
  'agent-not-active': 'not_active',
  'agent-without-persona': 'no_persona',
  'agent-without-pane': 'no_tmux_pane',
  'succession-in-progress': 'already_in_progress',
};

/** What programs learn of the refusal beside its code. */
export function triggerFacts({ code, ...facts }: BeginRefusal): JsonObject {
  return { error: code === 'not-your-agent' ? 'not_allowed' : TRIGGER_WORDS[code], ...facts };
}

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
