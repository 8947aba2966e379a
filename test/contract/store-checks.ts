/** What tests read out of a store, and the checks that hold for every record of every store. */
import { expect } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import type { Result } from '../../src/foundation/result.ts';
import { firstBrokenRevision, type Fact } from '../../src/domain/facts.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import { isFinal } from '../../src/domain/lifecycle.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import type { Refusal } from '../../src/domain/refusals.ts';
import { flawOf } from '../../src/domain/trail.ts';
import { allCopies } from '../../src/engine/transfer/all-copies.ts';
import { acceptBy } from './builders.ts';
import type { NewHandoff, Store, StoredHandoff } from '../../src/stores/store.ts';

/** More than any test writes. */
export const ALL = 10_000;

export function valueOf<Value>(result: Result<Value, Refusal> | undefined): Value {
  const given = present(result, 'there is an answer');
  if (!given.ok) throw new Error(`refused: ${JSON.stringify(given.refusal)}`);
  return given.value;
}

export function refusalOf(result: Result<unknown, Refusal> | undefined): Refusal {
  const given = present(result, 'there is an answer');
  if (given.ok) throw new Error(`not refused: ${JSON.stringify(given.value)}`);
  return given.refusal;
}

/** Inserts what must not be refused. */
export async function put(store: Store, ...openings: readonly NewHandoff[]): Promise<readonly Handoff[]> {
  return valueOf(await store.insert(openings));
}

/** Inserts them and lets a session take them all: what is held can report progress as often as a test likes. */
export async function putHeld(store: Store, ...openings: readonly NewHandoff[]): Promise<readonly Handoff[]> {
  await put(store, ...openings);
  const taken = await store.change(
    openings.map((opening) => opening.id),
    acceptBy(),
  );
  return taken.map(valueOf);
}

export async function wholeOf(store: Store, id: HandoffId): Promise<StoredHandoff> {
  return present(await store.load(id), `${id} is stored`);
}

export async function recordOf(store: Store, id: HandoffId): Promise<Handoff> {
  return (await wholeOf(store, id)).handoff;
}

export async function trailOf(store: Store, id: HandoffId): Promise<readonly Fact[]> {
  return (await store.facts({ handoff: id, max: ALL })).map((read) => read.fact);
}

/** How many trails there are, page by page as a doctor reads them, and whose do not add up. */
export async function trailsIn(
  store: Store,
): Promise<{ readonly flawed: readonly HandoffId[]; readonly count: number }> {
  const flawed: HandoffId[] = [];
  let count = 0;
  for await (const { handoff, facts, body } of allCopies(store)) {
    count += 1;
    if (flawOf(handoff, facts, body) !== null) flawed.push(handoff.id);
  }
  return { flawed, count };
}

/** The record, after its trail has been checked: dense, hashed, agreeing with the record, final at its end only. */
export async function soundRecordOf(store: Store, id: HandoffId): Promise<Handoff> {
  const handoff = await recordOf(store, id);
  const trail = await trailOf(store, id);
  expect(trail).toHaveLength(handoff.revision);
  expect(firstBrokenRevision(trail)).toBeNull();
  expect(trail.at(-1)).toMatchObject({ handoff: id, to: handoff.state, hash: handoff.trail });
  expect(trail.slice(0, -1).filter((fact) => isFinal(fact.to))).toEqual([]);
  return handoff;
}

/** Everything a refusal, a fault or a repetition must leave as it was. */
export async function everythingIn(store: Store): Promise<unknown> {
  const { items } = await store.find({ by: 'filter', max: ALL });
  const wholes = await Promise.all(items.map(async (item) => store.load(item.id)));
  // By their trails: the feed of PostgreSQL holds back what is newer than an open transaction, of whatever database.
  const facts = await Promise.all(items.map(async (item) => trailOf(store, item.id)));
  // A copy, because a store that hands out its own records would change what we compare with.
  return structuredClone({ wholes, facts, effects: await store.outbox.due(ALL) });
}
