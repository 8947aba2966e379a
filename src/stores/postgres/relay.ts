/**
 * One change and what follows from it. Seldom enough for a plain transaction: the record is locked, decided over, moved,
 * and the others are made, on one connection.
 *
 * When the answer to a commit is lost, the next round waits at the locked record for whatever became of the last one,
 * and finds our own fact in the trail or does not.
 */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { leaseLost } from '../custody.ts';
import { relayedOf } from '../relay-result.ts';
import { assertValidRecord } from '../valid-record.ts';
import { idOf, ROUNDS_MAX, StoreFault, type Opening, type Relayed, type RequestKey, type Store } from '../store.ts';
import { Conflict, type Connection } from './connection.ts';
import { readDependencyFacts } from './dependencies.ts';
import { decideAll } from './decide-openings.ts';
import { recordOf, unlessKnown, type InsertParts } from './insert.ts';
import { RECORDS_SQL, traces } from './load.ts';
import { insertRows } from './insert-statement.ts';
import { beginCounting, fullPlace, needsOf, uncounted, type Need } from './limits.ts';
import { answeredBefore, forgetExpired, KEEP_REQUEST, requestParts, requestValues } from './requests.ts';
import { readRow } from './rows.ts';
import { joins, move, needsOfMove, traceOf, type Piece } from './write-moves.ts';

type Answer = Result<Relayed, Refusal>;

export type RelayParts = Omit<InsertParts, 'writes'>;

interface Asked {
  readonly target: Handoff['id'];
  readonly decide: Decide;
  readonly openings: readonly Opening[];
  readonly request: RequestKey | undefined;
}

/** What one round has written, or was about to. */
interface Written {
  readonly piece: Piece;
  readonly made: readonly Handoff[];
}

/** Undoes the transaction and says why. */
class Undone extends Error {
  override readonly name = 'Undone';
  readonly why: { readonly refusal: Refusal } | { readonly uncounted: readonly Need[] } | 'overtaken';

  constructor(why: Undone['why']) {
    super('nothing of it was written');
    this.why = why;
  }
}

export function relayOf(parts: RelayParts): Store['relay'] {
  return async (target, decide, openings, guard = {}) => {
    const asked: Asked = { target: idOf(target), decide, openings, request: guard.request };
    const doubts: Written[] = [];
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const answer = await oneRound(parts, asked, doubts);
      if (answer !== null) return answer;
    }
    if (doubts.length > 0) throw new StoreFault('the answer of the server was lost, again and again', 'unknown');
    return err({ code: 'contended', id: asked.target });
  };
}

/** Null: to be tried again. What was sent and not answered stays in `doubts`. */
async function oneRound(parts: RelayParts, asked: Asked, doubts: Written[]): Promise<Answer | null> {
  const { locking, reads, tell } = parts;
  const { request } = asked;
  const known = request === undefined ? null : await answeredBefore(reads, request);
  if (known !== null) return known.ok ? ok(relayedOf(known.value)) : known;
  let sent: Written | null = null;
  try {
    const ended = await locking.wholly(async (on) => {
      const before = await locked(on, asked.target);
      const earlier = await foundAgain(on, doubts);
      if (earlier !== null) return earlier;
      sent = await writeAll(parts, on, asked, before);
      return sent;
    });
    if (ended.end === 'done') {
      const { piece, made } = ended.answer;
      tell(piece.before, piece.decision.handoff);
      for (const handoff of made) tell(null, handoff);
      return ok({ changed: piece.decision.handoff, inserted: made });
    }
    if (ended.end === 'lost' && sent !== null) doubts.push(sent);
    return null;
  } catch (error) {
    if (error instanceof Conflict) return afterConflict(parts, asked, error);
    if (!(error instanceof Undone)) throw error;
    if (error.why === 'overtaken') return null;
    if ('refusal' in error.why) return err(error.why.refusal);
    await beginCounting(reads, error.why.uncounted);
    return null;
  }
}

const LOCK_SQL = `${RECORDS_SQL} for update of h`;

async function locked(on: Connection, id: Handoff['id']): Promise<Handoff | null> {
  const [row] = await on.read(LOCK_SQL, [JSON.stringify([id])]);
  return row === undefined ? null : readRow(row);
}

async function foundAgain(on: Connection, doubts: readonly Written[]): Promise<Written | null> {
  for (const doubt of doubts) {
    if ((await traces(on, [traceOf(doubt.piece)])).size > 0) return doubt;
  }
  return null;
}

async function writeAll(
  parts: RelayParts,
  on: Connection,
  { target, decide, openings, request }: Asked,
  before: Handoff | null,
): Promise<Written> {
  if (before === null) throw new Undone({ refusal: { code: 'no-such-handoff', id: target } });
  const decided = decide(before, parts.nowMs());
  if (!decided.ok) throw new Undone(decided);
  assertValidRecord(target, before, decided.value);
  const piece: Piece = { before, decision: decided.value };
  await moveOne(parts, on, piece);
  if (openings.length > 0) return { piece, made: await makeAll(parts, on, openings, request, target) };
  if (request !== undefined) await keepRequest(on, request, target);
  return { piece, made: [] };
}

async function moveOne({ limits }: RelayParts, on: Connection, piece: Piece): Promise<void> {
  const next = piece.decision.handoff;
  const needs = needsOfMove(limits, piece.before, next);
  const { moved, alive, counts } = await move(on, [piece], { needs });
  if (moved.size > 0) return;
  const session = joins(piece.before, next);
  if (session !== null && !alive.has(session)) throw new Undone({ refusal: leaseLost(piece.before) });
  const missing = uncounted(needs, counts);
  if (missing.length > 0) throw new Undone({ uncounted: missing });
  throw new Undone(fullPlace(limits, [next], counts) ?? 'overtaken');
}

async function makeAll(
  { limits, nowMs }: RelayParts,
  on: Connection,
  openings: readonly Opening[],
  request: RequestKey | undefined,
  target: Handoff['id'],
): Promise<readonly Handoff[]> {
  const waits = openings.some(({ dependsOn }) => dependsOn.length > 0);
  // Read after the move, so that what follows sees the target as it has become.
  const surroundings = waits ? await readDependencyFacts(on, openings) : null;
  const decided = decideAll(openings, nowMs(), surroundings);
  if (!decided.ok) throw new Undone(await unlessKnown(on, openings, decided));
  const handoffs = decided.newcomers.map(recordOf);
  const needs = needsOf(limits, handoffs);
  const { written, counts } = await insertRows(on, decided.newcomers, {
    needs,
    ...(surroundings === null ? {} : { surroundings }),
    ...(request === undefined ? {} : { request, besides: target }),
  });
  if (written) return handoffs;
  const missing = uncounted(needs, counts);
  if (missing.length > 0) throw new Undone({ uncounted: missing });
  const full = fullPlace(limits, handoffs, counts);
  if (full === null) throw new Undone('overtaken');
  const upTo = handoffs.indexOf(full.newcomer) + 1;
  throw new Undone(await unlessKnown(on, openings, { refusal: full.refusal, upTo }));
}

async function keepRequest(on: Connection, request: RequestKey, target: Handoff['id']): Promise<void> {
  let count = 0;
  const values = requestParts(() => `$${(count += 1)}`);
  await on.write(`${KEEP_REQUEST} select ${values}`, requestValues(request, [target]));
}

/** The request was answered a moment ago, or so long ago that it counts as never; or an id is taken. */
async function afterConflict(
  { reads }: RelayParts,
  { openings, request }: Asked,
  { constraint }: Conflict,
): Promise<Answer | null> {
  if (constraint === 'request_pkey' && request !== undefined) {
    await forgetExpired(reads, request);
    return null;
  }
  const id = openings[0]?.id;
  if (id === undefined) return null;
  return unlessKnown(reads, openings, { refusal: { code: 'known-id', id }, upTo: openings.length });
}
