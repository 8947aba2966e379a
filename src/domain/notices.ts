/** Who has to hear of what happened. Told are those who have to act or who are waiting, never whoever did it. */
import type { Fact } from './facts.ts';
import type { Handoff } from './handoff.ts';
import type { AgentId } from './names.ts';
import { needsVerifier, verifierFor } from './verification.ts';

/** The events that others can ask to be told of; the words are a contract with webhooks. */
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
] as const;
export type Event = (typeof EVENTS)[number];

export interface Notice {
  readonly event: Event;
  /** Whose inbox it goes into. */
  readonly to: readonly AgentId[];
}

/** Null where nothing happened that anybody has to hear of. */
export function noticeOf(handoff: Handoff, fact: Fact): Notice | null {
  const event = eventOf(handoff, fact);
  if (event === null) return null;
  const to = audienceOf(event, handoff).filter((agent) => fact.by !== `@${agent}` && !fact.by.endsWith(` @${agent}`));
  return { event, to };
}

function eventOf(handoff: Handoff, { to, deed }: Fact): Event | null {
  switch (to) {
    case 'offered':
      return deed === 'reoffer' ? 'rework-wanted' : deed === 'retry' || deed === 'release' ? null : 'offered';
    case 'accepted':
      return deed === 'rework' ? 'rework-wanted' : null;
    case 'blocked':
      return handoff.blockedOn?.reason === 'question' ? 'question' : null;
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

/** A queue has workers that look by themselves and senders that wait; only its troubles go into an inbox. */
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
    case 'failed':
    case 'rejected':
    case 'expired':
      return [from];
  }
}
