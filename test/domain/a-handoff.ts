/** A handoff to begin with: what a test does not say about it is as dull as can be. */
import { NO_TRAIL } from '../../src/domain/facts.ts';
import {
  blankHandoff,
  NO_LINEAGE,
  type Custody,
  type Handoff,
  type Kind,
  type Terms,
} from '../../src/domain/handoff.ts';
import type { State } from '../../src/domain/lifecycle.ts';
import type { AgentId, HandoffId, SessionId } from '../../src/domain/names.ts';
import { DEFAULT_TERMS } from '../../src/domain/default-terms.ts';
import type { Result } from '../../src/foundation/result.ts';

export const SENDER = 'sender' as AgentId;
export const RECIPIENT = 'recipient' as AgentId;
export const JUDGE = 'judge' as AgentId;
export const ID = 'hoff-1' as HandoffId;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** When a handoff of these tests entered its state. */
export const T0 = 1_800_000_000_000;

export function termsOf(kind: Kind, changes: Partial<Terms> = {}): Terms {
  return { ...DEFAULT_TERMS[kind], ...changes };
}

export function byHand(untilAt: number | null = null, holder: AgentId = RECIPIENT): Custody {
  return { by: 'hand', holder, untilAt };
}

export function byProcess(session = 'session-1', holder: AgentId = RECIPIENT): Custody {
  return { by: 'process', holder, session: session as SessionId };
}

/** In the given state as if it had come there: held once when it is in or behind somebody's hands. */
export function aHandoff(state: State, changes: Partial<Handoff> = {}): Handoff {
  const wasAccepted = ['accepted', 'delivered', 'completed'].includes(state);
  const kind = changes.kind ?? 'queue';
  return {
    ...blankHandoff(),
    id: ID,
    revision: 1,
    state,
    kind,
    from: SENDER,
    to: RECIPIENT,
    priority: 'normal',
    title: null,
    task: null,
    lineage: NO_LINEAGE,
    terms: termsOf(kind),
    createdAt: T0,
    since: T0,
    offeredAt: T0,
    notBefore: 0,
    attempt: wasAccepted ? 1 : 0,
    excused: 0,
    fence: wasAccepted ? 1 : 0,
    custody: state === 'accepted' ? byProcess() : null,
    blockedOn: state === 'blocked' ? { reason: 'dependency' } : null,
    claims: [],
    assurance: null,
    trail: NO_TRAIL,
    ...changes,
  };
}

export function valueOf<Value, Reason>(result: Result<Value, Reason>): Value {
  if (!result.ok) throw new Error(`expected a value, was refused: ${JSON.stringify(result.refusal)}`);
  return result.value;
}

export function refusalOf<Value, Reason>(result: Result<Value, Reason>): Reason {
  if (result.ok) throw new Error(`expected a refusal, was allowed: ${JSON.stringify(result.value)}`);
  return result.refusal;
}
