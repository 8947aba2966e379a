/**
 * What really happened, kept beside the system under test by somebody who sees every commit: the invariants compare
 * what actors were told, and what the store says, with this.
 */
import type { Fact } from '../../src/domain/facts.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import { isFinal } from '../../src/domain/lifecycle.ts';
import type { Limits } from '../../src/domain/limits.ts';
import type { HandoffId, SessionId } from '../../src/domain/names.ts';
import type { Refusal } from '../../src/domain/refusals.ts';
import type { RequestKey } from '../../src/stores/store.ts';
import type { Result } from '../../src/foundation/result.ts';
import type { SimulatedProcess } from './processes.ts';

/** One call that may write, with everything it left behind. */
export interface Call {
  readonly verb: 'insert' | 'claim' | 'change' | 'relay';
  readonly process: SimulatedProcess;
  readonly targets: readonly (HandoffId | Handoff)[];
  readonly request: RequestKey | null;
  readonly atMs: number;
  readonly answers: readonly Result<Handoff, Refusal>[];
  readonly threw: unknown;
  readonly facts: readonly Fact[];
  /** The records of all whom the call is about, as the store has them afterwards. */
  readonly after: ReadonlyMap<HandoffId, Handoff>;
}

interface Acceptance {
  readonly fence: number;
  readonly process: SimulatedProcess;
  readonly atMs: number;
}

interface Acknowledged {
  readonly id: HandoffId;
  readonly revision: number;
  readonly trail: string;
}

/** How a wait ended for a client. */
export interface Waited {
  readonly id: HandoffId;
  readonly beganMs: number;
  readonly endedMs: number;
  readonly timeoutMs: number;
  /** How long the client's process was kept from going on meanwhile. */
  readonly delayedMs: number;
}

export interface Ledger {
  readonly limits: Limits;
  readonly leaseMs: number;
  readonly records: Map<HandoffId, Handoff>;
  readonly trails: Map<HandoffId, Fact[]>;
  readonly acceptances: Map<HandoffId, Acceptance[]>;
  /** Acceptances that were given back and do not count. */
  readonly givenBack: Map<HandoffId, number>;
  readonly finalAtMs: Map<HandoffId, number>;
  readonly requests: Map<string, readonly HandoffId[]>;
  readonly sessions: Map<SessionId, { readonly process: SimulatedProcess; beatAtMs: number }>;
  /** Fences that a claim has handed out, by handoff and number. */
  readonly handedOut: Set<string>;
  readonly acknowledged: Acknowledged[];
  readonly completions: Map<HandoffId, number>;
  /** What each process was shown last, by process and handoff. */
  readonly seen: Map<string, number>;
  /** When the wall clock was set, and by how much. */
  readonly jumps: { readonly atMs: number; readonly byMs: number }[];
  open: number;
}

export function openLedger(limits: Limits, leaseMs: number): Ledger {
  return {
    limits,
    leaseMs,
    records: new Map(),
    trails: new Map(),
    acceptances: new Map(),
    givenBack: new Map(),
    finalAtMs: new Map(),
    requests: new Map(),
    sessions: new Map(),
    handedOut: new Set(),
    acknowledged: [],
    completions: new Map(),
    seen: new Map(),
    jumps: [],
    open: 0,
  };
}

export function requestName({ by, key, hash }: RequestKey): string {
  return JSON.stringify([by, key, hash]);
}

export function fenceName(handoff: Handoff): string {
  return `${handoff.id} ${handoff.fence}`;
}

export function seenName(process: SimulatedProcess, id: HandoffId): string {
  return `${process.name} ${id}`;
}

/** Enters a call that the invariants have looked at. */
export function enter(ledger: Ledger, call: Call): void {
  for (const fact of call.facts) enterFact(ledger, call, fact);
  for (const [id, record] of call.after) ledger.records.set(id, record);
  if (call.verb === 'claim') {
    for (const answer of call.answers) if (answer.ok) ledger.handedOut.add(fenceName(answer.value));
  }
  if (call.request !== null && call.answers.length > 0 && call.answers.every((answer) => answer.ok)) {
    const ids = call.answers.map((answer) => answer.value.id);
    const name = requestName(call.request);
    if (!ledger.requests.has(name)) ledger.requests.set(name, ids);
  }
}

function enterFact(ledger: Ledger, call: Call, fact: Fact): void {
  const { handoff: id } = fact;
  listIn(ledger.trails, id).push(fact);
  if (fact.deed === 'create') ledger.open += 1;
  if (fact.deed === 'accept') {
    listIn(ledger.acceptances, id).push({ fence: fact.fence, process: call.process, atMs: call.atMs });
  }
  const isGivenBack =
    fact.deed === 'release' ? fact.by !== 'system' : fact.deed === 'block' && fact.from === 'accepted';
  if (isGivenBack) ledger.givenBack.set(id, (ledger.givenBack.get(id) ?? 0) + 1);
  if (isFinal(fact.to) && !ledger.finalAtMs.has(id)) {
    ledger.finalAtMs.set(id, call.atMs);
    ledger.open -= 1;
  }
}

/** Enters that the answer has reached whoever asked. */
export function acknowledge(ledger: Ledger, call: Call): void {
  for (const answer of call.answers) {
    if (!answer.ok) continue;
    const { id, revision, trail, state } = answer.value;
    ledger.acknowledged.push({ id, revision, trail });
    if (call.verb === 'change' && state === 'completed') {
      ledger.completions.set(id, (ledger.completions.get(id) ?? 0) + 1);
    }
  }
}

/** Enters what a process has been shown. */
export function show(ledger: Ledger, process: SimulatedProcess, shown: readonly Handoff[]): void {
  for (const { id, revision } of shown) {
    const name = seenName(process, id);
    ledger.seen.set(name, Math.max(revision, ledger.seen.get(name) ?? 0));
  }
}

function listIn<Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
