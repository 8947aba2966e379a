/** The writing operations. A call takes all its decisions over one draft, which is committed as a whole or dropped. */
import { assert, present } from '../../foundation/assert.ts';
import type { Clock } from '../../foundation/clock.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decide, Decision } from '../../domain/decision.ts';
import { findCycle, type DependencyStates } from '../../domain/dependencies.ts';
import { hashOf, NO_TRAIL } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { NO_LIMITS, slotsNeeded, usesCapacity, type Limits, type LimitSlot } from '../../domain/limits.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { rankOf } from '../../domain/priority.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { heldBy, leaseLost } from '../custody.ts';
import { relayedOf } from '../relay-result.ts';
import {
  CLAIM_MAX,
  idOf,
  keysOf,
  removedRefusal,
  REQUEST_MS,
  type NewHandoff,
  type RequestKey,
  type Store,
  type Target,
} from '../store.ts';
import { assertValidRecord } from '../valid-record.ts';
import { frozenCopy } from './frozen-copy.ts';
import { isPaused } from './pauses.ts';
import { draftOver, requestName, type Draft, type Row, type Tables } from './tables.ts';
import type { ChangeNotifier } from './wake-waiters.ts';

interface Transaction {
  readonly tables: Tables;
  readonly draft: Draft;
  readonly limits: Limits;
  readonly nowMs: number;
}

type Answer<Value> = Result<Value, Refusal>;

export function openHandoffs(
  tables: Tables,
  notifier: ChangeNotifier,
  clock: Clock,
  limits: Limits,
): Pick<Store, 'insert' | 'claim' | 'change' | 'relay'> {
  const begin = (held = limits): Transaction => {
    return { tables, draft: draftOver(tables), limits: held, nowMs: clock.nowMs() };
  };
  const commit = <Value>({ draft }: Transaction, answer: Value): Value => {
    notifier.notify(draft.commit());
    return answer;
  };
  return {
    async insert(newHandoffs, { request, overLimits } = {}) {
      const transaction = begin(overLimits === true ? NO_LIMITS : limits);
      const repeated = answeredBefore(transaction, request);
      if (repeated !== null) return repeated;
      const made = openAll(transaction, newHandoffs);
      if (!made.ok) return made;
      keepRequest(transaction, request, made.value);
      return commit(transaction, made);
    },
    /** A handoff whose decision refuses stays offered; the others are claimed. */
    async claim(agent, max, decide) {
      const transaction = begin();
      const rows = readyFor(transaction, agent).slice(0, Math.max(0, Math.min(max, CLAIM_MAX)));
      const claimed = rows.flatMap((row) => {
        const decided = decideNext(transaction, row, decide);
        return decided.ok ? [{ handoff: decided.value, body: row.body }] : [];
      });
      return commit(transaction, claimed);
    },
    async change(targets, decide) {
      const transaction = begin();
      return commit(
        transaction,
        targets.map((target) => changeOne(transaction, target, decide)),
      );
    },
    async relay(target, decide, newHandoffs, { request } = {}) {
      const transaction = begin();
      const repeated = answeredBefore(transaction, request);
      if (repeated !== null) return repeated.ok ? ok(relayedOf(repeated.value)) : repeated;
      const changed = changeOne(transaction, target, decide);
      if (!changed.ok) return changed;
      const made = openAll(transaction, newHandoffs);
      if (!made.ok) return made;
      const all = [changed.value, ...made.value];
      keepRequest(transaction, request, all);
      return commit(transaction, ok(relayedOf(all)));
    },
  };
}

function changeOne(transaction: Transaction, target: Target, decide: Decide): Answer<Handoff> {
  const id = idOf(target);
  const row = transaction.draft.row(id);
  return row === undefined ? err({ code: 'no-such-handoff', id }) : decideNext(transaction, row, decide);
}

function readyFor({ tables, nowMs }: Transaction, agent: AgentId): readonly Row[] {
  if (isPaused(tables, agent)) return [];
  const rank = ({ handoff }: Row): number => rankOf(handoff.offeredAt, handoff.priority);
  const ready = [...tables.rows.values()].filter(
    ({ handoff }) => handoff.to === agent && handoff.state === 'offered' && handoff.notBefore <= nowMs,
  );
  // Sorting is stable, so equal ranks stay in order of insertion.
  return ready.toSorted((a, b) => rank(a) - rank(b));
}

function decideNext(transaction: Transaction, row: Row, decide: Decide): Answer<Handoff> {
  const before = row.handoff;
  const decided = decide(before, transaction.nowMs);
  if (!decided.ok) return decided;
  if (!mayHold(transaction, before, decided.value.handoff)) return err(leaseLost(before));
  return write(transaction, row, decided.value, { id: before.id, body: row.body });
}

/** An ended session takes no handoff: the sweep of its handoffs may have run already. */
function mayHold({ tables }: Transaction, before: Handoff, next: Handoff): boolean {
  const session = heldBy(next);
  return session === null || session === heldBy(before) || tables.sessions.get(session)?.ended === false;
}

function openAll(transaction: Transaction, newHandoffs: readonly NewHandoff[]): Answer<readonly Handoff[]> {
  const together = new Set(newHandoffs.map(({ id }) => id));
  const made: Handoff[] = [];
  for (const newHandoff of newHandoffs) {
    const opened = open(transaction, together, newHandoff);
    if (!opened.ok) return opened;
    made.push(opened.value);
  }
  return ok(made);
}

function open(transaction: Transaction, together: ReadonlySet<HandoffId>, newHandoff: NewHandoff): Answer<Handoff> {
  const { draft, nowMs } = transaction;
  const { id, dependsOn } = newHandoff;
  if (draft.row(id) !== undefined || draft.removed(id) !== undefined) return err({ code: 'known-id', id });
  const gone = dependsOn.map((other) => draft.removed(other)).find((each) => each !== undefined);
  if (gone !== undefined) return err(removedRefusal(gone));
  // A cycle within one insert is closed, and found, by its last member.
  const ring = findCycle(id, dependsOn, (other) => draft.row(other)?.handoff.terms.dependsOn ?? []);
  if (ring !== null) return err({ code: 'dependency-cycle', ring });
  // A handoff of the same insert cannot be completed, whatever its record says.
  const stateOf = (other: HandoffId) => (together.has(other) ? null : (draft.row(other)?.handoff.state ?? null));
  const dependencies: DependencyStates = new Map(dependsOn.map((other) => [other, stateOf(other)]));
  const decided = newHandoff.decide(nowMs, dependencies);
  if (!decided.ok) return decided;
  const { handoff } = decided.value;
  assert(handoff.terms.dependsOn.join() === dependsOn.join(), 'the record has the dependencies of its request');
  assert(heldBy(handoff) === null, 'a new handoff is held by no session');
  return write(transaction, null, decided.value, newHandoff);
}

function write(
  { draft, limits }: Transaction,
  before: Row | null,
  given: Decision,
  { id, body }: Pick<NewHandoff, 'id' | 'body'>,
): Answer<Handoff> {
  const decision = frozenCopy(given);
  const { handoff } = decision;
  assertValidRecord(id, before?.handoff ?? null, decision);
  assertHashes(before?.handoff.trail ?? NO_TRAIL, decision);
  const mayExceed = before !== null && decision.overLimits === true;
  const full = mayExceed ? null : limitRefusal(draft, limits, before?.handoff ?? null, handoff);
  if (full !== null) return err(full);
  draft.write({ handoff, body: decision.body ?? body, outcome: decision.outcome ?? before?.outcome ?? null }, decision);
  return ok(handoff);
}

/** Only this store checks every hash; with the databases the readers of a trail do that. */
function assertHashes(before: string, { facts }: Decision): void {
  let trail = before;
  for (const fact of facts) {
    assert(fact.hash === hashOf(fact, trail), 'each fact is hashed together with the one before it');
    trail = fact.hash;
  }
}

/** A refusal for the first limit without room for `next`. Null: there is room, or the handoff has its slot already. */
function limitRefusal(draft: Draft, limits: Limits, before: Handoff | null, next: Handoff): Refusal | null {
  if (!usesCapacity(next) || (before !== null && usesCapacity(before))) return null;
  for (const slot of slotsNeeded(limits, next.from, next.to, next.kind)) {
    const { agent, direction, max } = slot;
    const count = countIn(draft, slot);
    if (count >= max) return { code: 'limit-reached', agent, direction, count, max };
  }
  return null;
}

/** Counts the rows each time: slower than a stored counter, and never wrong. */
function countIn(draft: Draft, { agent, direction, counts }: LimitSlot): number {
  return [...draft.rows()].filter(({ handoff }) => {
    const isTheirs = agent === (direction === 'outgoing' ? handoff.from : handoff.to);
    return isTheirs && usesCapacity(handoff) && (counts === 'all' || handoff.kind === 'document');
  }).length;
}

function answeredBefore(
  { tables, nowMs }: Transaction,
  request: RequestKey | undefined,
): Answer<readonly Handoff[]> | null {
  for (const [name, { at }] of tables.requests) {
    if (nowMs - at > REQUEST_MS) tables.requests.delete(name);
  }
  const kept = request === undefined ? undefined : tables.requests.get(requestName(request));
  if (kept === undefined || request === undefined) return null;
  if (kept.hash !== request.hash) return err({ code: 'request-reused', key: request.key });
  const gone = kept.ids.map((id) => tables.removed.get(id)).find((each) => each !== undefined);
  if (gone !== undefined) return err(removedRefusal(gone));
  return ok(kept.ids.map((id) => present(tables.rows.get(id), 'what is not removed is there').handoff));
}

function keepRequest({ tables, nowMs }: Transaction, request: RequestKey | undefined, made: readonly Handoff[]): void {
  if (request === undefined) return;
  const at = request.forEver === true ? Infinity : nowMs;
  const kept = { hash: request.hash, ids: made.map(({ id }) => id), at };
  for (const key of keysOf(request)) tables.requests.set(requestName({ by: request.by, key }), kept);
}
