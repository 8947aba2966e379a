/**
 * Records as they are. A page is read in one transaction without giving anybody a turn, so record, outcome and facts of
 * a handoff belong together; a batch is restored by the same statements that inserts use, in one shared commit.
 */
import type { JsonText } from '../../foundation/json.ts';
import type { Fact } from '../../domain/facts.ts';
import type { HandoffId } from '../../domain/names.ts';
import { readStep } from '../numbers.ts';
import { ELSEWHERE, holdersOf, newAmong, refuseRings, refuseUnsound, type Restored } from '../sound-copies.ts';
import { recognisedIn, type Recognised } from '../known-heads.ts';
import type { Copy, Head, Transfer } from '../store.ts';
import { prepare, type Database, type Row } from './binding.ts';
import type { Names } from './names.ts';
import { readRow, ROW_COLUMNS } from './rows.ts';
import type { Work } from './shared-commit.ts';
import type { Writing } from './writing.ts';

type Copies = Awaited<ReturnType<Transfer['copies']>>;

/** Whatever has lost its body is left out, here as there: facts that are read by another count belong to others. */
const PAGE = 'handoff JOIN body ON body.handoff = n';
const AFTER = 'WHERE n > ? ORDER BY n LIMIT ?';

export function copiesOf(database: Database, names: Names): (after: string | null, max: number) => Copies {
  const begin = prepare(database, 'BEGIN');
  const end = prepare(database, 'COMMIT');
  const rows = prepare(
    database,
    `SELECT ${ROW_COLUMNS.replaceAll(/\w+/g, 'handoff.$&')}, body.text, outcome.text FROM ${PAGE}
     LEFT JOIN outcome ON outcome.handoff = n ${AFTER}`,
  );
  const facts = prepare(
    database,
    `SELECT handoff, revision, at, by, step, attempt, fence, detail, hash FROM fact
     WHERE handoff IN (SELECT n FROM ${PAGE} ${AFTER}) ORDER BY handoff, revision`,
  );
  const bodyAt = ROW_COLUMNS.split(',').length;

  return (after, max) => {
    const from = after === null ? 0 : Number(after);
    begin.run();
    try {
      const read = rows.all(from, max);
      const trails = trailsIn(facts.all(from, max));
      const items = read.map((row): Copy => {
        const { n, handoff } = readRow(row, names);
        const trail = trails.get(n) ?? [];
        return {
          handoff,
          body: row[bodyAt] as JsonText,
          outcome: row[bodyAt + 1] as JsonText | null,
          facts: trail.map((fact) => ({ handoff: handoff.id, ...fact })),
        };
      });
      return { items, next: read.length < max ? null : String(read.at(-1)?.[0]) };
    } finally {
      end.run();
    }
  };
}

export function recogniseOf(database: Database): (after: string | null, heads: readonly Head[]) => Recognised {
  const page = prepare(database, `SELECT n, id FROM ${PAGE} ${AFTER}`);
  const hash = prepare(database, 'SELECT hash FROM fact WHERE handoff = ? AND revision = ?');
  return (after, heads) => {
    const rows = page.all(after === null ? 0 : Number(after), heads.length).map((row, index) => ({
      cursor: String(row[0]),
      id: row[1] as HandoffId,
      hash: (hash.get(row[0] as number, heads[index]?.revision ?? 0)?.[0] as string | undefined) ?? null,
    }));
    return recognisedIn(rows, heads, after);
  };
}

function trailsIn(rows: readonly Row[]): ReadonlyMap<number, readonly Omit<Fact, 'handoff'>[]> {
  const trails = new Map<number, Omit<Fact, 'handoff'>[]>();
  for (const row of rows) {
    const n = row[0] as number;
    const fact = {
      revision: row[1] as number,
      at: row[2] as number,
      by: row[3] as string,
      ...readStep(row[4] as number),
      attempt: row[5] as number,
      fence: row[6] as number,
      detail: row[7] as string,
      hash: row[8] as string,
    };
    const trail = trails.get(n);
    if (trail === undefined) trails.set(n, [fact]);
    else trail.push(fact);
  }
  return trails;
}

export function restoreOf(
  database: Database,
  { names, writing, nowMs }: { names: Names; writing: Writing; nowMs: () => number },
): (copies: readonly Copy[]) => Work<readonly Restored[]> {
  const findTrail = prepare(database, 'SELECT trail FROM handoff WHERE id = ?');
  const findNeeds = prepare(
    database,
    'SELECT needs FROM dependency WHERE handoff = (SELECT n FROM handoff WHERE id = ?)',
  );
  const endedSession = prepare(
    database,
    `INSERT INTO session (id, agent, process, boot, beat_ms, ended) VALUES (?, ?, ?, '', 0, 1)
     ON CONFLICT (id) DO NOTHING`,
  );

  return (copies) => () => {
    refuseUnsound(copies);
    const { fresh, answers } = newAmong(copies, (id) => (findTrail.get(id)?.[0] as string | undefined) ?? null);
    refuseRings(fresh, (id) => findNeeds.all(id).map((row) => row[0] as HandoffId));
    return () => {
      const now = nowMs();
      const holders = holdersOf(fresh);
      // A session that was forgotten comes back under another number.
      if (holders.size > 0) names.forget();
      for (const [session, agent] of holders) {
        endedSession.run(session, names.agentNumber(agent), JSON.stringify(ELSEWHERE));
      }
      for (const { handoff, facts, body, outcome } of fresh) {
        writing.add({ handoff, facts, ...(outcome === null ? {} : { outcome }) }, body, now);
      }
      return answers;
    };
  };
}
