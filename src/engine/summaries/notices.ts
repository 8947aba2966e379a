/** Inbox entries that a summary causes, written with its fact in the format of all other notices. */
import type { JsonObject, JsonText } from '../../foundation/json.ts';
import { present } from '../../foundation/assert.ts';
import { ok } from '../../foundation/result.ts';
import { inboxKind, type Decide, type Effect } from '../../domain/decision.ts';
import type { AgentId } from '../../domain/names.ts';

export interface SummaryNotice {
  readonly event: 'escalated' | 'failure-reported';
  readonly agent: AgentId;
  readonly detail: JsonObject;
}

export function withNotices(notices: readonly SummaryNotice[], decide: Decide): Decide {
  if (notices.length === 0) return decide;
  return (before, nowMs) => {
    const decided = decide(before, nowMs);
    if (!decided.ok) return decided;
    const { handoff, facts, effects = [] } = decided.value;
    const last = present(facts.at(-1), 'nothing is decided without a fact');
    const added = notices.map(({ event, agent, detail }): Effect => {
      const payload: JsonObject = {
        event,
        handoff: handoff.id,
        revision: last.revision,
        state: handoff.state,
        from: `@${handoff.from}`,
        to: `@${handoff.to}`,
        title: handoff.title,
        task: handoff.task,
        at: new Date(nowMs).toISOString(),
        by: last.by,
        detail,
      };
      return {
        key: `${handoff.id}:${last.revision}:${event}:${agent}`,
        kind: inboxKind(agent),
        payload: JSON.stringify(payload) as JsonText,
      };
    });
    return ok({ ...decided.value, effects: [...effects, ...added] });
  };
}
