/**
 * Limits as counters under a row lock, only for agents that have one. `schema.ts` says why the counters are right.
 *
 * Whoever needs room locks the counters of all agents concerned, always in the order of agent and direction, compares,
 * and writes in the same statement; until its commit nobody else passes there.
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

/** What a counter says now, by its key; missing where nobody counts yet. */
export type Counts = ReadonlyMap<string, { readonly all: number; readonly documents: number }>;

const DIRECTIONS: readonly Direction[] = ['outgoing', 'incoming'];

export function needsOf(limits: Limits, newcomers: readonly Handoff[]): readonly Need[] {
  const needs = new Map<string, Need>();
  for (const { place } of placesOf(limits, newcomers)) {
    const direction = DIRECTIONS.indexOf(place.direction);
    const key = keyOf(place.agent, direction);
    const wanted = (needs.get(key)?.wanted ?? 0) + 1;
    needs.set(key, { agent: place.agent, direction, documents: place.counts === 'documents', max: place.max, wanted });
  }
  return [...needs.values()];
}

/** The first newcomer without a place, as if they had come one after the other; null: there is room for all. */
export function fullPlace(
  limits: Limits,
  newcomers: readonly Handoff[],
  counts: Counts,
): { readonly newcomer: Handoff; readonly refusal: Refusal } | null {
  const taken = new Map<string, number>();
  for (const { newcomer, place } of placesOf(limits, newcomers)) {
    const { agent, direction, max } = place;
    const key = keyOf(agent, DIRECTIONS.indexOf(direction));
    const stored = counts.get(key);
    const before = (place.counts === 'all' ? stored?.all : stored?.documents) ?? 0;
    const count = before + (taken.get(key) ?? 0);
    if (count >= max) return { newcomer, refusal: { code: 'limit-reached', agent, direction, count, max } };
    taken.set(key, (taken.get(key) ?? 0) + 1);
  }
  return null;
}

function placesOf(
  limits: Limits,
  newcomers: readonly Handoff[],
): readonly { readonly newcomer: Handoff; readonly place: LimitSlot }[] {
  return newcomers
    .filter(usesCapacity)
    .flatMap((newcomer) =>
      slotsNeeded(limits, newcomer.from, newcomer.to, newcomer.kind).map((place) => ({ newcomer, place })),
    );
}

/** Those counters that do not exist yet. */
export function uncounted(needs: readonly Need[], counts: Counts): readonly Need[] {
  return needs.filter(({ agent, direction }) => !counts.has(keyOf(agent, direction)));
}

export async function beginCounting(connection: Connection, needs: readonly Need[]): Promise<void> {
  for (const { agent, direction } of needs) {
    await connection.write('select baton.begin_counting($1::text, $2::smallint)', [agent, direction]);
  }
}

/** Reads counters from the columns `from` and following; rows of something else have nothing there. */
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

/** A locked row is read as it is now, not as it was when the statement began. */
export const LOCKED_PLACES = (parameter: string): string =>
  `locked as materialized (select p.agent, p.direction, p.all_open, p.documents_open,
    case when need.documents then p.documents_open else p.all_open end + need.wanted <= need.max as fits
  from json_to_recordset(${parameter}::text::json)
    as need(agent text, direction smallint, documents boolean, max integer, wanted integer)
  join baton.place p on p.agent = need.agent and p.direction = need.direction
  order by p.agent, p.direction for update of p),
wanted as (select json_array_length(${parameter}::text::json) as many)`;

/** Open when every counter is there and has room, and whatever else is asked for holds. */
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
 * For statements that leave out adding to the counters: they write only as long as there is none. Whether there is one
 * is looked at in the same statement, so the agreement of `schema.ts` holds for it too.
 */
export const NO_COUNTERS = 'not exists (select from baton.place)';
export const HAS_COUNTERS = `select exists (select from baton.place)`;

/** Adds to whatever counters there are; `rows` has sender, recipient, gain and whether it is a document. */
export const ADD_TO_PLACES = (rows: string): string =>
  `counted as (update baton.place p
  set all_open = p.all_open + more.gain, documents_open = p.documents_open + more.documents
  from (
    select agent, direction, sum(gain)::integer as gain, coalesce(sum(gain) filter (where document), 0)::integer as documents
    from (${rows}) r cross join lateral (values (r.sender, 0::smallint), (r.recipient, 1::smallint)) as side(agent, direction)
    where r.gain <> 0
    group by agent, direction order by agent, direction
  ) more where p.agent = more.agent and p.direction = more.direction)`;
