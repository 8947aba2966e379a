/**
 * Limits as counters under a row lock, only for agents with a limit. `migrations/001-tables.ts` explains why they are right.
 *
 * A statement that needs room locks the counters of all agents concerned in the order of agent and direction, compares,
 * and writes. The locks are held until its commit.
 */
import { present } from '../../foundation/assert.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { slotsNeeded, usesCapacity, type Direction, type Limits, type LimitSlot } from '../../domain/limits.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Connection } from './connection.ts';
import type { Row } from './driver.ts';

/** One counter that must have room for `wanted` more. */
export interface Need {
  readonly agent: string;
  readonly direction: number;
  readonly documents: boolean;
  readonly max: number;
  readonly wanted: number;
}

/** The values of counters by key. Missing: the counter does not exist yet. */
export type Counts = ReadonlyMap<string, { readonly all: number; readonly documents: number }>;

const DIRECTIONS: readonly Direction[] = ['outgoing', 'incoming'];

export function needsOf(limits: Limits, handoffs: readonly Handoff[]): readonly Need[] {
  const needs = new Map<string, Need>();
  for (const { slot } of slotsOf(limits, handoffs)) {
    const direction = DIRECTIONS.indexOf(slot.direction);
    const key = keyOf(slot.agent, direction);
    const wanted = (needs.get(key)?.wanted ?? 0) + 1;
    needs.set(key, { agent: slot.agent, direction, documents: slot.counts === 'documents', max: slot.max, wanted });
  }
  return [...needs.values()];
}

/** The first handoff without room, counting those before it. Null: there is room for all. */
export function limitRefusal(
  limits: Limits,
  handoffs: readonly Handoff[],
  counts: Counts,
): { readonly handoff: Handoff; readonly refusal: Refusal } | null {
  const taken = new Map<string, number>();
  for (const { handoff, slot } of slotsOf(limits, handoffs)) {
    const { agent, direction, max } = slot;
    const key = keyOf(agent, DIRECTIONS.indexOf(direction));
    const stored = counts.get(key);
    const before = (slot.counts === 'all' ? stored?.all : stored?.documents) ?? 0;
    const count = before + (taken.get(key) ?? 0);
    if (count >= max) return { handoff, refusal: { code: 'limit-reached', agent, direction, count, max } };
    taken.set(key, (taken.get(key) ?? 0) + 1);
  }
  return null;
}

function slotsOf(
  limits: Limits,
  handoffs: readonly Handoff[],
): readonly { readonly handoff: Handoff; readonly slot: LimitSlot }[] {
  return handoffs
    .filter(usesCapacity)
    .flatMap((handoff) =>
      slotsNeeded(limits, handoff.from, handoff.to, handoff.kind).map((slot) => ({ handoff, slot })),
    );
}

/** The needs whose counters do not exist yet. */
export function uncounted(needs: readonly Need[], counts: Counts): readonly Need[] {
  return needs.filter(({ agent, direction }) => !counts.has(keyOf(agent, direction)));
}

export async function beginCounting(connection: Connection, needs: readonly Need[]): Promise<void> {
  for (const { agent, direction } of needs) {
    await connection.write('select baton.begin_counting($1::text, $2::smallint)', [agent, direction]);
  }
}

/** Reads counters from column `from` on; other rows have null there. */
export function readCounts(rows: readonly Row[], from: number): Counts {
  const counts = new Map<string, { readonly all: number; readonly documents: number }>();
  for (const row of rows) {
    const agent = row[from] as string | null | undefined;
    if (agent === null || agent === undefined) continue;
    const direction = present(row[from + 1], 'a counter has a direction') as number;
    counts.set(keyOf(agent, direction), { all: row[from + 2] as number, documents: row[from + 3] as number });
  }
  return counts;
}

function keyOf(agent: string, direction: number): string {
  return `${agent} ${direction}`;
}

/** `for update` reads the current row, not the one at the start of the statement. */
export const LOCKED_COUNTERS = (parameter: string): string =>
  `locked as materialized (select p.agent, p.direction, p.all_open, p.documents_open,
    case when need.documents then p.documents_open else p.all_open end + need.wanted <= need.max as fits
  from json_to_recordset(${parameter}::text::json)
    as need(agent text, direction smallint, documents boolean, max integer, wanted integer)
  join baton.place p on p.agent = need.agent and p.direction = need.direction
  order by p.agent, p.direction for update of p),
wanted as (select json_array_length(${parameter}::text::json) as many)`;

/** True when every counter exists and has room, and all conditions in `also` hold. */
export const GATE = (also: readonly string[] = [], places = true): string =>
  `gate as materialized (select ${[
    ...(places
      ? [
          '(select count(*) from locked) = (select many from wanted)',
          '(select coalesce(bool_and(fits), true) from locked)',
        ]
      : []),
    ...also,
  ].join(' and ')} as ok)`;

export const IS_OPEN = '(select ok from gate)';

/**
 * For statements that do not update counters: they write only while there are none. The check is part of the statement,
 * so the locking rules of the counters hold for it too.
 */
export const NO_COUNTERS = 'not exists (select from baton.place)';
export const HAS_COUNTERS = `select exists (select from baton.place)`;

/** Updates the existing counters. `rows` selects sender, recipient, gain and document. */
export const ADD_TO_COUNTERS = (rows: string): string =>
  `counted as (update baton.place p
  set all_open = p.all_open + more.gain, documents_open = p.documents_open + more.documents
  from (
    select agent, direction, sum(gain)::integer as gain, coalesce(sum(gain) filter (where document), 0)::integer as documents
    from (${rows}) r cross join lateral (values (r.sender, 0::smallint), (r.recipient, 1::smallint)) as side(agent, direction)
    where r.gain <> 0
    group by agent, direction order by agent, direction
  ) more where p.agent = more.agent and p.direction = more.direction)`;
