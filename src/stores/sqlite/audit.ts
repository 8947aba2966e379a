/**
 * Looks for impossible states. All questions read one snapshot on a separate connection, so concurrent writers are neither
 * disturbed nor mistaken for damage. It blocks the event loop.
 */
import { messageOf } from '../../foundation/error-message.ts';
import { KINDS } from '../../domain/handoff.ts';
import { isFinal, STATES } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import { BLOCKED_REASONS, stateNumber } from '../numbers.ts';
import type { Finding } from '../store.ts';
import { damageIn } from '../column-codecs.ts';
import { diskTrouble, prepare, sqlOn, type Database, type Row } from './binding.ts';
import { rowNumbersOf } from './row-numbers.ts';
import { openToRead } from './read-only.ts';
import { readRow, ROW_COLUMNS } from './rows.ts';

/** Per kind: more findings of one kind are one problem. */
const FINDINGS_MAX = 100;
const PAGE = 5_000;

const DOCUMENT = KINDS.indexOf('document');
const OPEN = `state < ${STATES.findIndex(isFinal)}`;
const TAKES_PLACE = `${OPEN} AND blocked IS NOT ${BLOCKED_REASONS.indexOf('place')}`;
const count = (side: string, also = ''): string => `count(*) FILTER (WHERE ${TAKES_PLACE}${also}) AS ${side}`;

const COUNTERS = `WITH
  going AS (SELECT sender AS n, ${count('everything')}, ${count('documents', ` AND kind = ${DOCUMENT}`)} FROM handoff GROUP BY sender),
  coming AS (SELECT recipient AS n, ${count('everything')}, ${count('documents', ` AND kind = ${DOCUMENT}`)} FROM handoff GROUP BY recipient)
  SELECT name, out_all, out_documents, in_all, in_documents,
    coalesce(going.everything, 0), coalesce(going.documents, 0), coalesce(coming.everything, 0), coalesce(coming.documents, 0)
  FROM agent LEFT JOIN going ON going.n = agent.n LEFT JOIN coming ON coming.n = agent.n
  WHERE (out_all, out_documents, in_all, in_documents) IS NOT
    (coalesce(going.everything, 0), coalesce(going.documents, 0), coalesce(coming.everything, 0), coalesce(coming.documents, 0))`;

const REVISIONS = `SELECT id, revision, (SELECT count(*) FROM fact WHERE fact.handoff = n) AS facts
  FROM handoff WHERE facts <> revision`;

const TRAILS = `SELECT id FROM handoff WHERE trail IS NOT
  (SELECT hash FROM fact WHERE fact.handoff = n ORDER BY fact.revision DESC LIMIT 1)`;

const WAITS = `SELECT id, waits, (SELECT count(*) FROM dependency LEFT JOIN handoff needed ON needed.id = dependency.needs
    WHERE dependency.handoff = handoff.n AND needed.state IS NOT ${stateNumber('completed')}) AS unmet
  FROM handoff WHERE ${OPEN} AND waits <> unmet`;

const BODIES = 'SELECT id FROM handoff WHERE NOT EXISTS (SELECT 1 FROM body WHERE body.handoff = n)';

interface Question {
  readonly what: string;
  readonly sql: string;
  readonly says: (row: Row) => string;
}

/** Those whose first column is an id. */
const ABOUT_HANDOFFS: readonly Question[] = [
  {
    what: 'revision',
    sql: REVISIONS,
    says: ([id, revision, facts]) => `${id} has ${facts} facts at revision ${revision}`,
  },
  { what: 'trail', sql: TRAILS, says: ([id]) => `${id}: the newest fact is not the head of its trail` },
  { what: 'waits', sql: WAITS, says: ([id, waits, unmet]) => `${id} counts ${waits} it waits for, there are ${unmet}` },
  { what: 'body', sql: BODIES, says: ([id]) => `${id} has lost what it carries` },
];

export function audit(path: string): readonly Finding[] {
  const { database } = openToRead(path, { sync: 'normal' });
  try {
    database.exec('BEGIN');
    const looks = [lookAtFile, lookAtReferences, lookAtCounters, lookAtHandoffs, lookAtRows];
    return looks.flatMap((look) => orDamage(() => look(database)));
  } finally {
    // Nothing was written; ending it in the other way fails where a page cannot be read.
    if (database.isTransaction) database.exec('ROLLBACK');
    database.close();
  }
}

/** A question that fails is a finding as well. */
function orDamage(look: () => readonly Finding[]): readonly Finding[] {
  try {
    return look();
  } catch (error) {
    const says = diskTrouble(error) ?? messageOf(error);
    return [{ what: 'file', handoff: null, says: `the database file: ${says}` }];
  }
}

/** Whether every record can be read as one, as a claim or a list would read it. */
function lookAtRows(database: Database): readonly Finding[] {
  const names = rowNumbersOf(sqlOn(database));
  const page = prepare(database, `SELECT ${ROW_COLUMNS} FROM handoff WHERE n > ? ORDER BY n LIMIT ${PAGE}`);
  const findings: Finding[] = [];
  for (let after: number | null = 0; after !== null && findings.length < FINDINGS_MAX;) {
    const rows = page.all(after);
    for (const row of rows) {
      const says = damageIn(() => readRow(row, names));
      if (says !== null) findings.push({ what: 'unreadable', handoff: row[1] as HandoffId, says });
    }
    after = rows.length < PAGE ? null : (rows.at(-1)?.[0] as number);
  }
  return findings;
}

function lookAtFile(database: Database): readonly Finding[] {
  const lines = prepare(database, `PRAGMA integrity_check(${FINDINGS_MAX})`).all();
  const damage = lines.map((row) => String(row[0])).filter((line) => line !== 'ok');
  return damage.map((line) => ({ what: 'file', handoff: null, says: `the database file: ${line}` }));
}

function lookAtReferences(database: Database): readonly Finding[] {
  const lost = prepare(database, 'PRAGMA foreign_key_check').all().slice(0, FINDINGS_MAX);
  return lost.map(([table, row, parent]) => ({
    what: 'reference',
    handoff: null,
    says: `${table} ${row} belongs to a ${parent} that is not there`,
  }));
}

function lookAtCounters(database: Database): readonly Finding[] {
  return prepare(database, `${COUNTERS} LIMIT ${FINDINGS_MAX}`)
    .all()
    .map(([name, outAll, outDocuments, inAll, inDocuments, ...real]) => ({
      what: 'counter',
      handoff: null,
      says:
        `@${name} counts ${outAll} open going out (${outDocuments} documents) and ${inAll} coming in (${inDocuments}); ` +
        `there are ${real[0]} (${real[1]}) and ${real[2]} (${real[3]})`,
    }));
}

function lookAtHandoffs(database: Database): readonly Finding[] {
  return ABOUT_HANDOFFS.flatMap(({ what, sql, says }) =>
    prepare(database, `${sql} LIMIT ${FINDINGS_MAX}`)
      .all()
      .map((row) => ({ what, handoff: row[0] as HandoffId, says: says(row) })),
  );
}
