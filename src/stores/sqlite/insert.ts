import { refuse, yes, type Result } from '../../foundation/result.ts';
import type { Decision } from '../../domain/decision.ts';
import { ringThrough, type DependencyStates } from '../../domain/dependencies.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { STATES, type State } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { REQUEST_DAYS, type Guard, type Opening, type RequestKey } from '../store.ts';
import { assertSound } from '../sound.ts';
import { prepare, type Database } from './binding.ts';
import type { Places } from './places.ts';
import type { Reading } from './reading.ts';
import type { Work } from './shared-commit.ts';
import type { Writing } from './writing.ts';

export type Inserted = Result<readonly Handoff[], Refusal>;

const DAY_MS = 24 * 60 * 60_000;

export function insertOf(
  database: Database,
  { reading, writing, places, nowMs }: { reading: Reading; writing: Writing; places: Places; nowMs: () => number },
): (openings: readonly Opening[], guard: Guard) => Work<Inserted> {
  const findState = prepare(database, 'SELECT state FROM handoff WHERE id = ?');
  const findNeeds = prepare(
    database,
    'SELECT needs FROM dependency WHERE handoff = (SELECT n FROM handoff WHERE id = ?)',
  );
  const findRequest = prepare(database, 'SELECT hash, at, ids FROM request WHERE by = ? AND key = ?');
  const putRequest = prepare(
    database,
    'INSERT INTO request (by, key, hash, at, ids) VALUES (?, ?, ?, ?, ?) ' +
      'ON CONFLICT (by, key) DO UPDATE SET hash = excluded.hash, at = excluded.at, ids = excluded.ids',
  );

  const stateOf = (id: HandoffId): State | null => {
    const row = findState.get(id);
    return row === undefined ? null : (STATES[row[0] as number] ?? null);
  };

  const statesOf = (ids: readonly HandoffId[]): DependencyStates => new Map(ids.map((id) => [id, stateOf(id)]));

  const ringOf = (opening: Opening, all: readonly Opening[]): readonly HandoffId[] | null => {
    if (opening.dependsOn.length === 0) return null;
    return ringThrough(opening.id, opening.dependsOn, (id) => {
      const beside = all.find((other) => other.id === id);
      return beside?.dependsOn ?? (findNeeds.all(id).map((row) => row[0]) as HandoffId[]);
    });
  };

  const answered = ({ by, key, hash }: RequestKey, now: number): Inserted | null => {
    const row = findRequest.get(by, key);
    if (row === undefined || (row[1] as number) < now - REQUEST_DAYS * DAY_MS) return null;
    if (row[0] !== hash) return refuse({ code: 'request-reused', key });
    return yes(reading.byIds(JSON.parse(row[2] as string) as HandoffId[]));
  };

  const decideAll = (openings: readonly Opening[], now: number): Result<readonly Decision[], Refusal> => {
    const decisions: Decision[] = [];
    const handoffs: Handoff[] = [];
    const ids = new Set<HandoffId>();
    for (const opening of openings) {
      const { id, dependsOn } = opening;
      if (findState.get(id) !== undefined || ids.has(id)) {
        return refuse({ code: 'known-id', id });
      }
      const ring = ringOf(opening, openings);
      if (ring !== null) return refuse({ code: 'dependency-cycle', ring });
      const decided = opening.decide(now, statesOf(dependsOn));
      if (!decided.ok) return decided;
      assertSound(id, null, decided.value);
      const full = places.roomFor(decided.value.handoff, handoffs);
      if (full !== null) return refuse(full);
      decisions.push(decided.value);
      handoffs.push(decided.value.handoff);
      ids.add(id);
    }
    return yes(decisions);
  };

  return (openings, guard) => () => {
    const now = nowMs();
    const before = guard.request === undefined ? null : answered(guard.request, now);
    if (before !== null) return () => before;
    const decided = decideAll(openings, now);
    if (!decided.ok) return () => decided;
    return () => {
      for (const [index, decision] of decided.value.entries()) {
        writing.add(decision, (openings[index] as Opening).body, now);
      }
      if (guard.request !== undefined) {
        const { by, key, hash } = guard.request;
        putRequest.run(by, key, hash, now, JSON.stringify(openings.map((opening) => opening.id)));
      }
      return yes(decided.value.map((decision) => decision.handoff));
    };
  };
}
