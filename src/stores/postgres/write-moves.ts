/**
 * The one statement with which records move: every piece is guarded by the revision it was decided over, and takes its
 * facts, outcome and effects along. Many pieces travel in one statement and share its commit.
 */
import { present } from '../../foundation/assert.ts';
import type { JsonText } from '../../foundation/json.ts';
import type { Decision } from '../../domain/decision.ts';
import { isErasure } from '../../domain/erasure.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { usesCapacity, type Limits } from '../../domain/limits.ts';
import type { HandoffId, SessionId } from '../../domain/names.ts';
import { heldBy } from '../custody.ts';
import { isNotifiable } from './notify.ts';
import type { Connection } from './connection.ts';
import type { Trace } from './load.ts';
import type { Parameter, Row } from './driver.ts';
import { statementFor, type MoveParts } from './move-statement.ts';
import { needsOf, readCounts, type Counts, type Need } from './limits.ts';
import { wordsOf } from '../search-words.ts';
import { changedColumns, joined, oneObject, revisedColumns } from './rows.ts';
import { factCountOf, factsText, type FactCount } from './fact-columns.ts';

/** A decision over a record, ready to be written. */
export interface Piece {
  readonly before: Handoff;
  readonly decision: Decision;
  /** By a claim: its body is wanted, and where `Best` is asked for, it moves only if that holds. */
  readonly taken?: true;
  /** The record as a notification told of it, where it was decided over that: it must be so to the letter. */
  readonly told?: string | undefined;
}

export interface Moved {
  /** Those that were still as they had been decided over, and are now as decided. */
  readonly moved: ReadonlySet<HandoffId>;
  /** Of the sessions that something was to pass to: those that have not ended. */
  readonly alive: ReadonlySet<SessionId>;
  /** What the counters said, when they were asked. */
  readonly counts: Counts;
  /** For claims: the bodies of those that moved. */
  readonly bodies: ReadonlyMap<HandoffId, JsonText>;
  readonly doubtful: boolean;
}

/** For a claim by guess: up to this one, nothing else is ready that should be served first. */
export interface Best {
  readonly recipient: string;
  /** The last one looked at. */
  readonly rank: number;
  readonly n: number;
  /** Those that were looked at and are not taken. */
  readonly passed: readonly string[];
}

interface MoveOptions {
  readonly needs?: readonly Need[];
  readonly best?: Best | null;
}

export async function move(
  connection: Connection,
  pieces: readonly Piece[],
  { needs = [], best = null }: MoveOptions = {},
): Promise<Moved> {
  // In the order of their names, so that two batches over the same records meet at the first and do not deadlock; the
  // facts are still told in the order in which they were decided.
  const sorted = pieces
    .map(({ before, decision, taken, told }, place) => ({ before, decision, taken, told, place }))
    .toSorted((a, b) => (a.before.id < b.before.id ? -1 : 1));
  const taken = sorted.filter((piece) => piece.taken === true).map(({ before }) => before.id);
  const gains = sorted.some(({ before, decision }) => gainOf(before, decision.handoff) !== 0);
  const parts: MoveParts = {
    telling: factCountOf(sorted.map(({ decision }) => decision)),
    outcomes: sorted.some(({ decision }) => decision.outcome !== undefined),
    effects: sorted.some(({ decision }) => (decision.effects ?? []).length > 0),
    counting: !gains ? 'no' : connection.app.hasCounters || needs.length > 0 ? 'yes' : 'if-none',
    joining: sorted.some(({ before, decision }) => joins(before, decision.handoff) !== null),
    gated: needs.length > 0,
    bodies: taken.length > 0,
    best: best !== null,
    told: sorted.some((piece) => piece.told !== undefined),
    notifying: connection.app.notifies && sorted.some(({ decision }) => isNotifiable(decision.handoff)),
    revising: sorted.some(({ decision }) => decision.body !== undefined),
    erasing: sorted.some(({ decision }) => decision.facts.some(isErasure)),
  };
  const parameters: Parameter[] = [`[${sorted.map((piece) => given(piece, parts.telling)).join(',')}]`];
  if (parts.outcomes) parameters.push(joined(sorted.map(({ decision }) => decision.outcome ?? null)));
  if (parts.gated) parameters.push(JSON.stringify(needs));
  if (best !== null) {
    parameters.push(best.recipient, best.rank, best.n, JSON.stringify([...best.passed, ...taken]));
  }
  const { rows, doubtful } = await connection.write(statementFor(parts), parameters);
  if (rows.some((row) => row[0] === 'counters')) {
    connection.app.hasCounters = true;
    const again = await move(connection, pieces, { needs, best });
    return { ...again, doubtful: again.doubtful || doubtful };
  }
  return answerOf({ rows, doubtful });
}

function answerOf({ rows, doubtful }: { readonly rows: readonly Row[]; readonly doubtful: boolean }): Moved {
  const moved = new Set<HandoffId>();
  const alive = new Set<SessionId>();
  const bodies = new Map<HandoffId, JsonText>();
  const places: Row[] = [];
  for (const row of rows) {
    const [what, id, , , , body] = row;
    if (what === 'moved') {
      moved.add(id as HandoffId);
      if (body !== null) bodies.set(id as HandoffId, body as JsonText);
    } else if (what === 'alive') alive.add(id as SessionId);
    else if (what === 'place') places.push(row);
  }
  return { moved, alive, counts: readCounts(places, 1), bodies, doubtful };
}

/** How many places it takes more than before: less when it settles, more when it had been waiting for one. */
function gainOf(before: Handoff, next: Handoff): number {
  return Number(usesCapacity(next)) - Number(usesCapacity(before));
}

/** The counters that must have room for it: none unless it takes a place. */
export function needsOfMove(limits: Limits, before: Handoff, next: Handoff): readonly Need[] {
  return gainOf(before, next) > 0 ? needsOf(limits, [next]) : [];
}

/** The session into whose hands it passes, if any. */
export function joins(before: Handoff, next: Handoff): SessionId | null {
  const session = heldBy(next);
  return session === heldBy(before) ? null : session;
}

export function traceOf({ before, decision }: Piece): Trace {
  const fact = present(decision.facts.at(-1), 'nothing changes without a fact');
  return { fact, session: joins(before, decision.handoff) };
}

interface Placed extends Omit<Piece, 'taken'> {
  readonly taken: true | undefined;
  readonly place: number;
}

function given({ before, decision, taken, told, place }: Placed, telling: FactCount): string {
  const gain = gainOf(before, decision.handoff);
  const { body } = decision;
  const columns = [changedColumns(decision.handoff), factsText(decision, telling)];
  return oneObject(body === undefined ? columns : [...columns, revisedColumns(decision.handoff)], {
    id: before.id,
    was: before.revision,
    place,
    taken,
    told,
    effects: decision.effects?.length === 0 ? undefined : decision.effects,
    joins: joins(before, decision.handoff) ?? undefined,
    gain: gain === 0 ? undefined : gain,
    sender: gain === 0 ? undefined : before.from,
    document: gain === 0 ? undefined : before.kind === 'document',
    body,
    words: body === undefined ? undefined : wordsOf(decision.handoff, body).join(' '),
  });
}
