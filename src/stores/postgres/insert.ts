/**
 * New records, all of a call or none. Plain ones of concurrent callers share a statement; those with a request, a
 * limit or dependencies go alone, through gates that are part of the statement that writes them. Many plain ones of one
 * call go in parts (`insert-in-parts.ts`).
 */
import { errorOf } from '../../foundation/error-message.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { hasNoLimits, NO_LIMITS, type Limits } from '../../domain/limits.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { ROUNDS_MAX, removedRefusal, type Opening, type RequestKey, type Store } from '../store.ts';
import { Conflict, isRefusedValue, type Connection, type LockingConnection } from './connection.ts';
import { decideAll, decider } from './decide-openings.ts';
import { readDependencyFacts, type DependencyFacts } from './dependencies.ts';
import type { NotifySettled } from './wake-waiters.ts';
import { removedOf } from './removed.ts';
import { records, traces } from './load.ts';
import { insertInParts, isWorthParts } from './insert-in-parts.ts';
import { insertRows, type InsertRow } from './insert-statement.ts';
import { beginCounting, fullPlace, needsOf, uncounted } from './limits.ts';
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
  readonly tell: NotifySettled;
}

export function insertOf(parts: InsertParts): Store['insert'] {
  const share = sharedStatement((calls: readonly (readonly InsertRow[])[]) => addTogether(parts, calls));

  return async (openings, { request, overLimits } = {}) => {
    if (openings.length === 0 && request === undefined) return ok([]);
    const held = overLimits === true ? { ...parts, limits: NO_LIMITS } : parts;
    const waits = openings.some(({ dependsOn }) => dependsOn.length > 0);
    if (request !== undefined || waits) return insertAlone(held, openings, request);
    const taken = await refuseRemoved(parts.reads, openings);
    if (taken !== null) return taken;
    const inParts = isWorthParts(openings) && hasNoLimits(held.limits) ? await insertMany(parts, openings) : null;
    if (inParts !== null) return inParts;
    const decided = decideAll(openings, parts.nowMs());
    if (!decided.ok) return unlessKnown(parts.reads, openings, decided);
    const needs = needsOf(held.limits, decided.newcomers.map(recordOf));
    return needs.length === 0 ? share(decided.newcomers) : insertAlone(held, openings, request);
  };
}

/** Null: as any other insert. */
async function insertMany(parts: InsertParts, openings: readonly Opening[]): Promise<Answer | null> {
  const decided = decider(openings, parts.nowMs());
  const inserted = await insertInParts(parts.locking, decided, openings.length);
  switch (inserted.end) {
    case 'written':
      return made(parts, inserted.newcomers);
    case 'refused':
      return unlessKnown(parts.reads, openings, inserted);
    case 'taken':
      return afterConflict(parts, inserted.newcomers, false);
    case 'lost':
      return addEach(parts, inserted.newcomers, true);
    case 'undone':
      return null;
  }
}

/** An id that is taken is refused before anything that is asked about later in the call. */
export async function unlessKnown(
  reads: Connection,
  openings: readonly Opening[],
  { refusal, upTo }: { readonly refusal: Refusal; readonly upTo: number },
): Promise<{ readonly ok: false; readonly refusal: Refusal }> {
  const ids = openings.slice(0, upTo).map(({ id }) => id);
  const known = await records(reads, ids);
  const taken = ids.find((id) => known.has(id));
  return err(taken === undefined ? refusal : { code: 'known-id', id: taken });
}

/** The id of what was removed is not given again, and nothing comes to depend on it. An id that was just made is new. */
async function refuseRemoved(
  reads: Connection,
  openings: readonly Opening[],
): Promise<{ readonly ok: false; readonly refusal: Refusal } | null> {
  const ids = openings.filter(({ unheardOf }) => unheardOf !== true).map(({ id }) => id);
  const wanted = [...ids, ...openings.flatMap(({ dependsOn }) => dependsOn)];
  const gone = wanted.length === 0 ? [] : await removedOf(reads, wanted);
  const taken = gone.find(({ id }) => ids.includes(id));
  if (taken !== undefined) return err({ code: 'known-id', id: taken.id });
  return gone[0] === undefined ? null : err(removedRefusal(gone[0]));
}

/** The calls in one statement; if it meets a taken id or a value that the server refuses, each of them in its own. */
async function addTogether(
  parts: InsertParts,
  calls: readonly (readonly InsertRow[])[],
): Promise<readonly (Answer | Error)[]> {
  try {
    await insertRows(parts.writes, calls.flat());
    return calls.map((newcomers) => made(parts, newcomers));
  } catch (error) {
    const isConflict = error instanceof Conflict;
    if (!isConflict && (calls.length === 1 || !isRefusedValue(error))) throw error;
    const doubtful = isConflict && error.doubtful;
    const answers: (Answer | Error)[] = [];
    for (const newcomers of calls) answers.push(await addEach(parts, newcomers, doubtful).catch(errorOf));
    return answers;
  }
}

async function addEach(parts: InsertParts, newcomers: readonly InsertRow[], wasDoubtful: boolean): Promise<Answer> {
  try {
    await insertRows(parts.writes, newcomers);
    return made(parts, newcomers);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return afterConflict(parts, newcomers, error.doubtful || wasDoubtful);
  }
}

/** An id is taken: by somebody else or, when an answer was lost and we asked again, by ourselves. */
async function afterConflict(parts: InsertParts, newcomers: readonly InsertRow[], doubtful: boolean): Promise<Answer> {
  if (doubtful && (await areOurs(parts.reads, newcomers))) return made(parts, newcomers);
  const ids = newcomers.map((newcomer) => recordOf(newcomer).id);
  const known = await records(parts.reads, ids);
  const id = ids.find((each) => known.has(each)) ?? ids[0];
  return err({ code: 'known-id', id: id as HandoffId });
}

async function areOurs(reads: Connection, newcomers: readonly InsertRow[]): Promise<boolean> {
  const created = newcomers.flatMap(({ decision }) => decision.facts.slice(0, 1).map((fact) => ({ fact })));
  return created.length > 0 && (await traces(reads, created)).size === created.length;
}

async function insertAlone(
  parts: InsertParts,
  openings: readonly Opening[],
  request: RequestKey | undefined,
): Promise<Answer> {
  const waits = openings.some(({ dependsOn }) => dependsOn.length > 0);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const before = request === undefined ? null : await answeredBefore(parts.reads, request);
    if (before !== null) return before;
    const taken = await refuseRemoved(parts.reads, openings);
    if (taken !== null) return taken;
    const surroundings = waits ? await readDependencyFacts(parts.reads, openings) : null;
    const decided = decideAll(openings, parts.nowMs(), surroundings);
    if (!decided.ok) return unlessKnown(parts.reads, openings, decided);
    const answer = await addAlone(parts, openings, decided.newcomers, request, surroundings);
    if (answer !== null) return answer;
  }
  return err({ code: 'contended', id: (openings[0] as Opening).id });
}

/** Null: what it was decided over has changed meanwhile. */
async function addAlone(
  parts: InsertParts,
  openings: readonly Opening[],
  newcomers: readonly InsertRow[],
  request: RequestKey | undefined,
  surroundings: DependencyFacts | null,
): Promise<Answer | null> {
  const { writes, reads, limits } = parts;
  const handoffs = newcomers.map(recordOf);
  const needs = needsOf(limits, handoffs);
  try {
    const { written, doubtful, counts } = await insertRows(writes, newcomers, {
      needs,
      ...(surroundings === null ? {} : { surroundings }),
      ...(request === undefined ? {} : { request }),
    });
    if (written || (doubtful && (await areOurs(reads, newcomers)))) return made(parts, newcomers);
    const missing = uncounted(needs, counts);
    if (missing.length > 0) {
      await beginCounting(writes, missing);
      return null;
    }
    const full = fullPlace(limits, handoffs, counts);
    if (full === null) return null;
    return await unlessKnown(reads, openings, { refusal: full.refusal, upTo: handoffs.indexOf(full.newcomer) + 1 });
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    if (error.constraint !== 'request_pkey' || request === undefined) {
      return afterConflict(parts, newcomers, error.doubtful);
    }
    // Answered a moment ago (then the next round finds the answer), or so long ago that it counts as never.
    await forgetExpired(writes, request);
    return null;
  }
}

function made({ tell }: InsertParts, newcomers: readonly InsertRow[]): Answer {
  const handoffs = newcomers.map(recordOf);
  for (const handoff of handoffs) tell(null, handoff);
  return ok(handoffs);
}

export function recordOf({ decision }: InsertRow): Handoff {
  return decision.handoff;
}
