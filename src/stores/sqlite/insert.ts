import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decision } from '../../domain/decision.ts';
import { findCycle, type DependencyStates } from '../../domain/dependencies.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { usesCapacity } from '../../domain/limits.ts';
import type { State } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { stateOfNumber } from '../stored-numbers.ts';
import { keysOf, removedRefusal, REQUEST_MS, type Guard, type NewHandoff, type RequestKey } from '../store.ts';
import { assertValidRecord } from '../valid-record.ts';
import type { HandoffParts } from './change.ts';
import { removedReader } from './retention.ts';
import { NEVER } from './schema.ts';
import type { Work } from './shared-commit.ts';

type Inserted = Result<readonly Handoff[], Refusal>;

/** A change of the same transaction that is decided but not written yet. */
interface PendingChange {
  readonly before: Handoff;
  readonly changed: Handoff;
}

export interface Inserter {
  insert(newHandoffs: readonly NewHandoff[], guard: Guard): Work<Inserted>;
  /** The earlier answer to the same request. Null: the request is new. */
  answered(request: RequestKey | undefined, nowMs: number): Inserted | null;
  decideAll(
    newHandoffs: readonly NewHandoff[],
    nowMs: number,
    pendingChange?: PendingChange,
    overLimits?: boolean,
  ): Result<readonly Decision[], Refusal>;
  write(newHandoffs: readonly NewHandoff[], decisions: readonly Decision[], nowMs: number): void;
  /** Stores the answer to a request. */
  keep(request: RequestKey | undefined, made: readonly Handoff[], nowMs: number): void;
}

export function insertOf({ sql, reading, writing, counters, nowMs }: HandoffParts): Inserter {
  const removed = removedReader(sql);
  const findState = sql('SELECT state FROM handoff WHERE id = ?');
  const findRemoved = sql('SELECT 1 FROM removed WHERE id = ?');
  const findNeeds = sql('SELECT needs FROM dependency WHERE handoff = (SELECT n FROM handoff WHERE id = ?)');
  const findRequest = sql('SELECT hash, at, ids FROM request WHERE by = ? AND key = ?');
  const putRequest = sql(`INSERT INTO request (by, key, hash, at, ids) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (by, key) DO UPDATE SET hash = excluded.hash, at = excluded.at, ids = excluded.ids`);

  const stateOf = (id: HandoffId): State | null => stateOfNumber(findState.get(id)?.[0] as number) ?? null;

  const isKnown = (id: HandoffId): boolean => findState.get(id) !== undefined || findRemoved.get(id) !== undefined;

  const statesOf = (ids: readonly HandoffId[], pendingChange: PendingChange | undefined): DependencyStates =>
    new Map(ids.map((id) => [id, pendingChange?.changed.id === id ? pendingChange.changed.state : stateOf(id)]));

  const ringOf = (newHandoff: NewHandoff, all: readonly NewHandoff[]): readonly HandoffId[] | null => {
    if (newHandoff.dependsOn.length === 0) return null;
    return findCycle(newHandoff.id, newHandoff.dependsOn, (id) => {
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

  const decideAll: Inserter['decideAll'] = (newHandoffs, now, pendingChange, overLimits = false) => {
    const fewer = pendingChange !== undefined && !usesCapacity(pendingChange.changed) ? [pendingChange.before] : [];
    const more: Handoff[] =
      pendingChange !== undefined && !usesCapacity(pendingChange.before) ? [pendingChange.changed] : [];
    const decisions: Decision[] = [];
    const ids = new Set<HandoffId>();
    for (const newHandoff of newHandoffs) {
      const { id, dependsOn, isNewId } = newHandoff;
      if (ids.has(id) || (isNewId !== true && isKnown(id))) {
        return err({ code: 'known-id', id });
      }
      const [gone] = dependsOn.length === 0 ? [] : removed(dependsOn);
      if (gone !== undefined) return err(removedRefusal(gone));
      const ring = ringOf(newHandoff, newHandoffs);
      if (ring !== null) return err({ code: 'dependency-cycle', ring });
      const decided = newHandoff.decide(now, statesOf(dependsOn, pendingChange));
      if (!decided.ok) return decided;
      assertValidRecord(id, null, decided.value);
      const full = overLimits ? null : counters.limitRefusal(decided.value.handoff, more, fewer);
      if (full !== null) return err(full);
      decisions.push(decided.value);
      more.push(decided.value.handoff);
      ids.add(id);
    }
    return ok(decisions);
  };

  const write: Inserter['write'] = (newHandoffs, decisions, now) => {
    for (const [index, decision] of decisions.entries()) {
      writing.add(decision, (newHandoffs[index] as NewHandoff).body, now);
    }
  };

  const keep: Inserter['keep'] = (request, made, now) => {
    if (request === undefined) return;
    const { by, hash, forEver } = request;
    const ids = JSON.stringify(made.map(({ id }) => id));
    for (const key of keysOf(request)) putRequest.run(by, key, hash, forEver === true ? NEVER : now, ids);
  };

  const insert: Inserter['insert'] =
    (newHandoffs, { request, overLimits }) =>
    () => {
      const now = nowMs();
      const before = answered(request, now);
      if (before !== null) return () => before;
      const decided = decideAll(newHandoffs, now, undefined, overLimits);
      if (!decided.ok) return () => decided;
      return () => {
        const made = decided.value.map((decision) => decision.handoff);
        write(newHandoffs, decided.value, now);
        keep(request, made, now);
        return ok(made);
      };
    };

  return { insert, answered, decideAll, write, keep };
}
