/** Who is notified of a fact: agents that have to act on it or wait for it, but never its author. */
import { detailIn } from './fact-detail-text.ts';
import { changesNothing } from './fact-types.ts';
import type { Fact } from './facts.ts';
import type { Handoff } from './handoff.ts';
import { readAgentId, type AgentId } from './names.ts';
import { speakerIn } from './principal.ts';
import { escalatedTo } from './rejection.ts';
import { needsVerifier, verifierFor } from './verification.ts';

/** The events that webhooks can subscribe to. The names are a contract. */
export const EVENTS = [
  'offered',
  'verification-wanted',
  'rework-wanted',
  'question',
  'completed',
  'failed',
  'rejected',
  'expired',
  'cancelled',
  'escalated',
  'dependency-failed',
] as const;
export type Event = (typeof EVENTS)[number];

export interface Notice {
  readonly event: Event;
  /** The agents whose inboxes get the notice. */
  readonly to: readonly AgentId[];
}

/** Null: the fact causes no notice. */
export function noticeOf(handoff: Handoff, fact: Fact): Notice | null {
  const event = eventOf(handoff, fact);
  if (event === null) return null;
  const audience = event === 'failed' ? [...audienceOf(event, handoff), ...alsoIn(fact)] : audienceOf(event, handoff);
  const to = audience.filter((agent) => fact.by !== `@${agent}` && !fact.by.endsWith(` @${agent}`));
  return { event, to };
}

/** Notifies the chiefs that they have to decide. Sent in addition to the notice of the same fact, even if no chief is named. */
export function escalationOf(fact: Fact): Notice | null {
  const to = escalatedTo(fact);
  return to === null ? null : { event: 'escalated', to: to.filter((agent) => speakerIn(fact.by) !== agent) };
}

function eventOf(handoff: Handoff, { to, deed }: Fact): Event | null {
  if (changesNothing(deed)) return null;
  switch (to) {
    case 'offered':
      return deed === 'reoffer' ? 'rework-wanted' : deed === 'retry' || deed === 'release' ? null : 'offered';
    case 'accepted':
      return deed === 'rework' ? 'rework-wanted' : null;
    case 'blocked':
      return blockedEvent(handoff);
    case 'delivered':
      return deed === 'deliver' && needsVerifier(handoff) ? 'verification-wanted' : null;
    case 'completed':
    case 'failed':
    case 'rejected':
    case 'expired':
    case 'cancelled':
      return to;
    case 'draft':
      return null;
  }
}

function blockedEvent({ blockedOn }: Handoff): Event | null {
  if (blockedOn?.reason === 'question') return 'question';
  return blockedOn?.reason === 'dependency' && blockedOn.failed !== undefined ? 'dependency-failed' : null;
}

/** A failure may name another agent that is notified besides the sender. */
function alsoIn(fact: Fact): readonly AgentId[] {
  const { also } = detailIn(fact);
  const agent = typeof also === 'string' ? readAgentId(also) : null;
  return agent === null ? [] : [agent];
}

/** Queue workers poll and queue senders wait, so for the queue only problems go into an inbox. */
function audienceOf(event: Event, handoff: Handoff): readonly AgentId[] {
  const { from, to, kind } = handoff;
  switch (event) {
    case 'offered':
    case 'rework-wanted':
      return kind === 'document' ? [to] : [];
    case 'verification-wanted': {
      const verifier = verifierFor(handoff);
      return verifier === 'operator' ? [] : [verifier];
    }
    case 'completed':
      return kind === 'document' ? [from] : [];
    case 'cancelled':
      return kind === 'document' ? [from, to] : [];
    case 'question':
    case 'dependency-failed':
    case 'failed':
    case 'rejected':
    case 'expired':
      return [from];
    case 'escalated':
      return [];
  }
}
