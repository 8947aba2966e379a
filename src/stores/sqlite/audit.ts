/**
 * Looks for impossible states. All checks read one snapshot on a separate connection, so concurrent writers are neither
 * disturbed nor taken for damage. It blocks the event loop.
 */
import { messageOf } from '../../foundation/error-message.ts';
import { KINDS } from '../../domain/handoff.ts';
import { isFinal, STATES } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import { BLOCKED_REASONS, stateNumber } from '../stored-numbers.ts';
import type { Finding } from '../store.ts';
import { damageText } from '../column-codecs.ts';
import { diskErrorText, prepare, sqlOn, type Database, type Row } from './binding.ts';
import { rowNumbersOf } from './row-numbers.ts';
import { openToRead } from './read-only.ts';
import { readRow, ROW_COLUMNS } from './rows.ts';

/** Per kind: more findings of one kind have one cause. */
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

interface HandoffCheck {
  readonly what: string;
  readonly sql: string;
  readonly says: (row: Row) => string;
}

/** Checks whose first column is the id of a handoff. */
const HANDOFF_CHECKS: readonly HandoffCheck[] = [
  {
    what: 'revision',
    sql: REVISIONS,
    says: ([id, revision, facts]) => `${id} has ${facts} facts at revision ${revision}`,
  },
  { what: 'trail', sql: TRAILS, says: ([id]) => `${id}: the newest fact is not the head of its trail` },
  {
    what: 'waits',
    sql: WAITS,
    says: ([id, waits, unmet]) => `${id} counts ${waits} open dependencies, there are ${unmet}`,
  },
  { what: 'body', sql: BODIES, says: ([id]) => `the body of ${id} is missing` },
];

export function audit(path: string): readonly Finding[] {
  const { database } = openToRead(path, { sync: 'normal' });
  try {
    database.exec('BEGIN');
    const checks = [checkFile, checkReferences, checkCounters, checkHandoffs, checkRows];
    return checks.flatMap((check) => orDamage(() => check(database)));
  } finally {
    // Nothing was written, and COMMIT fails where a page cannot be read.
    if (database.isTransaction) database.exec('ROLLBACK');
    database.close();
  }
}

/** A check that fails is a finding too. */
function orDamage(check: () => readonly Finding[]): readonly Finding[] {
  try {
    return check();
  } catch (error) {
    const says = diskErrorText(error) ?? messageOf(error);
    return [{ what: 'file', handoff: null, says: `the database file: ${says}` }];
  }
}

/** Reads every record as a claim or a list would read it. */
function checkRows(database: Database): readonly Finding[] {
  const names = rowNumbersOf(sqlOn(database));
  const page = prepare(database, `SELECT ${ROW_COLUMNS} FROM handoff WHERE n > ? ORDER BY n LIMIT ${PAGE}`);
  const findings: Finding[] = [];
  for (let after: number | null = 0; after !== null && findings.length < FINDINGS_MAX;) {
    const rows = page.all(after);
    for (const row of rows) {
      const says = damageText(() => readRow(row, names));
      if (says !== null) findings.push({ what: 'unreadable', handoff: row[1] as HandoffId, says });
    }
    after = rows.length < PAGE ? null : (rows.at(-1)?.[0] as number);
  }
  return findings;
}

function checkFile(database: Database): readonly Finding[] {
  const lines = prepare(database, `PRAGMA integrity_check(${FINDINGS_MAX})`).all();
  const damage = lines.map((row) => String(row[0])).filter((line) => line !== 'ok');
  return damage.map((line) => ({ what: 'file', handoff: null, says: `the database file: ${line}` }));
}

function checkReferences(database: Database): readonly Finding[] {
  const lost = prepare(database, 'PRAGMA foreign_key_check').all().slice(0, FINDINGS_MAX);
  return lost.map(([table, row, parent]) => ({
    what: 'reference',
    handoff: null,
    says: `${table} ${row} belongs to a ${parent} that is not there`,
  }));
}

function checkCounters(database: Database): readonly Finding[] {
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

function checkHandoffs(database: Database): readonly Finding[] {
  return HANDOFF_CHECKS.flatMap(({ what, sql, says }) =>
    prepare(database, `${sql} LIMIT ${FINDINGS_MAX}`)
      .all()
      .map((row) => ({ what, handoff: row[0] as HandoffId, says: says(row) })),
  );
}
