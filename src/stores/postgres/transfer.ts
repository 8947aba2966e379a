/**
 * Copies records. A page is one statement and so one snapshot. A batch is restored with the statement of inserts, which
 * also checks dependencies.
 */
import type { JsonText } from '../../foundation/json.ts';
import { StoreFault } from '../../foundation/store-fault.ts';
import type { Fact } from '../../domain/facts.ts';
import type { HandoffId } from '../../domain/names.ts';
import { copiesIn, TEXT_MISSING } from '../copies-page.ts';
import { factNames, readFact } from '../fact-columns.ts';
import {
  NO_PROCESS,
  holdersOf,
  splitKnownCopies,
  requireNoCycles,
  requireValidCopies,
  type Restored,
} from '../valid-copies.ts';
import { recognizedIn } from '../transfer-heads.ts';
import { ROUNDS_MAX, type CopiesPage, type Copy, type Transfer } from '../store.ts';
import { DAMAGED_MAX } from '../column-codecs.ts';
import { Conflict, type Connection } from './connection.ts';
import type { Row } from './driver.ts';
import { readDependencyFacts } from './dependencies.ts';
import type { NotifyChange } from './wake-waiters.ts';
import { insertRows } from './insert-statement.ts';
import { AFTER_ROW, readRow, ROW_COLUMNS } from './rows.ts';

const FACTS = `(select json_agg(json_build_array(${factNames('f.')}) order by f.revision)::text
  from baton.fact f where f.n = b.n)`;

/** Selects complete records for `readCopies`. */
export function copiesSql(where: string): string {
  return `select ${ROW_COLUMNS}, b.n, b.text, o.text, ${FACTS}
from baton.body b join baton.handoff h on h.id = b.id left join baton.outcome o on o.n = b.n
where ${where}`;
}

const COPIES_SQL = copiesSql('b.n > $1::bigint order by b.n limit $2::integer');

/** Run once, after the last page: records have no index by number. */
const WITHOUT_TEXT_SQL = `select h.id from baton.handoff h
where not exists (select from baton.body b where b.n = h.n) order by h.id limit $1::integer`;

/** Numbers are not in the order of commits: a late commit may appear between rows that were read before. */
const RECOGNISE_SQL = `with wanted as materialized (select $3::text::integer[] as revisions)
select b.n, b.id, f.hash
from (select n, id, row_number() over (order by n) as place from baton.body where n > $1::bigint
  order by n limit $2::integer) b
left join baton.fact f on f.n = b.n and f.revision = ((select revisions from wanted))[b.place::integer] order by b.n`;

const TRAILS_SQL = `select h.id, h.trail from json_array_elements_text($1::text::json) as wanted(id)
join baton.handoff h on h.id = wanted.id`;

/** Deletes the tombstones of restored handoffs, before the records are written. */
const UNREMOVE_SQL = `delete from baton.removed r using json_array_elements_text($1::text::json) as wanted(id)
where r.id = wanted.id`;

/** Adds the ended sessions of holders, before the records are written. */
const SESSIONS_SQL = `insert into baton.session (id, agent, process, ended)
select key, value, $2::text, true from json_each_text($1::text::json) on conflict (id) do nothing`;

export interface TransferParts {
  readonly reads: Connection;
  readonly writes: Connection;
  readonly notify: NotifyChange;
}

export function transferOf(parts: TransferParts): Transfer {
  return {
    copies: async (after, max) => {
      const rows = await parts.reads.read(COPIES_SQL, [after === null ? 0 : Number(after), max]);
      const { items, damaged } = readCopies(rows);
      if (rows.length === max) return { items, damaged, next: String(rows.at(-1)?.[AFTER_ROW]) };
      const lost = await parts.reads.read(WITHOUT_TEXT_SQL, [DAMAGED_MAX]);
      const withoutText = lost.map(([id]) => ({ id: String(id), says: TEXT_MISSING }));
      return { items, damaged: [...damaged, ...withoutText], next: null };
    },
    restore: async (copies) => {
      requireValidCopies(copies);
      return restore(parts, copies);
    },
    recognize: async (after, heads) => {
      const revisions = `{${heads.map(({ revision }) => revision).join(',')}}`;
      const from = after === null ? 0 : Number(after);
      const rows = await parts.reads.read(RECOGNISE_SQL, [from, heads.length, revisions]);
      const numbered = rows.map((row) => ({
        cursor: String(row[0]),
        id: row[1] as HandoffId,
        hash: row[2] as string | null,
      }));
      return recognizedIn(numbered, heads, after);
    },
  };
}

export function readCopies(rows: readonly Row[]): Omit<CopiesPage, 'next'> {
  return copiesIn(rows, (row): Copy => {
    const handoff = readRow(row);
    return {
      handoff,
      body: row[AFTER_ROW + 1] as JsonText,
      outcome: row[AFTER_ROW + 2] as JsonText | null,
      facts: factsOf(handoff.id, row[AFTER_ROW + 3] as string | null),
    };
  });
}

function factsOf(handoff: HandoffId, text: string | null): readonly Fact[] {
  const written = text === null ? [] : (JSON.parse(text) as readonly (readonly unknown[])[]);
  return written.map((row) => readFact(handoff, row, 0));
}

async function restore(parts: TransferParts, copies: readonly Copy[]): Promise<readonly Restored[]> {
  const { reads, notify } = parts;
  let maybeApplied = false;
  let first: readonly Restored[] | null = null;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const known = await trailsOf(reads, copies);
    const { fresh, answers } = splitKnownCopies(copies, (id) => known.get(id) ?? null);
    first ??= answers;
    // If an answer was lost, the stored copies are our own.
    if (fresh.length === 0) return maybeApplied ? first : answers;
    try {
      const written = await write(parts, fresh);
      maybeApplied ||= written.maybeApplied;
      if (!written.done) continue;
      for (const { handoff } of fresh) notify(null, handoff);
      return answers;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      maybeApplied ||= error.maybeApplied;
    }
  }
  throw new StoreFault('too many processes restore the same handoffs at once; try again', 'unchanged');
}

async function write(
  { reads, writes }: TransferParts,
  fresh: readonly Copy[],
): Promise<{ readonly done: boolean; readonly maybeApplied: boolean }> {
  const waiting = fresh.map(({ handoff }) => ({ id: handoff.id, dependsOn: handoff.terms.dependsOn }));
  const waits = waiting.some(({ dependsOn }) => dependsOn.length > 0);
  const dependencyFacts = waits ? await readDependencyFacts(reads, waiting) : null;
  requireNoCycles(fresh, (id) => dependencyFacts?.edges.get(id) ?? []);
  const holders = holdersOf(fresh);
  if (holders.size > 0) {
    await writes.write(SESSIONS_SQL, [JSON.stringify(Object.fromEntries(holders)), JSON.stringify(NO_PROCESS)]);
  }
  const newRows = fresh.map(({ handoff, facts, body, outcome }) => ({
    decision: { handoff, facts, ...(outcome === null ? {} : { outcome }) },
    body,
  }));
  await writes.write(UNREMOVE_SQL, [JSON.stringify(fresh.map(({ handoff }) => handoff.id))]);
  const { written, maybeApplied } = await insertRows(
    writes,
    newRows,
    dependencyFacts === null ? {} : { dependencyFacts },
  );
  return { done: written, maybeApplied };
}

async function trailsOf(reads: Connection, copies: readonly Copy[]): Promise<ReadonlyMap<HandoffId, string>> {
  const ids = [...new Set(copies.map(({ handoff }) => handoff.id))];
  const rows = await reads.read(TRAILS_SQL, [JSON.stringify(ids)]);
  return new Map(rows.map((row) => [row[0] as HandoffId, row[1] as string]));
}
