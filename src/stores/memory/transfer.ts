/** Records as they are, in the order in which they came; the number of a record is the cursor. */
import type { Clock } from '../../foundation/clock.ts';
import { SESSION_LEASE_MS } from '../../domain/deadlines.ts';
import type { Fact } from '../../domain/facts.ts';
import type { AgentId, HandoffId, SessionId } from '../../domain/names.ts';
import { ELSEWHERE, holdersOf, newAmong, refuseCycles, refuseInvalid } from '../valid-copies.ts';
import { recognisedIn } from '../transfer-heads.ts';
import type { CopiesPage, Transfer } from '../store.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { Hints } from './wake-waiters.ts';
import { draftOver, type Row, type Tables } from './tables.ts';

export function openTransfer(shelf: Tables, hints: Hints, clock: Clock): Transfer {
  return {
    async copies(after, max) {
      return copiesAfter(shelf, after, max);
    },
    async restore(copies) {
      refuseInvalid(copies);
      const draft = draftOver(shelf);
      const { fresh, answers } = newAmong(copies, (id) => shelf.rows.get(id)?.handoff.trail ?? null);
      refuseCycles(fresh, (id) => shelf.rows.get(id)?.handoff.terms.dependsOn ?? []);
      for (const copy of fresh) {
        const { handoff, body, outcome, facts } = frozenCopy(copy);
        draft.write({ handoff, body, outcome }, { handoff, facts });
      }
      for (const [session, agent] of holdersOf(fresh)) endSession(shelf, session, agent, clock);
      hints.ring(draft.commit());
      return answers;
    },
    async recognise(after, heads) {
      const ids = rowsAfter(shelf, after, heads.length).map(({ handoff }) => handoff.id);
      const facts = factsOf(shelf, new Set(ids));
      const rows = ids.map((id, index) => ({
        cursor: cursorOf(shelf, id),
        id,
        hash: facts.get(id)?.find(({ revision }) => revision === heads[index]?.revision)?.hash ?? null,
      }));
      return recognisedIn(rows, heads, after);
    },
  };
}

/** A page of records, in the order of their numbers. */
export function copiesAfter(shelf: Tables, after: string | null, max: number): CopiesPage {
  const rows = rowsAfter(shelf, after, max);
  const facts = factsOf(shelf, new Set(rows.map((row) => row.handoff.id)));
  const items = rows.map((row) => ({ ...row, facts: facts.get(row.handoff.id) ?? [] }));
  const last = rows.at(-1)?.handoff.id;
  const isLast = last === undefined || [...shelf.rows.keys()].at(-1) === last;
  return { items, damaged: [], next: isLast ? null : cursorOf(shelf, last) };
}

function rowsAfter(shelf: Tables, after: string | null, max: number): readonly Row[] {
  const from = after === null ? 0 : Number(after);
  return [...shelf.rows.values()].filter(({ handoff }) => Number(cursorOf(shelf, handoff.id)) > from).slice(0, max);
}

function cursorOf(shelf: Tables, id: HandoffId): string {
  return String(shelf.numbers.get(id));
}

function factsOf(shelf: Tables, ids: ReadonlySet<HandoffId>): ReadonlyMap<HandoffId, readonly Fact[]> {
  const facts = new Map<HandoffId, Fact[]>();
  for (const fact of shelf.facts) {
    if (fact === null || !ids.has(fact.handoff)) continue;
    const trail = facts.get(fact.handoff);
    if (trail === undefined) facts.set(fact.handoff, [fact]);
    else trail.push(fact);
  }
  return facts;
}

function endSession({ sessions }: Tables, id: SessionId, agent: AgentId, clock: Clock): void {
  if (sessions.has(id)) return;
  sessions.set(id, {
    id,
    agent,
    process: ELSEWHERE,
    groups: [],
    leaseMs: SESSION_LEASE_MS,
    ended: true,
    beatAtMs: clock.monotonicMs(),
  });
}
