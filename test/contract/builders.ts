/**
 * Small pieces from which tests build what they hand to a store: names, openings, and decisions made of the domain's
 * own moves. `looks.ts` has the other direction, what tests read out of it.
 */
import { present } from '../../src/foundation/assert.ts';
import type { Json, JsonText } from '../../src/foundation/json.ts';
import { err, ok } from '../../src/foundation/result.ts';
import { CLOCKS } from '../../src/domain/deadlines.ts';
import type { Decide, Decision, Effect } from '../../src/domain/decision.ts';
import type { FactType } from '../../src/domain/fact-types.ts';
import { appendFact } from '../../src/domain/facts.ts';
import { NO_LINEAGE, senderFieldsOf, type Custody, type Handoff, type Terms } from '../../src/domain/handoff.ts';
import { accept } from '../../src/domain/moves/accept.ts';
import { block, unblock } from '../../src/domain/moves/block.ts';
import { create, type Beginning } from '../../src/domain/moves/create.ts';
import { deliver } from '../../src/domain/moves/deliver.ts';
import { cancel } from '../../src/domain/moves/reject-cancel-expire.ts';
import { failAttempt } from '../../src/domain/moves/fail.ts';
import { offer } from '../../src/domain/moves/offer.ts';
import { giveBack } from '../../src/domain/moves/release.ts';
import { renew } from '../../src/domain/moves/renew.ts';
import type { Moved } from '../../src/domain/moves/step.ts';
import { verify } from '../../src/domain/moves/verify.ts';
import { readAgentId, readHandoffId, type AgentId, type HandoffId, type SessionId } from '../../src/domain/names.ts';
import { DEFAULT_RETRY } from '../../src/domain/retry-policy.ts';
import type { Limits } from '../../src/domain/limits.ts';
import type { NewHandoff, ProcessIdentity } from '../../src/stores/store.ts';

/** Before and after every clock that a store under test may have. */
export const LONG_AGO = Date.UTC(2001, 0, 1);
export const FAR_AHEAD = Date.UTC(2200, 0, 1);

export const SENDER = agentOf('sender');
export const WORKER = agentOf('worker');
export const SESSION = sessionOf('session-1');

export function agentOf(name: string): AgentId {
  return present(readAgentId(name), `${name} is a name of an agent`);
}

export function idOf(name: string): HandoffId {
  return present(readHandoffId(name), `${name} is an id`);
}

export function sessionOf(name: string): SessionId {
  return name as SessionId;
}

export function jsonOf(value: Json): JsonText {
  return JSON.stringify(value) as JsonText;
}

function termsOf(parts: Partial<Terms> = {}, kind: Handoff['kind'] = 'queue'): Terms {
  const none = { dependsOn: [], deliverables: [], criteria: [], verifiers: [] };
  return { retry: DEFAULT_RETRY, ...CLOCKS[kind], ...none, ...parts };
}

export function limitsOf(
  agents: Readonly<Record<string, readonly [outgoing: number | null, incoming: number | null]>>,
): Limits {
  const entries = Object.entries(agents).map(
    ([name, [outgoingMax, incomingMax]]) => [agentOf(name), { outgoingMax, incomingMax }] as const,
  );
  return { agents: new Map(entries), everyone: { outgoingMax: null, incomingMax: null } };
}

/** Stores that measure by the clock of one start of the machine have to be opened as of this one. */
export const THIS_BOOT = 'this boot';

export function processOf(parts: Partial<ProcessIdentity> = {}): ProcessIdentity {
  return {
    host: 'host-1',
    machine: 'machine-1',
    boot: THIS_BOOT,
    pidSpace: 'space-1',
    pid: 4711,
    startedAt: '1000',
    ...parts,
  };
}

export type OpeningParts = Partial<Omit<Beginning, 'id' | 'terms'>> & {
  readonly id: string;
  readonly dependsOn?: readonly string[];
  readonly terms?: Partial<Omit<Terms, 'dependsOn'>>;
  readonly body?: JsonText;
  readonly outcome?: JsonText;
  readonly effects?: readonly Effect[];
  /** Blocked until there is a place for it. */
  readonly queued?: boolean;
  /** What the record says instead, for example an earlier `since`. */
  readonly but?: Partial<Handoff>;
};

/** A handoff from SENDER to WORKER, on offer at once, except where the parts say otherwise. */
export function openingOf(parts: OpeningParts): NewHandoff {
  const {
    id: name,
    dependsOn: names = [],
    terms,
    body = jsonOf({ of: name }),
    outcome,
    effects,
    queued,
    but,
    ...rest
  } = parts;
  const id = idOf(name);
  const dependsOn = names.map(idOf);
  const beginning: Beginning = {
    id,
    kind: 'queue',
    from: SENDER,
    to: WORKER,
    ...senderFieldsOf({}),
    lineage: NO_LINEAGE,
    notBefore: 0,
    as: 'offer',
    ...rest,
    terms: termsOf({ ...terms, dependsOn }, rest.kind),
  };
  const waiting: Partial<Handoff> = queued === true ? { state: 'blocked', blockedOn: { reason: 'place' } } : {};
  return {
    id,
    dependsOn,
    body,
    decide: (nowMs, dependencies) => {
      const created = create(beginning, dependencies, nowMs);
      if (!created.ok) return created;
      const { handoff, fact } = appendFact(
        null,
        { ...created.value, ...waiting, ...but },
        'create',
        `@${beginning.from}`,
        nowMs,
      );
      return ok(decisionOf(handoff, [fact], outcome, effects));
    },
  };
}

/** `count` openings with ids that begin with `name` and the same parts. */
export function openingsOf(count: number, name: string, parts: Omit<OpeningParts, 'id'> = {}): readonly NewHandoff[] {
  return Array.from({ length: count }, (_, index) => openingOf({ ...parts, id: `${name}-${index}` }));
}

/** Any single move as a decision, with its fact. */
export function deciding(
  deed: FactType,
  move: (handoff: Handoff, nowMs: number) => Moved,
  extras: Extras = {},
): Decide {
  return (before, nowMs) => {
    const moved = move(before, nowMs);
    if (!moved.ok) return moved;
    const { handoff, fact } = appendFact(before, moved.value, deed, extras.by ?? 'system', nowMs);
    return ok(decisionOf(handoff, [fact], extras.outcome, extras.effects));
  };
}

export interface Extras {
  readonly by?: string;
  readonly outcome?: JsonText;
  readonly effects?: readonly Effect[];
}

/** What a worker session does when it takes something. */
export function acceptBy(session: SessionId = SESSION, untilAt?: number): Decide {
  const until = untilAt === undefined ? {} : { untilAt };
  return acceptWith((handoff) => ({ by: 'process', holder: handoff.to, session, ...until }));
}

export function acceptByHand(untilAt: number | null = null): Decide {
  return acceptWith((handoff) => ({ by: 'hand', holder: handoff.to, untilAt }));
}

function acceptWith(custody: (handoff: Handoff) => Custody): Decide {
  return deciding('accept', (handoff, nowMs) => accept(handoff, custody(handoff), nowMs));
}

/** Done, and nobody else has to agree: two facts in one decision. */
export function deliverAndVerify(fence: number | null, extras: Extras = {}): Decide {
  return (before, nowMs) => {
    const delivered = deliver(before, { fence, claims: [], checks: [] }, nowMs);
    if (!delivered.ok) return delivered;
    const first = appendFact(before, delivered.value, 'deliver', `@${before.to}`, nowMs);
    const verified = verify(first.handoff, { checks: [], criteria: [] }, nowMs);
    if (!verified.ok) return verified;
    const second = appendFact(first.handoff, verified.value, 'verify', 'system', nowMs);
    return ok(decisionOf(second.handoff, [first.fact, second.fact], extras.outcome, extras.effects));
  };
}

export function failBy(fence: number | null, code: string, extras: Extras = {}): Decide {
  return (before, nowMs) => {
    const { deed, moved } = failAttempt(before, code, fence, nowMs);
    return deciding(deed, () => moved, extras)(before, nowMs);
  };
}

export function releaseBy(fence: number | null): Decide {
  return deciding('release', (handoff, nowMs) => giveBack(handoff, fence, nowMs));
}

export function renewUntil(untilAt: number, fence: number | null = null): Decide {
  return deciding('renew', (handoff) => renew(handoff, fence, untilAt));
}

export function asking(text: string, fence: number | null): Decide {
  return deciding('block', (handoff, nowMs) => block(handoff, { reason: 'question', text }, fence, nowMs));
}

export const offered: Decide = deciding('offer', offer);
export const unblocked: Decide = deciding('unblock', unblock);
export const cancelled: Decide = deciding('cancel', cancel);
/** Changes nothing but the revision, of what is accepted: for counting. */
export const progressed: Decide = deciding('progress', (handoff) => ok(handoff));

export const refusing: Decide = (handoff) => err({ code: 'not-overdue', id: handoff.id });

export class Thrown extends Error {
  override readonly name = 'Thrown';
}

export const throwing: Decide = () => {
  throw new Thrown('this decision throws');
};

function decisionOf(
  handoff: Handoff,
  facts: Decision['facts'],
  outcome?: JsonText,
  effects?: readonly Effect[],
): Decision {
  return {
    handoff,
    facts,
    ...(outcome === undefined ? {} : { outcome }),
    ...(effects === undefined ? {} : { effects }),
  };
}
