import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decision } from '../../domain/decision.ts';
import { ringThrough, type DependencyStates } from '../../domain/dependencies.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { usesCapacity } from '../../domain/limits.ts';
import type { State } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { stateOfNumber } from '../numbers.ts';
import { keysOf, removedRefusal, REQUEST_MS, type Guard, type Opening, type RequestKey } from '../store.ts';
import { assertValidRecord } from '../valid-record.ts';
import type { HandoffParts } from './change.ts';
import { removedReader } from './retention.ts';
import { NEVER } from './schema.ts';
import type { Work } from './shared-commit.ts';

type Inserted = Result<readonly Handoff[], Refusal>;

/** A change in the same transaction, which is not written yet when the openings are decided. */
interface Besides {
  readonly before: Handoff;
  readonly changed: Handoff;
}

export interface Inserting {
  insert(openings: readonly Opening[], guard: Guard): Work<Inserted>;
  /** What the same request was answered before; null: it is new. */
  answered(request: RequestKey | undefined, nowMs: number): Inserted | null;
  decideAll(
    openings: readonly Opening[],
    nowMs: number,
    besides?: Besides,
    overLimits?: boolean,
  ): Result<readonly Decision[], Refusal>;
  write(openings: readonly Opening[], decisions: readonly Decision[], nowMs: number): void;
  /** Remembers what a request was answered with. */
  keep(request: RequestKey | undefined, made: readonly Handoff[], nowMs: number): void;
}

export function insertOf({ sql, reading, writing, places, nowMs }: HandoffParts): Inserting {
  const removed = removedReader(sql);
  const findState = sql('SELECT state FROM handoff WHERE id = ?');
  const findRemoved = sql('SELECT 1 FROM removed WHERE id = ?');
  const findNeeds = sql('SELECT needs FROM dependency WHERE handoff = (SELECT n FROM handoff WHERE id = ?)');
  const findRequest = sql('SELECT hash, at, ids FROM request WHERE by = ? AND key = ?');
  const putRequest = sql(`INSERT INTO request (by, key, hash, at, ids) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (by, key) DO UPDATE SET hash = excluded.hash, at = excluded.at, ids = excluded.ids`);

  const stateOf = (id: HandoffId): State | null => stateOfNumber(findState.get(id)?.[0] as number) ?? null;

  const isKnown = (id: HandoffId): boolean => findState.get(id) !== undefined || findRemoved.get(id) !== undefined;

  const statesOf = (ids: readonly HandoffId[], besides: Besides | undefined): DependencyStates =>
    new Map(ids.map((id) => [id, besides?.changed.id === id ? besides.changed.state : stateOf(id)]));

  const ringOf = (opening: Opening, all: readonly Opening[]): readonly HandoffId[] | null => {
    if (opening.dependsOn.length === 0) return null;
    return ringThrough(opening.id, opening.dependsOn, (id) => {
      const beside = all.find((other) => other.id === id);
      return beside?.dependsOn ?? (findNeeds.all(id).map((row) => row[0]) as HandoffId[]);
    });
  };

  const answered = (request: RequestKey | undefined, now: number): Inserted | null => {
    if (request === undefined) return null;
    const { by, key, hash } = request;
    const row = findRequest.get(by, key);
    if (row === undefined || (row[1] as number) < now - REQUEST_MS) return null;
    if (row[0] !== hash) return err({ code: 'request-reused', key });
    const ids = JSON.parse(row[2] as string) as HandoffId[];
    const found = reading.byIds(ids);
    const [gone] = found.length === ids.length ? [] : removed(ids);
    return gone === undefined ? ok(found) : err(removedRefusal(gone));
  };

  const decideAll: Inserting['decideAll'] = (openings, now, besides, overLimits = false) => {
    const fewer = besides !== undefined && !usesCapacity(besides.changed) ? [besides.before] : [];
    const more: Handoff[] = besides !== undefined && !usesCapacity(besides.before) ? [besides.changed] : [];
    const decisions: Decision[] = [];
    const ids = new Set<HandoffId>();
    for (const opening of openings) {
      const { id, dependsOn, unheardOf } = opening;
      if (ids.has(id) || (unheardOf !== true && isKnown(id))) {
        return err({ code: 'known-id', id });
      }
      const [gone] = dependsOn.length === 0 ? [] : removed(dependsOn);
      if (gone !== undefined) return err(removedRefusal(gone));
      const ring = ringOf(opening, openings);
      if (ring !== null) return err({ code: 'dependency-cycle', ring });
      const decided = opening.decide(now, statesOf(dependsOn, besides));
      if (!decided.ok) return decided;
      assertValidRecord(id, null, decided.value);
      const full = overLimits ? null : places.roomFor(decided.value.handoff, more, fewer);
      if (full !== null) return err(full);
      decisions.push(decided.value);
      more.push(decided.value.handoff);
      ids.add(id);
    }
    return ok(decisions);
  };

  const write: Inserting['write'] = (openings, decisions, now) => {
    for (const [index, decision] of decisions.entries()) {
      writing.add(decision, (openings[index] as Opening).body, now);
    }
  };

  const keep: Inserting['keep'] = (request, made, now) => {
    if (request === undefined) return;
    const { by, hash, forEver } = request;
    const ids = JSON.stringify(made.map(({ id }) => id));
    for (const key of keysOf(request)) putRequest.run(by, key, hash, forEver === true ? NEVER : now, ids);
  };

  const insert: Inserting['insert'] =
    (openings, { request, overLimits }) =>
    () => {
      const now = nowMs();
      const before = answered(request, now);
      if (before !== null) return () => before;
      const decided = decideAll(openings, now, undefined, overLimits);
      if (!decided.ok) return () => decided;
      return () => {
        const made = decided.value.map((decision) => decision.handoff);
        write(openings, decided.value, now);
        keep(request, made, now);
        return ok(made);
      };
    };

  return { insert, answered, decideAll, write, keep };
}
