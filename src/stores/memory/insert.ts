import { assert, present } from '../../foundation/assert.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { ringThrough, type DependencyStates } from '../../domain/dependencies.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Limits } from '../../domain/limits.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { relayedOf } from '../relay-result.ts';
import { removedRefusal } from '../store.ts';
import { keysOf, REQUEST_DAYS, type Opening, type Relayed, type RequestKey } from '../store.ts';
import { changeOne } from './change.ts';
import { heldBy } from './find.ts';
import { frozenCopy } from './frozen-copy.ts';
import { fullPlace } from './limits.ts';
import { draftOver, requestName, type Draft, type Tables } from './tables.ts';
import { assertValidTables } from './valid-tables.ts';

const DAY_MS = 24 * 60 * 60_000;

export interface Inserted {
  readonly answer: Result<readonly Handoff[], Refusal>;
  readonly written: readonly Handoff[];
}

/** All of them or none; a request that was answered before gets its records as they are now. */
export function insert(
  shelf: Tables,
  openings: readonly Opening[],
  request: RequestKey | undefined,
  limits: Limits,
  nowMs: number,
): Inserted {
  const repeated = answeredBefore(shelf, request, nowMs);
  if (repeated !== null) return { answer: repeated, written: [] };
  const draft = draftOver(shelf);
  const made = openAll(draft, openings, limits, nowMs);
  if (!made.ok) return { answer: made, written: [] };
  keepRequest(shelf, request, made.value, nowMs);
  return { answer: made, written: draft.commit() };
}

export interface RelayedNow {
  readonly answer: Result<Relayed, Refusal>;
  readonly written: readonly Handoff[];
}

/** The change first, then what follows from it, in one draft. */
export function relay(
  shelf: Tables,
  target: HandoffId | Handoff,
  decide: Decide,
  openings: readonly Opening[],
  request: RequestKey | undefined,
  limits: Limits,
  nowMs: number,
): RelayedNow {
  const repeated = answeredBefore(shelf, request, nowMs);
  if (repeated !== null) return { answer: repeated.ok ? ok(relayedOf(repeated.value)) : repeated, written: [] };
  const draft = draftOver(shelf);
  const changed = changeOne(shelf, draft, target, decide, limits, nowMs);
  if (!changed.ok) return { answer: changed, written: [] };
  const made = openAll(draft, openings, limits, nowMs);
  if (!made.ok) return { answer: made, written: [] };
  const all = [changed.value, ...made.value];
  keepRequest(shelf, request, all, nowMs);
  return { answer: ok(relayedOf(all)), written: draft.commit() };
}

function openAll(
  draft: Draft,
  openings: readonly Opening[],
  limits: Limits,
  nowMs: number,
): Result<readonly Handoff[], Refusal> {
  const together = new Set(openings.map((opening) => opening.id));
  const made: Handoff[] = [];
  for (const opening of openings) {
    const opened = open(draft, together, opening, limits, nowMs);
    if (!opened.ok) return opened;
    made.push(opened.value);
  }
  return ok(made);
}

function open(
  draft: Draft,
  together: ReadonlySet<HandoffId>,
  opening: Opening,
  limits: Limits,
  nowMs: number,
): Result<Handoff, Refusal> {
  const { id, dependsOn } = opening;
  if (draft.row(id) !== undefined || draft.removed(id) !== undefined) return err({ code: 'known-id', id });
  const gone = dependsOn.map((other) => draft.removed(other)).find((each) => each !== undefined);
  if (gone !== undefined) return err(removedRefusal(gone));

  // A ring within one insert is closed, and seen, by the last of its members.
  const ring = ringThrough(id, dependsOn, (other) => draft.row(other)?.handoff.terms.dependsOn ?? []);
  if (ring !== null) return err({ code: 'dependency-cycle', ring });

  // What comes in the same insert cannot have been completed, whatever it says of itself.
  const stateOf = (other: HandoffId) => (together.has(other) ? null : (draft.row(other)?.handoff.state ?? null));
  const dependencies: DependencyStates = new Map(dependsOn.map((other) => [other, stateOf(other)]));
  const decided = opening.decide(nowMs, dependencies);
  if (!decided.ok) return decided;

  const decision = frozenCopy(decided.value);
  assertValidTables(id, null, decision);
  const { handoff, outcome = null } = decision;
  assert(sameIds(handoff.terms.dependsOn, dependsOn), 'a record waits for what it was opened with');
  assert(heldBy(handoff) === null, 'a session takes only what is there');
  const full = fullPlace(draft, limits, null, handoff);
  if (full !== null) return err(full);
  draft.write({ handoff, body: opening.body, outcome }, decision);
  return ok(handoff);
}

function answeredBefore(shelf: Tables, request: RequestKey | undefined, nowMs: number): Inserted['answer'] | null {
  forgetOldRequests(shelf, nowMs);
  const kept = request === undefined ? undefined : shelf.requests.get(requestName(request));
  if (kept === undefined || request === undefined) return null;
  if (kept.hash !== request.hash) return err({ code: 'request-reused', key: request.key });
  const gone = kept.ids.map((id) => shelf.removed.get(id)).find((each) => each !== undefined);
  if (gone !== undefined) return err(removedRefusal(gone));
  return ok(kept.ids.map((id) => present(shelf.rows.get(id), 'what is not removed is there').handoff));
}

function keepRequest(shelf: Tables, request: RequestKey | undefined, made: readonly Handoff[], nowMs: number): void {
  if (request === undefined) return;
  const at = request.forEver === true ? Infinity : nowMs;
  const kept = { hash: request.hash, ids: made.map(({ id }) => id), at };
  for (const key of keysOf(request)) shelf.requests.set(requestName({ by: request.by, key }), kept);
}

function forgetOldRequests(shelf: Tables, nowMs: number): void {
  for (const [name, { at }] of shelf.requests) {
    if (nowMs - at > REQUEST_DAYS * DAY_MS) shelf.requests.delete(name);
  }
}

function sameIds(some: readonly HandoffId[], others: readonly HandoffId[]): boolean {
  return some.length === others.length && some.every((id, index) => id === others[index]);
}
