/**
 * One change and the handoffs that follow from it, in a plain transaction, because relays are rare: the record is locked,
 * decided over and moved, and the new handoffs are inserted.
 *
 * When the answer to a commit is lost, the next round waits for the lock of the record, and then finds our own fact in the
 * trail or not.
 */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { leaseLost } from '../custody.ts';
import { relayedOf } from '../relay-result.ts';
import { assertValidRecord } from '../valid-record.ts';
import { idOf, ROUNDS_MAX, StoreFault, type NewHandoff, type Relayed, type RequestKey, type Store } from '../store.ts';
import { Conflict, type Connection } from './connection.ts';
import { readDependencyFacts } from './dependencies.ts';
import { decideAll } from './decide-inserts.ts';
import { recordOf, knownIdOrRefusal, type InsertParts } from './insert.ts';
import { RECORDS_SQL, findOwnFacts } from './load.ts';
import { insertRows } from './insert-statement.ts';
import { beginCounting, limitRefusal, needsOf, uncounted, type Need } from './limits.ts';
import { answeredBefore, forgetExpired, KEEP_REQUEST, requestParts, requestValues } from './requests.ts';
import { readRow } from './rows.ts';
import { acquiringSession, move, needsOfMove, ownFactOf, type PlannedMove } from './write-moves.ts';

type Answer = Result<Relayed, Refusal>;

export type RelayParts = Omit<InsertParts, 'writes'>;

interface Asked {
  readonly target: Handoff['id'];
  readonly decide: Decide;
  readonly newHandoffs: readonly NewHandoff[];
  readonly request: RequestKey | undefined;
}

/** What one round has written, or tried to write. */
interface Written {
  readonly planned: PlannedMove;
  readonly made: readonly Handoff[];
}

/** Thrown to roll back the transaction, with the reason. */
class RolledBack extends Error {
  override readonly name = 'Undone';
  readonly why: { readonly refusal: Refusal } | { readonly uncounted: readonly Need[] } | 'stale';

  constructor(why: RolledBack['why']) {
    super('nothing of it was written');
    this.why = why;
  }
}

export function relayOf(parts: RelayParts): Store['relay'] {
  return async (target, decide, newHandoffs, guard = {}) => {
    const asked: Asked = { target: idOf(target), decide, newHandoffs, request: guard.request };
    const unanswered: Written[] = [];
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const answer = await oneRound(parts, asked, unanswered);
      if (answer !== null) return answer;
    }
    if (unanswered.length > 0) throw new StoreFault('the answer of the server was lost several times', 'unknown');
    return err({ code: 'contended', id: asked.target });
  };
}

/** Null: try again. Writes without an answer are kept in `unanswered`. */
async function oneRound(parts: RelayParts, asked: Asked, unanswered: Written[]): Promise<Answer | null> {
  const { locking, reads, notify } = parts;
  const { request } = asked;
  const known = request === undefined ? null : await answeredBefore(reads, request);
  if (known !== null) return known.ok ? ok(relayedOf(known.value)) : known;
  let sent: Written | null = null;
  try {
    const ended = await locking.transaction(async (on) => {
      const before = await locked(on, asked.target);
      const earlier = await findCommitted(on, unanswered);
      if (earlier !== null) return earlier;
      sent = await writeAll(parts, on, asked, before);
      return sent;
    });
    if (ended.end === 'done') {
      const { planned, made } = ended.answer;
      notify(planned.before, planned.decision.handoff);
      for (const handoff of made) notify(null, handoff);
      return ok({ changed: planned.decision.handoff, inserted: made });
    }
    if (ended.end === 'lost' && sent !== null) unanswered.push(sent);
    return null;
  } catch (error) {
    if (error instanceof Conflict) return afterConflict(parts, asked, error);
    if (!(error instanceof RolledBack)) throw error;
    if (error.why === 'stale') return null;
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

async function findCommitted(on: Connection, unanswered: readonly Written[]): Promise<Written | null> {
  for (const earlier of unanswered) {
    if ((await findOwnFacts(on, [ownFactOf(earlier.planned)])).size > 0) return earlier;
  }
  return null;
}

async function writeAll(
  parts: RelayParts,
  on: Connection,
  { target, decide, newHandoffs, request }: Asked,
  before: Handoff | null,
): Promise<Written> {
  if (before === null) throw new RolledBack({ refusal: { code: 'no-such-handoff', id: target } });
  const decided = decide(before, parts.nowMs());
  if (!decided.ok) throw new RolledBack(decided);
  assertValidRecord(target, before, decided.value);
  const planned: PlannedMove = { before, decision: decided.value };
  await moveOne(parts, on, planned);
  if (newHandoffs.length > 0) return { planned, made: await makeAll(parts, on, newHandoffs, request, target) };
  if (request !== undefined) await keepRequest(on, request, target);
  return { planned, made: [] };
}

async function moveOne({ limits }: RelayParts, on: Connection, planned: PlannedMove): Promise<void> {
  const next = planned.decision.handoff;
  const needs = needsOfMove(limits, planned.before, next);
  const { moved, alive, counts } = await move(on, [planned], { needs });
  if (moved.size > 0) return;
  const session = acquiringSession(planned.before, next);
  if (session !== null && !alive.has(session)) throw new RolledBack({ refusal: leaseLost(planned.before) });
  const missing = uncounted(needs, counts);
  if (missing.length > 0) throw new RolledBack({ uncounted: missing });
  throw new RolledBack(limitRefusal(limits, [next], counts) ?? 'stale');
}

async function makeAll(
  { limits, nowMs }: RelayParts,
  on: Connection,
  newHandoffs: readonly NewHandoff[],
  request: RequestKey | undefined,
  target: Handoff['id'],
): Promise<readonly Handoff[]> {
  const waits = newHandoffs.some(({ dependsOn }) => dependsOn.length > 0);
  // Read after the move, so that the new handoffs see the changed target.
  const dependencyFacts = waits ? await readDependencyFacts(on, newHandoffs) : null;
  const decided = decideAll(newHandoffs, nowMs(), dependencyFacts);
  if (!decided.ok) throw new RolledBack(await knownIdOrRefusal(on, newHandoffs, decided));
  const handoffs = decided.newRows.map(recordOf);
  const needs = needsOf(limits, handoffs);
  const { written, counts } = await insertRows(on, decided.newRows, {
    needs,
    ...(dependencyFacts === null ? {} : { dependencyFacts }),
    ...(request === undefined ? {} : { request, changedId: target }),
  });
  if (written) return handoffs;
  const missing = uncounted(needs, counts);
  if (missing.length > 0) throw new RolledBack({ uncounted: missing });
  const full = limitRefusal(limits, handoffs, counts);
  if (full === null) throw new RolledBack('stale');
  const upTo = handoffs.indexOf(full.handoff) + 1;
  throw new RolledBack(await knownIdOrRefusal(on, newHandoffs, { refusal: full.refusal, upTo }));
}

async function keepRequest(on: Connection, request: RequestKey, target: Handoff['id']): Promise<void> {
  let count = 0;
  const values = requestParts(() => `$${(count += 1)}`);
  await on.write(`${KEEP_REQUEST} select ${values}`, requestValues(request, [target]));
}

/** The request was answered a moment ago, or has expired; or an id is taken. */
async function afterConflict(
  { reads }: RelayParts,
  { newHandoffs, request }: Asked,
  { constraint }: Conflict,
): Promise<Answer | null> {
  if (constraint === 'request_pkey' && request !== undefined) {
    await forgetExpired(reads, request);
    return null;
  }
  const id = newHandoffs[0]?.id;
  if (id === undefined) return null;
  return knownIdOrRefusal(reads, newHandoffs, { refusal: { code: 'known-id', id }, upTo: newHandoffs.length });
}
