/** Loads current records, with or without body and outcome. */
import type { JsonText } from '../../foundation/json.ts';
import { UnreadableRecord } from '../../foundation/store-fault.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal, STATES } from '../../domain/lifecycle.ts';
import type { HandoffId, SessionId } from '../../domain/names.ts';
import { missingBody } from '../missing-body.ts';
import type { StoredHandoff } from '../store.ts';
import type { Connection } from './connection.ts';
import type { Row } from './driver.ts';
import { AFTER_ROW, readRow, ROW_COLUMNS } from './rows.ts';

export const LOAD_SQL = `select ${ROW_COLUMNS}, b.text, o.text
from baton.handoff h join baton.body b on b.n = h.n left join baton.outcome o on o.n = h.n where h.id = $1::text`;

const LOAD_SETTLED_SQL = `${LOAD_SQL} and h.state >= ${STATES.findIndex(isFinal)}`;

const LOST_SQL = `select from baton.handoff h where h.id = $1::text
  and not exists (select from baton.body b where b.n = h.n)`;

export async function load(connection: Connection, id: HandoffId, when?: 'settled'): Promise<StoredHandoff | null> {
  const [row] = await connection.read(when === 'settled' ? LOAD_SETTLED_SQL : LOAD_SQL, [id]);
  if (row === undefined) {
    // Waiters load often, and have seen the complete record before.
    if (when !== 'settled' && (await connection.read(LOST_SQL, [id])).length > 0) throw missingBody(id);
    return null;
  }
  return { handoff: readRow(row), body: row[AFTER_ROW] as JsonText, outcome: row[AFTER_ROW + 1] as JsonText | null };
}

export const RECORDS_SQL = `select ${ROW_COLUMNS}
from json_array_elements_text($1::text::json) as wanted(id)
join baton.handoff h on h.id = wanted.id join baton.body b on b.n = h.n`;

export async function records(
  connection: Connection,
  ids: readonly HandoffId[],
): Promise<ReadonlyMap<HandoffId, Handoff>> {
  const found = await recordsOrDamage(connection, ids);
  return new Map([...found].map(([id, record]) => [id, orThrow(record)]));
}

/** The records that exist, in the order of the ids. */
export async function recordsInOrder(connection: Connection, ids: readonly HandoffId[]): Promise<readonly Handoff[]> {
  const found = await records(connection, ids);
  return ids.map((id) => found.get(id)).filter((handoff) => handoff !== undefined);
}

/** Loads records for several callers: a damaged record fails only the callers that need it. */
export async function recordsOrDamage(
  connection: Connection,
  ids: readonly HandoffId[],
): Promise<ReadonlyMap<HandoffId, Handoff | UnreadableRecord>> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return new Map();
  const rows = await connection.read(RECORDS_SQL, [JSON.stringify(distinct)]);
  return new Map(rows.map((row) => [row[0] as HandoffId, rowOrDamage(row)]));
}

function rowOrDamage(row: Row): Handoff | UnreadableRecord {
  try {
    return readRow(row);
  } catch (error) {
    if (error instanceof UnreadableRecord) return error;
    throw error;
  }
}

export function orThrow(record: Handoff | UnreadableRecord): Handoff {
  if (record instanceof UnreadableRecord) throw record;
  return record;
}

const OWN_FACTS_SQL = `select h.id
from json_to_recordset($1::text::json) as mine(id text, revision integer, hash text, session text)
join baton.handoff h on h.id = mine.id join baton.fact f on f.n = h.n and f.revision = mine.revision
where f.hash = mine.hash and (mine.session is null or (h.session = mine.session and h.revision = mine.revision))`;

export interface OwnFact {
  readonly fact: Fact;
  /**
   * The session that the fact gave the handoff to. No fact names its session: two workers of one agent that accept a
   * handoff in the same millisecond write the same fact, and only the record tells which of them has it.
   */
  readonly session?: SessionId | null;
}

/** The ids whose given fact is in the trail: shows, after a lost answer, whether our own write was applied. */
export async function findOwnFacts(
  connection: Connection,
  written: readonly OwnFact[],
): Promise<ReadonlySet<HandoffId>> {
  const mine = written.map(({ fact: { handoff, revision, hash }, session = null }) => ({
    id: handoff,
    revision,
    hash,
    session,
  }));
  const rows = await connection.read(OWN_FACTS_SQL, [JSON.stringify(mine)]);
  return new Set(rows.map((row) => row[0] as HandoffId));
}
