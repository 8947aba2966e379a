/**
 * Decides over the given record without reading it again, and writes under the guard of its revision. If the record has
 * changed, the decision is taken again over the newest; only an answer over the newest record is returned.
 *
 * Concurrent callers of one process share a statement. Decisions over the same record are taken one after the other, each
 * over the result of the previous one, and written as one change.
 */
import { errorOf } from '../../foundation/error-message.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { UnreadableRecord } from '../../foundation/store-fault.ts';
import type { Decide, Decision } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId, SessionId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { leaseLost } from '../custody.ts';
import { assertValidRecord } from '../valid-record.ts';
import { idOf, ROUNDS_MAX, type Store, type Target } from '../store.ts';
import { changeOneByOne } from './change-one.ts';
import { isRefusedValue, type Connection } from './connection.ts';
import type { NotifyChange } from './wake-waiters.ts';
import { orThrow, recordsOrDamage, findOwnFacts } from './load.ts';
import type { MoveBatch } from './move-batch.ts';
import { sharedStatement } from './shared-statement.ts';
import { acquiringSession, ownFactOf, type PlannedMove } from './write-moves.ts';

export type Answer = Result<Handoff, Refusal>;

export interface ChangeParts {
  readonly move: MoveBatch;
  readonly reads: Connection;
  readonly nowMs: () => number;
  readonly notify: NotifyChange;
  /** Whether the change takes a slot under a limit. */
  readonly needsSlot: (before: Handoff, next: Handoff) => boolean;
  readonly writeWithSlot: (planned: PlannedMove) => Promise<'written' | 'stale' | Refusal>;
}

/** A call in progress, with the answers that are certain. */
interface Call {
  readonly targets: readonly Target[];
  readonly decide: Decide;
  readonly answers: Map<number, Answer>;
  /** Given records are used only in the first round; later rounds read the newest. */
  round: number;
  needsSlot: boolean;
}

export function changeOf(parts: ChangeParts): Store['change'] {
  const share = sharedStatement((calls: readonly Call[]) => runRound(parts, calls));
  return async (targets, decide) => {
    const call: Call = { targets, decide, answers: new Map(), round: 0, needsSlot: false };
    while (call.answers.size < targets.length && call.round < ROUNDS_MAX && !call.needsSlot) await share(call);
    if (call.needsSlot) await changeOneByOne(parts, targets, decide, call.answers);
    return targets.map((target, index) => call.answers.get(index) ?? err({ code: 'contended', id: idOf(target) }));
  };
}

/** All changes of one record by the calls of one statement. */
interface RecordChanges {
  readonly base: Handoff;
  /** The base was just read, so a refusal over it is final. A given record may be stale. */
  readonly isNewest: boolean;
  readonly decisions: Decision[];
  readonly items: { readonly call: Call; readonly index: number; readonly answer: Answer }[];
}

/** One round for all calls. Returns an error for each call whose decision threw. */
async function runRound(parts: ChangeParts, calls: readonly Call[]): Promise<readonly (true | Error)[]> {
  const bases = await basesFor(parts.reads, calls);
  const nowMs = parts.nowMs();
  const changes = new Map<HandoffId, RecordChanges>();
  const results = calls.map((call) => {
    try {
      decideCall(parts, call, bases, changes, nowMs);
      return true;
    } catch (error) {
      // All decisions of a call are taken before any is written, so this call has changed nothing.
      return errorOf(error);
    }
  });
  const failed = await write(parts, [...changes.values()]);
  for (const call of calls) call.round += 1;
  return calls.map((call, index) => failed.get(call) ?? (results[index] as true | Error));
}

interface Base {
  readonly record: Handoff | UnreadableRecord | null;
  readonly isNewest: boolean;
}

async function basesFor(reads: Connection, calls: readonly Call[]): Promise<ReadonlyMap<HandoffId, Base>> {
  const bases = new Map<HandoffId, Base>();
  const unknown: HandoffId[] = [];
  for (const { targets, answers, round } of calls) {
    for (const [index, target] of targets.entries()) {
      if (answers.has(index)) continue;
      if (typeof target === 'string' || round > 0) unknown.push(idOf(target));
      else if (revisionOf(bases.get(target.id)) < target.revision) {
        bases.set(target.id, { record: target, isNewest: false });
      }
    }
  }
  const newest = await recordsOrDamage(reads, unknown);
  for (const id of unknown) bases.set(id, { record: newest.get(id) ?? null, isNewest: true });
  return bases;
}

function revisionOf(base: Base | undefined): number {
  return base?.record === undefined || base.record === null ? 0 : orThrow(base.record).revision;
}

function decideCall(
  parts: ChangeParts,
  call: Call,
  bases: ReadonlyMap<HandoffId, Base>,
  changes: Map<HandoffId, RecordChanges>,
  nowMs: number,
): void {
  const drafts = new Map<HandoffId, RecordChanges>();
  for (const [index, target] of call.targets.entries()) {
    if (call.answers.has(index)) continue;
    const id = idOf(target);
    const { record: found, isNewest } = bases.get(id) as Base;
    if (found === null) {
      call.answers.set(index, err({ code: 'no-such-handoff', id }));
      continue;
    }
    const base = orThrow(found);
    const before = drafts.get(id) ?? changes.get(id) ?? { base, isNewest, decisions: [], items: [] };
    // Only the write shows whether a session may take the handoff, so later changes wait for the next round.
    if (acquiresSession(before)) continue;
    const record = before.decisions.at(-1)?.handoff ?? base;
    const decided = call.decide(record, nowMs);
    if (decided.ok) {
      assertValidRecord(id, record, decided.value);
      if (decided.value.overLimits !== true && parts.needsSlot(record, decided.value.handoff)) {
        call.needsSlot = true;
        return;
      }
    }
    const answer = decided.ok ? ok(decided.value.handoff) : decided;
    drafts.set(id, {
      ...before,
      decisions: decided.ok ? [...before.decisions, decided.value] : before.decisions,
      items: [...before.items, { call, index, answer }],
    });
  }
  for (const [id, changesOfOne] of drafts) changes.set(id, changesOfOne);
}

function acquiresSession({ base, decisions }: RecordChanges): boolean {
  const last = decisions.at(-1)?.handoff;
  return last !== undefined && acquiringSession(decisions.at(-2)?.handoff ?? base, last) !== null;
}

/** Writes all in one statement or, if the server refuses a value, each record separately. Returns the failed calls. */
async function write(parts: ChangeParts, changes: readonly RecordChanges[]): Promise<ReadonlyMap<Call, Error>> {
  const failed = new Map<Call, Error>();
  try {
    await writeTogether(parts, changes);
  } catch (error) {
    if (changes.length === 1 || !isRefusedValue(error)) throw error;
    for (const changesOfOne of changes) {
      await writeTogether(parts, [changesOfOne]).catch((reason: unknown) => {
        for (const { call } of changesOfOne.items) failed.set(call, errorOf(reason));
      });
    }
  }
  return failed;
}

async function writeTogether({ move, reads, notify }: ChangeParts, changes: readonly RecordChanges[]): Promise<void> {
  const moves = new Map<RecordChanges, PlannedMove>();
  for (const changesOfOne of changes) {
    const decision = mergedDecision(changesOfOne.decisions);
    if (decision !== null) moves.set(changesOfOne, { before: changesOfOne.base, decision });
    else if (changesOfOne.isNewest) settle(changesOfOne);
  }
  if (moves.size === 0) return;
  const { moved, alive, maybeApplied } = await move([...moves.values()], null);
  const missed = [...moves.values()].filter(({ before }) => !moved.has(before.id));
  const ours =
    maybeApplied && missed.length > 0 ? await findOwnFacts(reads, missed.map(ownFactOf)) : new Set<HandoffId>();
  for (const [changesOfOne, planned] of moves) {
    if (moved.has(planned.before.id) || ours.has(planned.before.id)) {
      notify(planned.before, planned.decision.handoff);
      settle(changesOfOne);
    } else settleLostLease(changesOfOne, alive);
  }
}

/** The base was the newest record, so all answers over it are final, including refusals. */
function settle({ items }: RecordChanges): void {
  for (const { call, index, answer } of items) call.answers.set(index, answer);
}

/** Refuses the change that would have given the handoff to an ended session: no later round can succeed. */
function settleLostLease({ base, isNewest, decisions, items }: RecordChanges, alive: ReadonlySet<SessionId>): void {
  const [last, taker] = [decisions.at(-1), items.findLast(({ answer }) => answer.ok)];
  const before = decisions.at(-2)?.handoff ?? base;
  const session = last === undefined ? null : acquiringSession(before, last.handoff);
  if (isNewest && session !== null && !alive.has(session)) taker?.call.answers.set(taker.index, err(leaseLost(before)));
}

/** Merges the decisions over one record: the facts of all, the outcome of the last that has one. */
function mergedDecision(decisions: readonly Decision[]): Decision | null {
  const [first, ...others] = decisions;
  if (first === undefined) return null;
  return others.reduce(
    (all, next) => ({
      ...all,
      ...next,
      facts: [...all.facts, ...next.facts],
      effects: [...(all.effects ?? []), ...(next.effects ?? [])],
    }),
    first,
  );
}
