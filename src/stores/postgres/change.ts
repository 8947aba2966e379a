/**
 * Decides over the record at hand, without reading it again, and writes under the guard of its revision. What was
 * decided over a record that has moved on is decided again over the newest; only an answer over the newest is given.
 *
 * Concurrent callers of one process share a statement. Those that want the same record are decided one after the
 * other, each over what the one before it decided, and written as one.
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
import { changeAlone } from './change-one.ts';
import { isRefusedValue, type Connection } from './connection.ts';
import type { NotifySettled } from './wake-waiters.ts';
import { orThrow, recordsOrDamage, traces } from './load.ts';
import type { MoveBatch } from './move-batch.ts';
import { sharedStatement } from './shared-statement.ts';
import { joins, traceOf, type Piece } from './write-moves.ts';

export type Answer = Result<Handoff, Refusal>;

export interface ChangeParts {
  readonly move: MoveBatch;
  readonly reads: Connection;
  readonly nowMs: () => number;
  readonly tell: NotifySettled;
  /** Whether the step from one record to the next takes a place under a limit. */
  readonly needsPlace: (before: Handoff, next: Handoff) => boolean;
  readonly writeWithPlace: (piece: Piece) => Promise<'written' | 'overtaken' | Refusal>;
}

/** One call on its way: answers come in as they are certain. */
interface Call {
  readonly targets: readonly Target[];
  readonly decide: Decide;
  readonly answers: Map<number, Answer>;
  /** Records are believed as the caller brought them only in the first round. */
  round: number;
  needsPlace: boolean;
}

export function changeOf(parts: ChangeParts): Store['change'] {
  const share = sharedStatement((calls: readonly Call[]) => pass(parts, calls));
  return async (targets, decide) => {
    const call: Call = { targets, decide, answers: new Map(), round: 0, needsPlace: false };
    while (call.answers.size < targets.length && call.round < ROUNDS_MAX && !call.needsPlace) await share(call);
    if (call.needsPlace) await changeAlone(parts, targets, decide, call.answers);
    return targets.map((target, index) => call.answers.get(index) ?? err({ code: 'contended', id: idOf(target) }));
  };
}

/** All that the calls of one statement want of one record. */
interface Chain {
  readonly base: Handoff;
  /** Just read, so that a refusal over it stands; what a caller brought along may be old. */
  readonly isNewest: boolean;
  readonly decisions: Decision[];
  readonly items: { readonly call: Call; readonly index: number; readonly answer: Answer }[];
}

/** One round for all of them; answers with an error for those whose decision threw. */
async function pass(parts: ChangeParts, calls: readonly Call[]): Promise<readonly (true | Error)[]> {
  const bases = await basesFor(parts.reads, calls);
  const nowMs = parts.nowMs();
  const chains = new Map<HandoffId, Chain>();
  const results = calls.map((call) => {
    try {
      decideCall(parts, call, bases, chains, nowMs);
      return true;
    } catch (error) {
      // All of a call are decided before any of them is written: it has changed nothing.
      return errorOf(error);
    }
  });
  const failed = await write(parts, [...chains.values()]);
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
  chains: Map<HandoffId, Chain>,
  nowMs: number,
): void {
  const drafts = new Map<HandoffId, Chain>();
  for (const [index, target] of call.targets.entries()) {
    if (call.answers.has(index)) continue;
    const id = idOf(target);
    const { record: found, isNewest } = bases.get(id) as Base;
    if (found === null) {
      call.answers.set(index, err({ code: 'no-such-handoff', id }));
      continue;
    }
    const base = orThrow(found);
    const before = drafts.get(id) ?? chains.get(id) ?? { base, isNewest, decisions: [], items: [] };
    // Whether a session may take it is known only when it is written; what comes after that waits for the next round.
    if (joinsIn(before)) continue;
    const record = before.decisions.at(-1)?.handoff ?? base;
    const decided = call.decide(record, nowMs);
    if (decided.ok) {
      assertValidRecord(id, record, decided.value);
      if (decided.value.overLimits !== true && parts.needsPlace(record, decided.value.handoff)) {
        call.needsPlace = true;
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
  for (const [id, chain] of drafts) chains.set(id, chain);
}

function joinsIn({ base, decisions }: Chain): boolean {
  const last = decisions.at(-1)?.handoff;
  return last !== undefined && joins(decisions.at(-2)?.handoff ?? base, last) !== null;
}

/** All in one statement; where the server refuses a value in it, each record in its own. Answers with those that failed. */
async function write(parts: ChangeParts, chains: readonly Chain[]): Promise<ReadonlyMap<Call, Error>> {
  const failed = new Map<Call, Error>();
  try {
    await writeTogether(parts, chains);
  } catch (error) {
    if (chains.length === 1 || !isRefusedValue(error)) throw error;
    for (const chain of chains) {
      await writeTogether(parts, [chain]).catch((reason: unknown) => {
        for (const { call } of chain.items) failed.set(call, errorOf(reason));
      });
    }
  }
  return failed;
}

async function writeTogether({ move, reads, tell }: ChangeParts, chains: readonly Chain[]): Promise<void> {
  const pieces = new Map<Chain, Piece>();
  for (const chain of chains) {
    const decision = inOne(chain.decisions);
    if (decision !== null) pieces.set(chain, { before: chain.base, decision });
    else if (chain.isNewest) settle(chain);
  }
  if (pieces.size === 0) return;
  const { moved, alive, doubtful } = await move([...pieces.values()], null);
  const missed = [...pieces.values()].filter(({ before }) => !moved.has(before.id));
  const ours = doubtful && missed.length > 0 ? await traces(reads, missed.map(traceOf)) : new Set<HandoffId>();
  for (const [chain, piece] of pieces) {
    if (moved.has(piece.before.id) || ours.has(piece.before.id)) {
      tell(piece.before, piece.decision.handoff);
      settle(chain);
    } else settleJoiner(chain, alive);
  }
}

/** Its base was the newest record when it was written, so every answer over it stands, refusals included. */
function settle({ items }: Chain): void {
  for (const { call, index, answer } of items) call.answers.set(index, answer);
}

/** Whoever wanted to take it for a session that has ended will not get it in any round; it is the last of its chain. */
function settleJoiner({ base, isNewest, decisions, items }: Chain, alive: ReadonlySet<SessionId>): void {
  const [last, taker] = [decisions.at(-1), items.findLast(({ answer }) => answer.ok)];
  const before = decisions.at(-2)?.handoff ?? base;
  const session = last === undefined ? null : joins(before, last.handoff);
  if (isNewest && session !== null && !alive.has(session)) taker?.call.answers.set(taker.index, err(leaseLost(before)));
}

/** Several decisions over one record in one write: the facts of all, the outcome of the last that has one. */
function inOne(decisions: readonly Decision[]): Decision | null {
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
