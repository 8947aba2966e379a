/** The effects of a fact: inbox entries, and the webhooks and desktop notifications of the configuration. */
import { assuranceOf } from '../../domain/assurance.ts';
import type { JsonObject, JsonText } from '../../foundation/json.ts';
import { inboxKind, type Effect } from '../../domain/decision.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { escalationOf, noticeOf, type Event, type Notice } from '../../domain/notices.ts';
import type { WorkspaceRules } from '../../engine/context.ts';
import type { Notifications } from '../../workspace/configuration-values.ts';

const NOTHING: readonly Effect[] = [];

export function notificationRules({ desktop, webhooks }: Notifications): WorkspaceRules['notificationsFor'] {
  return (handoff, fact) => {
    const notices = [noticeOf(handoff, fact), escalationOf(fact)].filter((notice) => notice !== null);
    const effects = notices.length === 0 ? NOTHING : notices.flatMap((notice) => effectsOf(notice, handoff, fact));
    // An agent that waits for a person during its handover: the handoff goes on, so no notice has reported it.
    const says = desktop && notices.length === 0 ? successionProblem(fact) : null;
    if (says === null) return effects;
    const key = `${handoff.id}:${fact.revision}:desktop`;
    return [...effects, effect(key, 'desktop', { title: handoff.title ?? handoff.id, text: says })];
  };

  function effectsOf({ event, to }: Notice, handoff: Handoff, fact: Fact): readonly Effect[] {
    const wanted = webhooks.filter(({ events }) => events === null || events.includes(event));
    const shown = desktop && event in DESKTOP_WORDS;
    if (to.length === 0 && wanted.length === 0 && !shown) return NOTHING;
    const body = notificationBody(event, handoff, fact);
    // A second notice of the same fact is another one, also to the same target.
    const key = `${handoff.id}:${fact.revision}${event === 'escalated' ? ':escalated' : ''}`;
    return [
      ...to.map((agent) => effect(`${key}:inbox:${agent}`, inboxKind(agent), body)),
      // Only the name of the target: its secret and hosts are read from the stored policy at delivery.
      ...wanted.map(({ name: target, url }) =>
        effect(`${key}:webhook:${target}`, 'webhook', { target, url, event, id: `${key}:${target}`, body: body }),
      ),
      ...(shown ? [effect(`${key}:desktop`, 'desktop', desktopTextOf(event, handoff, fact))] : []),
    ];
  }
}

function effect(key: string, kind: string, payload: JsonObject): Effect {
  return { key, kind, payload: JSON.stringify(payload) as JsonText };
}

/** Names, state and time, never the content: readers of an inbox or a webhook may not be allowed to read the handoff. */
function notificationBody(event: Event, handoff: Handoff, fact: Fact): JsonObject {
  const assurance = assuranceOf(handoff);
  return {
    event,
    handoff: handoff.id,
    revision: fact.revision,
    state: fact.to,
    from: `@${handoff.from}`,
    to: `@${handoff.to}`,
    title: handoff.title,
    task: handoff.task,
    at: new Date(fact.at).toISOString(),
    by: fact.by,
    ...(assurance === null ? {} : { assurance }),
    ...(fact.detail === '' ? {} : { detail: withoutSummary(JSON.parse(fact.detail) as JsonObject) }),
  };
}

/** Details that stay in the trail: texts of agents, and facts about the database and its machine. */
const STAYS = new Set(['summary', 'seal', 'claims', 'where', 'policy', 'via', 'user']);

function withoutSummary(detail: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(detail).filter(([name]) => !STAYS.has(name)));
}

/** The desktop shows only what needs a person. */
const DESKTOP_WORDS: Partial<Record<Event, string>> = {
  'verification-wanted': 'is delivered and wants to be verified',
  question: 'has a question',
  'dependency-failed': 'waits for something that did not succeed',
  failed: 'failed',
  rejected: 'was rejected',
  expired: 'expired',
  escalated: 'needs a skill that its recipient does not have',
};

function desktopTextOf(event: Event, { id, title, from, to }: Handoff, fact: Fact): JsonObject {
  const says = event === 'failed' ? successionProblem(fact) : null;
  if (says !== null) return { title: `${title ?? id} failed`, text: says };
  return { title: `@${from} → @${to}`, text: `${title ?? id} ${DESKTOP_WORDS[event] ?? event}` };
}

/** The problem of a succession and what to do, from its fact. Null: the fact reports none. */
function successionProblem({ detail }: Fact): string | null {
  if (!detail.includes('"succession":')) return null;
  const { problem, says, code, message } = JSON.parse(detail) as JsonObject;
  if (typeof problem === 'string' && typeof says === 'string') return says;
  return typeof code === 'string' && typeof message === 'string' ? message : null;
}
