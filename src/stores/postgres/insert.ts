/**
 * Inserts new records, all of a call or none. Unconditional inserts of concurrent callers share a statement. An insert with
 * a request, a limit or dependencies has a statement of its own, which checks them. Many unconditional records of one call
 * are inserted in parts (`insert-in-parts.ts`).
 */
import { errorOf } from '../../foundation/error-message.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { hasNoLimits, NO_LIMITS, type Limits } from '../../domain/limits.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { ROUNDS_MAX, removedRefusal, type NewHandoff, type RequestKey, type Store } from '../store.ts';
import { Conflict, isRefusedValue, type Connection, type LockingConnection } from './connection.ts';
import { decideAll, decider } from './decide-inserts.ts';
import { readDependencyFacts, type DependencyFacts } from './dependencies.ts';
import type { NotifyChange } from './wake-waiters.ts';
import { removedOf } from './removed.ts';
import { records, findOwnFacts } from './load.ts';
import { insertInParts, isWorthParts } from './insert-in-parts.ts';
import { insertRows, type InsertRow } from './insert-statement.ts';
import { beginCounting, limitRefusal, needsOf, uncounted } from './limits.ts';
import { answeredBefore, forgetExpired } from './requests.ts';
import { sharedStatement } from './shared-statement.ts';

type Answer = Result<readonly Handoff[], Refusal>;

export interface InsertParts {
  readonly writes: Connection;
  readonly reads: Connection;
  /** For calls with many records. */
  readonly locking: LockingConnection;
  readonly limits: Limits;
  readonly nowMs: () => number;
  readonly notify: NotifyChange;
}

export function insertOf(parts: InsertParts): Store['insert'] {
  const share = sharedStatement((calls: readonly (readonly InsertRow[])[]) => insertTogether(parts, calls));

  return async (newHandoffs, { request, overLimits } = {}) => {
    if (newHandoffs.length === 0 && request === undefined) return ok([]);
    const held = overLimits === true ? { ...parts, limits: NO_LIMITS } : parts;
    const waits = newHandoffs.some(({ dependsOn }) => dependsOn.length > 0);
    if (request !== undefined || waits) return insertGuarded(held, newHandoffs, request);
    const taken = await refuseRemoved(parts.reads, newHandoffs);
    if (taken !== null) return taken;
    const inParts = isWorthParts(newHandoffs) && hasNoLimits(held.limits) ? await insertMany(parts, newHandoffs) : null;
    if (inParts !== null) return inParts;
    const decided = decideAll(newHandoffs, parts.nowMs());
    if (!decided.ok) return knownIdOrRefusal(parts.reads, newHandoffs, decided);
    const needs = needsOf(held.limits, decided.newRows.map(recordOf));
    return needs.length === 0 ? share(decided.newRows) : insertGuarded(held, newHandoffs, request);
  };
}

/** Null: nothing was written; insert without parts. */
async function insertMany(parts: InsertParts, newHandoffs: readonly NewHandoff[]): Promise<Answer | null> {
  const decided = decider(newHandoffs, parts.nowMs());
  const written = await insertInParts(parts.locking, decided, newHandoffs.length);
  switch (written.end) {
    case 'written':
      return inserted(parts, written.newRows);
    case 'refused':
      return knownIdOrRefusal(parts.reads, newHandoffs, written);
    case 'taken':
      return afterConflict(parts, written.newRows, false);
    case 'lost':
      return insertSeparately(parts, written.newRows, true);
    case 'undone':
      return null;
  }
}

/** A taken id before the refused handoff is refused first, as in the order of the call. */
export async function knownIdOrRefusal(
  reads: Connection,
  newHandoffs: readonly NewHandoff[],
  { refusal, upTo }: { readonly refusal: Refusal; readonly upTo: number },
): Promise<{ readonly ok: false; readonly refusal: Refusal }> {
  const ids = newHandoffs.slice(0, upTo).map(({ id }) => id);
  const known = await records(reads, ids);
  const taken = ids.find((id) => known.has(id));
  return err(taken === undefined ? refusal : { code: 'known-id', id: taken });
}

/** Refuses ids of, and dependencies on, removed handoffs. Fresh random ids need no check. */
async function refuseRemoved(
  reads: Connection,
  newHandoffs: readonly NewHandoff[],
): Promise<{ readonly ok: false; readonly refusal: Refusal } | null> {
  const ids = newHandoffs.filter(({ isNewId }) => isNewId !== true).map(({ id }) => id);
  const wanted = [...ids, ...newHandoffs.flatMap(({ dependsOn }) => dependsOn)];
  const gone = wanted.length === 0 ? [] : await removedOf(reads, wanted);
  const taken = gone.find(({ id }) => ids.includes(id));
  if (taken !== undefined) return err({ code: 'known-id', id: taken.id });
  return gone[0] === undefined ? null : err(removedRefusal(gone[0]));
}

/** Inserts all calls in one statement or, if an id is taken or a value refused, each call separately. */
async function insertTogether(
  parts: InsertParts,
  calls: readonly (readonly InsertRow[])[],
): Promise<readonly (Answer | Error)[]> {
  try {
    await insertRows(parts.writes, calls.flat());
    return calls.map((newRows) => inserted(parts, newRows));
  } catch (error) {
    const isConflict = error instanceof Conflict;
    if (!isConflict && (calls.length === 1 || !isRefusedValue(error))) throw error;
    const maybeApplied = isConflict && error.maybeApplied;
    const answers: (Answer | Error)[] = [];
    for (const newRows of calls) answers.push(await insertSeparately(parts, newRows, maybeApplied).catch(errorOf));
    return answers;
  }
}

async function insertSeparately(
  parts: InsertParts,
  newRows: readonly InsertRow[],
  wasMaybeApplied: boolean,
): Promise<Answer> {
  try {
    await insertRows(parts.writes, newRows);
    return inserted(parts, newRows);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return afterConflict(parts, newRows, error.maybeApplied || wasMaybeApplied);
  }
}

/** An id is taken: by another process or, if an answer was lost and we retried, by ourselves. */
async function afterConflict(
  parts: InsertParts,
  newRows: readonly InsertRow[],
  maybeApplied: boolean,
): Promise<Answer> {
  if (maybeApplied && (await areOurs(parts.reads, newRows))) return inserted(parts, newRows);
  const ids = newRows.map((newRow) => recordOf(newRow).id);
  const known = await records(parts.reads, ids);
  const id = ids.find((each) => known.has(each)) ?? ids[0];
  return err({ code: 'known-id', id: id as HandoffId });
}

async function areOurs(reads: Connection, newRows: readonly InsertRow[]): Promise<boolean> {
  const created = newRows.flatMap(({ decision }) => decision.facts.slice(0, 1).map((fact) => ({ fact })));
  return created.length > 0 && (await findOwnFacts(reads, created)).size === created.length;
}

async function insertGuarded(
  parts: InsertParts,
  newHandoffs: readonly NewHandoff[],
  request: RequestKey | undefined,
): Promise<Answer> {
  const waits = newHandoffs.some(({ dependsOn }) => dependsOn.length > 0);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const before = request === undefined ? null : await answeredBefore(parts.reads, request);
    if (before !== null) return before;
    const taken = await refuseRemoved(parts.reads, newHandoffs);
    if (taken !== null) return taken;
    const dependencyFacts = waits ? await readDependencyFacts(parts.reads, newHandoffs) : null;
    const decided = decideAll(newHandoffs, parts.nowMs(), dependencyFacts);
    if (!decided.ok) return knownIdOrRefusal(parts.reads, newHandoffs, decided);
    const answer = await insertGuardedOnce(parts, newHandoffs, decided.newRows, request, dependencyFacts);
    if (answer !== null) return answer;
  }
  return err({ code: 'contended', id: (newHandoffs[0] as NewHandoff).id });
}

/** Null: what the decisions were based on has changed. */
async function insertGuardedOnce(
  parts: InsertParts,
  newHandoffs: readonly NewHandoff[],
  newRows: readonly InsertRow[],
  request: RequestKey | undefined,
  dependencyFacts: DependencyFacts | null,
): Promise<Answer | null> {
  const { writes, reads, limits } = parts;
  const handoffs = newRows.map(recordOf);
  const needs = needsOf(limits, handoffs);
  try {
    const { written, maybeApplied, counts } = await insertRows(writes, newRows, {
      needs,
      ...(dependencyFacts === null ? {} : { dependencyFacts }),
      ...(request === undefined ? {} : { request }),
    });
    if (written || (maybeApplied && (await areOurs(reads, newRows)))) return inserted(parts, newRows);
    const missing = uncounted(needs, counts);
    if (missing.length > 0) {
      await beginCounting(writes, missing);
      return null;
    }
    const full = limitRefusal(limits, handoffs, counts);
    if (full === null) return null;
    return await knownIdOrRefusal(reads, newHandoffs, {
      refusal: full.refusal,
      upTo: handoffs.indexOf(full.handoff) + 1,
    });
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    if (error.constraint !== 'request_pkey' || request === undefined) {
      return afterConflict(parts, newRows, error.maybeApplied);
    }
    // The request was answered a moment ago, which the next round finds, or it has expired.
    await forgetExpired(writes, request);
    return null;
  }
}

function inserted({ notify }: InsertParts, newRows: readonly InsertRow[]): Answer {
  const handoffs = newRows.map(recordOf);
  for (const handoff of handoffs) notify(null, handoff);
  return ok(handoffs);
}

export function recordOf({ decision }: InsertRow): Handoff {
  return decision.handoff;
}
