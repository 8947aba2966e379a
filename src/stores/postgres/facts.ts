/**
 * Reads facts in an order in which nothing is ever added in the middle.
 *
 * Sequence numbers are assigned when a statement runs and become visible when it commits, so they are not in order of
 * visibility. Each fact has the number of its transaction, and only facts older than every open transaction that may write
 * facts are read. The snapshot tells that cheaply, but includes transactions of other programs; when it hides facts, the
 * locks show which transactions are ours (`feed-horizon.ts`).
 */
import type { Timers } from '../../foundation/clock.ts';
import type { HandoffId } from '../../domain/names.ts';
import { BadCursor, type FactFilter, type FactQuery, type FactRead, type Store } from '../store.ts';
import { stateNumber } from '../stored-numbers.ts';
import { readCursor } from '../read-cursor.ts';
import type { Connection } from './connection.ts';
import { feedHorizon } from './feed-horizon.ts';
import type { Row } from './driver.ts';
import { FACT_COLUMNS, factNames, readFact } from '../fact-columns.ts';

const COLUMNS = `b.id, ${factNames('f.')}, f.xid::text, f.seq`;
const AFTER_FACT = 1 + FACT_COLUMNS.length;

const feedBefore = (
  horizon: string,
  only: readonly string[] = [],
): string => `select ${COLUMNS} from baton.fact f join baton.body b on b.n = f.n
where ${['(f.xid, f.seq) > ($1::text::xid8, $2::bigint)', `f.xid < ${horizon}`, ...only].join(' and ')}
order by f.xid, f.seq limit $3::integer`;

export const FEED_SQL = feedBefore('(select pg_snapshot_xmin(pg_current_snapshot()))');
export const FEED_BEFORE_SQL = feedBefore('$4::text::xid8');

const NEWEST_SQL = `select ${COLUMNS} from baton.fact f join baton.body b on b.n = f.n
where f.xid < $1::text::xid8 order by f.xid desc, f.seq desc limit $2::integer`;

/** Whether there are facts after the cursor. If the feed shows none, they are held back. */
export const HELD_BACK_SQL = `select (xid, seq) > ($1::text::xid8, $2::bigint) from baton.fact
order by xid desc, seq desc limit 1`;

export const TRAIL_SQL = `select ${COLUMNS} from baton.handoff h join baton.body b on b.n = h.n join baton.fact f on f.n = h.n
where h.id = $1::text and (f.xid, f.seq) > ($2::text::xid8, $3::bigint) order by f.revision limit $4::integer`;

/** Transaction numbers have 64 bits, which hold any number of nineteen digits. */
const TRANSACTION = /^[0-9]{1,19}$/;

/** Our transactions take a few milliseconds. For longer ones the caller polls again. */
const WAITS_MS = [1, 2, 5, 10, 20, 40] as const;
/** How often only the cheap query is used: reading the locks takes about as long as one of our writes. */
const CHEAP_LOOKS = 2;

export function factsOf(connection: Connection, timers: Timers): Store['facts'] {
  return async (query) => {
    if (query.newest === true) {
      const horizon = await feedHorizon(connection);
      return (await connection.read(NEWEST_SQL, [horizon, query.max])).map(factRead).toReversed();
    }
    const after = positionOf(query.after);
    if (query.handoff !== undefined) {
      return (await connection.read(TRAIL_SQL, [query.handoff, ...after, query.max])).map(factRead);
    }
    if (query.only !== undefined) {
      const horizon = await feedHorizon(connection);
      const { where, values } = conditionsOf(query.only);
      const statement = feedBefore('$4::text::xid8', where);
      return (await connection.read(statement, [...after, query.max, horizon, ...values])).map(factRead);
    }
    for (const [look, waitMs] of WAITS_MS.entries()) {
      const rows = await connection.read(FEED_SQL, [...after, query.max]);
      if (rows.length > 0) return rows.map(factRead);
      const [held] = await connection.read(HELD_BACK_SQL, after);
      if (held?.[0] !== true) break;
      if (look >= CHEAP_LOOKS) {
        const horizon = await feedHorizon(connection);
        const ours = await connection.read(FEED_BEFORE_SQL, [...after, query.max, horizon]);
        if (ours.length > 0) return ours.map(factRead);
      }
      await timers.sleep(waitMs);
    }
    return [];
  };
}

/** Conditions whose parameters follow the four of the feed. */
function conditionsOf({ handoff, agent, states }: FactFilter): {
  readonly where: readonly string[];
  readonly values: readonly string[];
} {
  const values: string[] = [];
  const given = (value: string): string => `$${values.push(value) + 4}::text`;
  const where: string[] = [];
  if (handoff !== undefined) where.push(`f.n = (select h.n from baton.handoff h where h.id = ${given(handoff)})`);
  if (agent !== undefined) {
    const named = given(agent);
    where.push(`(b.sender = ${named} or b.recipient = ${named})`);
  }
  if (states !== undefined) where.push(`f.step & 15 = any('{${states.map(stateNumber).join(',')}}'::integer[])`);
  return { where, values };
}

function factRead(row: Row): FactRead {
  const [xid, seq] = [row[AFTER_FACT] as string, row[AFTER_FACT + 1] as number];
  return { fact: readFact(row[0] as HandoffId, row, 1), cursor: `${xid}:${seq}` };
}

function positionOf(after: FactQuery['after']): readonly [xid: string, seq: number] {
  const [xid = '0', seq = '0', ...more] = after?.split(':') ?? [];
  if (more.length > 0 || !TRANSACTION.test(xid)) throw new BadCursor(after ?? '');
  return [xid, readCursor(seq)];
}
