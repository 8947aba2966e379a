/**
 * Writes changed records: every move is guarded by the revision that it was decided over, and written with its facts,
 * outcome and effects. Many moves share one statement and its commit.
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
import type { OwnFact } from './load.ts';
import type { Parameter, Row } from './driver.ts';
import { statementFor, type MoveParts } from './move-statement.ts';
import { needsOf, readCounts, type Counts, type Need } from './limits.ts';
import { wordsOf } from '../search-words.ts';
import { changedColumns, joined, jsonOf, revisedColumns } from './rows.ts';
import { factCountOf, factsText, type FactCount } from './fact-columns.ts';

/** A decision over a record, ready to be written. */
export interface PlannedMove {
  readonly before: Handoff;
  readonly decision: Decision;
  /** The move is a claim: its body is returned, and with `best` it is written only if that holds. */
  readonly taken?: true;
  /** The text of the notification that was decided over: the stored record must equal it. */
  readonly notified?: string | undefined;
}

export interface Moved {
  /** The records that still had the expected revision and were written. */
  readonly moved: ReadonlySet<HandoffId>;
  /** The acquiring sessions that have not ended. */
  readonly alive: ReadonlySet<SessionId>;
  /** The limit counters, if there are needs. */
  readonly counts: Counts;
  /** For claims: the bodies of the written records. */
  readonly bodies: ReadonlyMap<HandoffId, JsonText>;
  readonly maybeApplied: boolean;
}

/** For a claim of prefetched handoffs: nothing else that is ready ranks before this one. */
export interface Best {
  readonly recipient: string;
  /** Of the last prefetched handoff in the claim. */
  readonly rank: number;
  readonly n: number;
  /** Handoffs that rank before it and are not claimed. */
  readonly passed: readonly string[];
}

interface MoveOptions {
  readonly needs?: readonly Need[];
  readonly best?: Best | null;
}

export async function move(
  connection: Connection,
  moves: readonly PlannedMove[],
  { needs = [], best = null }: MoveOptions = {},
): Promise<Moved> {
  // Sorted by id, so that two batches over the same records do not deadlock. Facts keep the order of the decisions.
  const sorted = moves
    .map(({ before, decision, taken, notified }, place) => ({ before, decision, taken, notified, place }))
    .toSorted((a, b) => (a.before.id < b.before.id ? -1 : 1));
  const taken = sorted.filter((planned) => planned.taken === true).map(({ before }) => before.id);
  const gains = sorted.some(({ before, decision }) => gainOf(before, decision.handoff) !== 0);
  const parts: MoveParts = {
    factCount: factCountOf(sorted.map(({ decision }) => decision)),
    outcomes: sorted.some(({ decision }) => decision.outcome !== undefined),
    effects: sorted.some(({ decision }) => (decision.effects ?? []).length > 0),
    counting: !gains ? 'no' : connection.app.hasCounters || needs.length > 0 ? 'yes' : 'if-none',
    joining: sorted.some(({ before, decision }) => acquiringSession(before, decision.handoff) !== null),
    gated: needs.length > 0,
    bodies: taken.length > 0,
    best: best !== null,
    notified: sorted.some((planned) => planned.notified !== undefined),
    notifying: connection.app.notifies && sorted.some(({ decision }) => isNotifiable(decision.handoff)),
    revising: sorted.some(({ decision }) => decision.body !== undefined),
    erasing: sorted.some(({ decision }) => decision.facts.some(isErasure)),
  };
  const parameters: Parameter[] = [`[${sorted.map((planned) => rowText(planned, parts.factCount)).join(',')}]`];
  if (parts.outcomes) parameters.push(joined(sorted.map(({ decision }) => decision.outcome ?? null)));
  if (parts.gated) parameters.push(JSON.stringify(needs));
  if (best !== null) {
    parameters.push(best.recipient, best.rank, best.n, JSON.stringify([...best.passed, ...taken]));
  }
  const { rows, maybeApplied } = await connection.write(statementFor(parts), parameters);
  if (rows.some((row) => row[0] === 'counters')) {
    connection.app.hasCounters = true;
    const again = await move(connection, moves, { needs, best });
    return { ...again, maybeApplied: again.maybeApplied || maybeApplied };
  }
  return answerOf({ rows, maybeApplied });
}

function answerOf({ rows, maybeApplied }: { readonly rows: readonly Row[]; readonly maybeApplied: boolean }): Moved {
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
  return { moved, alive, counts: readCounts(places, 1), bodies, maybeApplied };
}

/** The change in used slots: -1 when it settles, 1 when it had been waiting for a slot. */
function gainOf(before: Handoff, next: Handoff): number {
  return Number(usesCapacity(next)) - Number(usesCapacity(before));
}

/** The counters that must have room. Empty unless the move takes a slot. */
export function needsOfMove(limits: Limits, before: Handoff, next: Handoff): readonly Need[] {
  return gainOf(before, next) > 0 ? needsOf(limits, [next]) : [];
}

/** The session that the handoff passes to. Null: none. */
export function acquiringSession(before: Handoff, next: Handoff): SessionId | null {
  const session = heldBy(next);
  return session === heldBy(before) ? null : session;
}

export function ownFactOf({ before, decision }: PlannedMove): OwnFact {
  const fact = present(decision.facts.at(-1), 'nothing changes without a fact');
  return { fact, session: acquiringSession(before, decision.handoff) };
}

interface Placed extends Omit<PlannedMove, 'taken'> {
  readonly taken: true | undefined;
  readonly place: number;
}

/** Written directly, like the columns: most of these fields are absent, and printing an object with all of them took longer. */
function rowText({ before, decision, taken, notified, place }: Placed, factCount: FactCount): string {
  const { handoff, effects = [], body } = decision;
  let text = `{"id":${jsonOf(before.id)},"was":${before.revision},"place":${place}`;
  text += `${continued(changedColumns(handoff))},${factsText(decision, factCount)}`;
  if (taken === true) text += ',"taken":true';
  if (notified !== undefined) text += `,"notified":${jsonOf(notified)}`;
  if (effects.length > 0) text += `,"effects":${JSON.stringify(effects)}`;
  const session = acquiringSession(before, handoff);
  if (session !== null) text += `,"new_session":${jsonOf(session)}`;
  const gain = gainOf(before, handoff);
  if (gain !== 0) text += `,"gain":${gain},"sender":${jsonOf(before.from)},"document":${before.kind === 'document'}`;
  if (body !== undefined) {
    const words = wordsOf(handoff, body).join(' ');
    text += `${continued(revisedColumns(handoff))},"body":${jsonOf(body)},"words":${jsonOf(words)}`;
  }
  return `${text}}`;
}

/** The inside of an object after other fields. It is empty where all values are the default. */
function continued(inside: string): string {
  return inside === '' ? '' : `,${inside}`;
}
