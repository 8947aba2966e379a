/** Copies of records in order of insertion; the number of a record is the cursor. */
import type { Clock } from '../../foundation/clock.ts';
import { groupBy } from '../../foundation/group-by.ts';
import { SESSION_LEASE_MS } from '../../domain/deadlines.ts';
import type { Fact } from '../../domain/facts.ts';
import type { AgentId, HandoffId, SessionId } from '../../domain/names.ts';
import { NO_PROCESS, holdersOf, splitKnownCopies, requireNoCycles, requireValidCopies } from '../valid-copies.ts';
import { recognizedIn } from '../transfer-heads.ts';
import type { CopiesPage, Transfer } from '../store.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { ChangeNotifier } from './wake-waiters.ts';
import { draftOver, type Row, type Tables } from './tables.ts';

export function openTransfer(tables: Tables, notifier: ChangeNotifier, clock: Clock): Transfer {
  return {
    copies: async (after, max) => copiesAfter(tables, after, max),
    async restore(copies) {
      requireValidCopies(copies);
      const draft = draftOver(tables);
      const { fresh, answers } = splitKnownCopies(copies, (id) => tables.rows.get(id)?.handoff.trail ?? null);
      requireNoCycles(fresh, (id) => tables.rows.get(id)?.handoff.terms.dependsOn ?? []);
      for (const copy of fresh) {
        const { handoff, body, outcome, facts } = frozenCopy(copy);
        draft.write({ handoff, body, outcome }, { handoff, facts });
      }
      for (const [session, agent] of holdersOf(fresh)) endSession(tables, session, agent, clock);
      notifier.notify(draft.commit());
      return answers;
    },
    async recognize(after, heads) {
      const ids = rowsAfter(tables, after, heads.length).map(({ handoff }) => handoff.id);
      const facts = factsOf(tables, new Set(ids));
      const rows = ids.map((id, index) => ({
        cursor: cursorOf(tables, id),
        id,
        hash: facts.get(id)?.find(({ revision }) => revision === heads[index]?.revision)?.hash ?? null,
      }));
      return recognizedIn(rows, heads, after);
    },
  };
}

/** A page of records, in the order of their numbers. */
export function copiesAfter(tables: Tables, after: string | null, max: number): CopiesPage {
  const rows = rowsAfter(tables, after, max);
  const facts = factsOf(tables, new Set(rows.map((row) => row.handoff.id)));
  const items = rows.map((row) => ({ ...row, facts: facts.get(row.handoff.id) ?? [] }));
  const last = rows.at(-1)?.handoff.id;
  const isLast = last === undefined || [...tables.rows.keys()].at(-1) === last;
  return { items, damaged: [], next: isLast ? null : cursorOf(tables, last) };
}

function rowsAfter(tables: Tables, after: string | null, max: number): readonly Row[] {
  const from = after === null ? 0 : Number(after);
  return [...tables.rows.values()].filter(({ handoff }) => Number(cursorOf(tables, handoff.id)) > from).slice(0, max);
}

function cursorOf(tables: Tables, id: HandoffId): string {
  return String(tables.numbers.get(id));
}

function factsOf(tables: Tables, ids: ReadonlySet<HandoffId>): ReadonlyMap<HandoffId, readonly Fact[]> {
  const facts = tables.facts.filter((fact) => fact !== null && ids.has(fact.handoff)) as readonly Fact[];
  return groupBy(facts, ({ handoff }) => handoff);
}

function endSession({ sessions }: Tables, id: SessionId, agent: AgentId, clock: Clock): void {
  if (sessions.has(id)) return;
  sessions.set(id, {
    id,
    agent,
    process: NO_PROCESS,
    groups: [],
    leaseMs: SESSION_LEASE_MS,
    ended: true,
    beatAtMs: clock.monotonicMs(),
  });
}
