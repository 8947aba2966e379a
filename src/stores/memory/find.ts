import { dueAtOf } from '../../domain/deadlines.ts';
import { endedUnsuccessfully } from '../../domain/dependencies.ts';
import { heldBy } from '../custody.ts';
import { pageById } from '../page.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { partiesOf } from '../../domain/rights.ts';
import type { State } from '../../domain/lifecycle.ts';
import type { FactFilter, FactQuery, FactRead, Page, Query, StateCounts, HandoffFilter } from '../store.ts';
import { readCursor } from '../read-cursor.ts';
import { queryWords, wordsOf } from '../search-words.ts';
import { requestName, type Row, type Tables } from './tables.ts';

export function find(tables: Tables, query: Query, nowMs: number): Page {
  const all = [...tables.rows.values()].map(({ handoff }) => handoff);
  const page = (items: readonly Handoff[]): Page => ({ items, next: null });
  const first = (max: number, isWanted: (handoff: Handoff) => boolean): Page =>
    page(all.filter(isWanted).slice(0, max));
  const after = (id: string | undefined, max: number, isWanted: (handoff: Handoff) => boolean): Page => {
    const rest = all.slice(all.findIndex((handoff) => handoff.id === id) + 1);
    return pageById(rest.filter(isWanted).slice(0, max), max);
  };
  const byIds = (ids: readonly HandoffId[]): Page => page(ids.flatMap((id) => tables.rows.get(id)?.handoff ?? []));
  switch (query.by) {
    case 'ids':
      return byIds(query.ids);
    case 'request':
      return byIds(tables.requests.get(requestName(query.request))?.ids ?? []);
    case 'overdue': {
      const dueAt = (handoff: Handoff): number => dueAtOf(handoff) ?? Infinity;
      const overdue = all.filter((handoff) => dueAt(handoff) <= nowMs).toSorted((a, b) => dueAt(a) - dueAt(b));
      return page(overdue.slice(0, query.max));
    }
    case 'session':
      return first(query.max, (handoff) => heldBy(handoff) === query.session);
    case 'chain': {
      const { root, visibleTo } = query;
      return first(
        query.max,
        (handoff) => (handoff.id === root || handoff.lineage.root === root) && isVisible(handoff, visibleTo),
      );
    }
    case 'artifacts': {
      const using = all.filter(({ terms }) => terms.artifacts?.some((id) => query.artifacts.includes(id)) === true);
      return page(using.toReversed().slice(0, query.max));
    }
    case 'places':
      return after(query.after, query.max, ({ blockedOn }) => blockedOn?.reason === 'place');
    case 'waiting':
      return after(query.after, query.max, (handoff) => isWaiting(tables, handoff, query.on));
    case 'short-id': {
      const pattern = new RegExp(`^hoff-[^-]{8}-[^-]{4}-[^-]{4}-[^-]{4}-${query.short.toLowerCase()}`);
      return first(query.max, ({ id }) => pattern.test(id));
    }
    case 'retries': {
      const ids = new Set<HandoffId | null>(query.of.map(({ id }) => id));
      return first(query.max, ({ lineage }) => lineage.retryOf !== null && ids.has(lineage.retryOf));
    }
    case 'freed':
      return first(query.max, ({ blockedOn, terms }) => {
        const isCompleted = (id: HandoffId): boolean => tables.rows.get(id)?.handoff.state === 'completed';
        return blockedOn?.reason === 'dependency' && terms.dependsOn.every(isCompleted);
      });
    case 'filter':
      return filtered(tables, query);
  }
}

export function factsOf(tables: Tables, query: FactQuery): readonly FactRead[] {
  if (query.newest === true) {
    const all = tables.facts.flatMap((fact, place) => (fact === null ? [] : [{ fact, cursor: String(place) }]));
    return all.slice(Math.max(0, all.length - query.max));
  }
  const from = query.after === undefined ? 0 : readCursor(query.after) + 1;
  const read: FactRead[] = [];
  for (let at = from; at < tables.facts.length && read.length < query.max; at += 1) {
    const fact = tables.facts[at];
    if (fact === undefined || fact === null || (query.handoff !== undefined && fact.handoff !== query.handoff))
      continue;
    if (query.only !== undefined && !isWanted(tables, fact, query.only)) continue;
    read.push({ fact, cursor: String(at) });
  }
  return read;
}

function isWanted(tables: Tables, fact: Fact, { handoff, agent, states }: FactFilter): boolean {
  const { from, to } = tables.rows.get(fact.handoff)?.handoff ?? {};
  return (
    (handoff === undefined || fact.handoff === handoff) &&
    (agent === undefined || from === agent || to === agent) &&
    (states === undefined || states.includes(fact.to))
  );
}

function isWaiting(tables: Tables, handoff: Handoff, on: Extract<Query, { by: 'waiting' }>['on']): boolean {
  const { blockedOn, terms } = handoff;
  if (on === 'answer') return blockedOn?.reason === 'question' && dueAtOf(handoff) !== null;
  if (blockedOn?.reason !== 'dependency') return false;
  if (on !== 'failed') return terms.dependsOn.some((id) => id.startsWith(on.named));
  return terms.dependsOn.some((id) => endedUnsuccessfully(tables.rows.get(id)?.handoff.state));
}

/** Newest first. Row numbers never change, so a new handoff does not shift the pages of a reader. */
function filtered(tables: Tables, filter: Extract<Query, { readonly by: 'filter' }>): Page {
  const { after, oldestFirst = false } = filter;
  const passed = after === undefined ? null : readCursor(after);
  const isPast = (number: number): boolean => passed === null || (oldestFirst ? number > passed : number < passed);
  const found = wantedIn(tables, filter).filter(({ number }) => isPast(number));
  const rest = oldestFirst ? found : found.toReversed();
  const shown = rest.slice(0, filter.max);
  const last = shown.at(-1);
  const next = last === undefined || shown.length === rest.length ? null : String(last.number);
  return { items: shown.map(({ handoff }) => handoff), next };
}

/** In order of insertion. */
function wantedIn(
  tables: Tables,
  wanted: HandoffFilter,
): readonly { readonly handoff: Handoff; readonly number: number }[] {
  const asked = wanted.text === undefined ? null : queryWords(wanted.text);
  return [...tables.rows.values()]
    .map((row, number) => ({ row, handoff: row.handoff, number }))
    .filter(({ handoff }) => matches(handoff, wanted))
    .filter(({ row }) => asked === null || hasAll(row, asked));
}

export function count(tables: Tables, wanted: HandoffFilter): StateCounts {
  const counts: Partial<Record<State, number>> = {};
  for (const { handoff } of wantedIn(tables, wanted)) counts[handoff.state] = (counts[handoff.state] ?? 0) + 1;
  return counts;
}

function isVisible(handoff: Handoff, agent: AgentId | undefined): boolean {
  return agent === undefined || partiesOf(handoff).includes(agent);
}

function matches(handoff: Handoff, wanted: HandoffFilter): boolean {
  const { states, from, to, agent, task, visibleTo, kind, priorities, createdSince, createdBefore } = wanted;
  return (
    isVisible(handoff, visibleTo) &&
    (states === undefined || states.includes(handoff.state)) &&
    (from === undefined || handoff.from === from) &&
    (to === undefined || handoff.to === to) &&
    (agent === undefined || handoff.from === agent || handoff.to === agent) &&
    (task === undefined || handoff.task === task) &&
    (kind === undefined || handoff.kind === kind) &&
    (priorities === undefined || priorities.includes(handoff.priority)) &&
    (createdSince === undefined || handoff.createdAt >= createdSince) &&
    (createdBefore === undefined || handoff.createdAt < createdBefore)
  );
}

function hasAll({ handoff, body }: Row, asked: readonly string[]): boolean {
  const words = new Set(wordsOf(handoff, body));
  return asked.length > 0 && asked.every((word) => words.has(word));
}
