/**
 * Copies of records. A page is read in one transaction, so record, outcome and facts of a handoff belong together. A batch
 * is restored by the statements of an insert, in one shared commit.
 */
import type { JsonText } from '../../foundation/json.ts';
import { groupBy } from '../../foundation/group-by.ts';
import { UnreadableRecord } from '../../foundation/store-fault.ts';
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
import { recognizedIn, type Recognized } from '../transfer-heads.ts';
import type { CopiesPage, Copy, Head, Transfer } from '../store.ts';
import type { Row, Sql, Value } from './binding.ts';
import type { HandoffParts } from './change.ts';
import type { RowNumbers } from './row-numbers.ts';
import { readRow, ROW_COLUMNS } from './rows.ts';
import type { Work } from './shared-commit.ts';

/** What an export holds: a record that has lost its text was not exported. */
const PAGE = 'handoff JOIN body ON body.handoff = n';
const AFTER = 'WHERE n > ? ORDER BY n LIMIT ?';

export function transferOf(parts: HandoffParts): Transfer {
  const { sql, names, read, commit } = parts;
  const [copies, recognise, restore] = [copiesOf(sql, names), recogniseOf(sql), restoreOf(parts)];
  return {
    copies: (after, max) => read(() => copies(after, max)),
    restore: (given) => commit(restore(given)),
    recognize: (after, heads) => read(() => recognise(after, heads)),
  };
}

function copiesOf(sql: Sql, names: RowNumbers): (after: string | null, max: number) => CopiesPage {
  const read = copyReader(sql, names, AFTER, `SELECT n FROM handoff ${AFTER}`);
  return (after, max) => {
    const { rows, items, damaged } = read(after === null ? 0 : Number(after), max);
    return { items, damaged, next: rows.length < max ? null : String(rows.at(-1)?.[0]) };
  };
}

/**
 * Reads whole records, within one read of the store: `where` chooses their rows, `numbers` selects the numbers of the same;
 * both take `given`.
 */
export function copyReader(
  sql: Sql,
  names: RowNumbers,
  where: string,
  numbers: string,
): (...given: readonly Value[]) => Omit<CopiesPage, 'next'> & { readonly rows: readonly Row[] } {
  const rows = sql(`SELECT ${ROW_COLUMNS.replaceAll(/\w+/g, 'handoff.$&')}, body.text, outcome.text FROM handoff
     LEFT JOIN body ON body.handoff = n LEFT JOIN outcome ON outcome.handoff = n ${where}`);
  const facts = sql(`SELECT handoff, ${factNames()} FROM fact
     WHERE handoff IN (${numbers}) ORDER BY handoff, revision`);
  const bodyAt = ROW_COLUMNS.split(',').length;

  return (...given) => {
    const read = rows.all(...given);
    const trails = groupBy(facts.all(...given), ([n]) => n as number);
    const { items, damaged } = copiesIn(read, (row): Copy => {
      const { n, handoff } = readRow(row, names);
      const body = row[bodyAt] as JsonText | null;
      if (body === null) throw new UnreadableRecord(handoff.id, TEXT_MISSING);
      const trail = (trails.get(n) ?? []).map((fact) => readFact(handoff.id, fact, 1));
      return { handoff, body, outcome: row[bodyAt + 1] as JsonText | null, facts: trail };
    });
    return { rows: read, items, damaged };
  };
}

function recogniseOf(sql: Sql): (after: string | null, heads: readonly Head[]) => Recognized {
  const page = sql(`SELECT n, id FROM ${PAGE} ${AFTER}`);
  const hash = sql('SELECT hash FROM fact WHERE handoff = ? AND revision = ?');
  return (after, heads) => {
    const rows = page.all(after === null ? 0 : Number(after), heads.length).map((row, index) => ({
      cursor: String(row[0]),
      id: row[1] as HandoffId,
      hash: (hash.get(row[0] as number, heads[index]?.revision ?? 0)?.[0] as string | undefined) ?? null,
    }));
    return recognizedIn(rows, heads, after);
  };
}

function restoreOf({
  sql,
  names,
  writing,
  nowMs,
}: HandoffParts): (copies: readonly Copy[]) => Work<readonly Restored[]> {
  const findTrail = sql('SELECT trail FROM handoff WHERE id = ?');
  const findNeeds = sql('SELECT needs FROM dependency WHERE handoff = (SELECT n FROM handoff WHERE id = ?)');
  const endedSession = sql(`INSERT INTO session (id, agent, process, boot, beat_ms, ended) VALUES (?, ?, ?, '', 0, 1)
     ON CONFLICT (id) DO NOTHING`);

  const unremove = sql('DELETE FROM removed WHERE id = ?');

  return (copies) => () => {
    requireValidCopies(copies);
    const { fresh, answers } = splitKnownCopies(copies, (id) => (findTrail.get(id)?.[0] as string | undefined) ?? null);
    requireNoCycles(fresh, (id) => findNeeds.all(id).map((row) => row[0] as HandoffId));
    return () => {
      const now = nowMs();
      const holders = holdersOf(fresh);
      // A session that was forgotten gets another number.
      if (holders.size > 0) names.forget();
      for (const [session, agent] of holders) {
        endedSession.run(session, names.agentNumber(agent), JSON.stringify(NO_PROCESS));
      }
      for (const { handoff, facts, body, outcome } of fresh) {
        unremove.run(handoff.id);
        writing.add({ handoff, facts, ...(outcome === null ? {} : { outcome }) }, body, now);
      }
      return answers;
    };
  };
}
