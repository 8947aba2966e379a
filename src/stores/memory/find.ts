import { dueAtOf } from '../../domain/deadlines.ts';
import { hasEndedBadly } from '../../domain/dependencies.ts';
import { pageById } from '../page.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId, HandoffId, SessionId } from '../../domain/names.ts';
import { isPartyOf } from '../../domain/rights.ts';
import type { State } from '../../domain/lifecycle.ts';
import type { FactFilter, FactQuery, FactRead, Page, Query, RequestKey, StateCounts, Wanted } from '../store.ts';
import { readCursor } from '../read-cursor.ts';
import { wordsAsked, wordsOf } from '../search-words.ts';
import { requestName, type Row, type Tables } from './tables.ts';

type Filter = Extract<Query, { readonly by: 'filter' }>;

export function find(shelf: Tables, query: Query, nowMs: number): Page {
  switch (query.by) {
    case 'ids':
      return whole(query.ids.map((id) => shelf.rows.get(id)?.handoff).filter((handoff) => handoff !== undefined));
    case 'request':
      return whole(requested(shelf, query.request));
    case 'overdue':
      return whole(overdue(shelf, nowMs).slice(0, query.max));
    case 'session':
      return whole(
        all(shelf)
          .filter((handoff) => heldBy(handoff) === query.session)
          .slice(0, query.max),
      );
    case 'chain':
      return whole(
        all(shelf)
          .filter(({ id, lineage }) => id === query.root || lineage.root === query.root)
          .filter((handoff) => isVisible(handoff, query.visibleTo))
          .slice(0, query.max),
      );
    case 'artifacts':
      return whole(
        all(shelf)
          .filter(({ terms }) => terms.artifacts?.some((id) => query.artifacts.includes(id)) === true)
          .toReversed()
          .slice(0, query.max),
      );
    case 'places':
      return pageById(
        afterId(all(shelf), query.after)
          .filter(({ blockedOn }) => blockedOn?.reason === 'place')
          .slice(0, query.max),
        query.max,
      );
    case 'waiting':
      return pageById(
        afterId(all(shelf), query.after)
          .filter((handoff) => isWaiting(shelf, handoff, query.on))
          .slice(0, query.max),
        query.max,
      );
    case 'short-id': {
      const pattern = new RegExp(`^hoff-[^-]{8}-[^-]{4}-[^-]{4}-[^-]{4}-${query.short.toLowerCase()}`);
      return whole(
        all(shelf)
          .filter(({ id }) => pattern.test(id))
          .slice(0, query.max),
      );
    }
    case 'retries': {
      const ids = new Set<HandoffId | null>(query.of.map(({ id }) => id));
      return whole(
        all(shelf)
          .filter(({ lineage }) => lineage.retryOf !== null && ids.has(lineage.retryOf))
          .slice(0, query.max),
      );
    }
    case 'freed':
      return whole(
        all(shelf)
          .filter((handoff) => isFreed(shelf, handoff))
          .slice(0, query.max),
      );
    case 'filter':
      return page(shelf, query);
  }
}

export function factsOf(shelf: Tables, query: FactQuery): readonly FactRead[] {
  if (query.newest === true) {
    const all = shelf.facts.flatMap((fact, place) => (fact === null ? [] : [{ fact, cursor: String(place) }]));
    return all.slice(Math.max(0, all.length - query.max));
  }
  const from = query.after === undefined ? 0 : readCursor(query.after) + 1;
  const read: FactRead[] = [];
  for (let at = from; at < shelf.facts.length && read.length < query.max; at += 1) {
    const fact = shelf.facts[at];
    if (fact === undefined || fact === null || (query.handoff !== undefined && fact.handoff !== query.handoff))
      continue;
    if (query.only !== undefined && !isWanted(shelf, fact, query.only)) continue;
    read.push({ fact, cursor: String(at) });
  }
  return read;
}

function isWanted(shelf: Tables, fact: Fact, { handoff, agent, states }: FactFilter): boolean {
  const { from, to } = shelf.rows.get(fact.handoff)?.handoff ?? {};
  return (
    (handoff === undefined || fact.handoff === handoff) &&
    (agent === undefined || from === agent || to === agent) &&
    (states === undefined || states.includes(fact.to))
  );
}

/** The session that works on it now, if any. */
export function heldBy(handoff: Handoff): SessionId | null {
  return handoff.state === 'accepted' && handoff.custody?.by === 'process' ? handoff.custody.session : null;
}

function all(shelf: Tables): readonly Handoff[] {
  return [...shelf.rows.values()].map((row) => row.handoff);
}

function afterId(handoffs: readonly Handoff[], id: string | undefined): readonly Handoff[] {
  return handoffs.slice(handoffs.findIndex((handoff) => handoff.id === id) + 1);
}

function whole(items: readonly Handoff[]): Page {
  return { items, next: null };
}

function requested(shelf: Tables, request: Pick<RequestKey, 'by' | 'key'>): readonly Handoff[] {
  const ids = shelf.requests.get(requestName(request))?.ids ?? [];
  return ids.map((id) => shelf.rows.get(id)?.handoff).filter((handoff) => handoff !== undefined);
}

function overdue(shelf: Tables, nowMs: number): readonly Handoff[] {
  const dueAt = (handoff: Handoff): number => dueAtOf(handoff) ?? Infinity;
  return all(shelf)
    .filter((handoff) => dueAt(handoff) <= nowMs)
    .toSorted((a, b) => dueAt(a) - dueAt(b));
}

function isWaiting(shelf: Tables, handoff: Handoff, on: Extract<Query, { by: 'waiting' }>['on']): boolean {
  const { blockedOn, terms } = handoff;
  if (on === 'answer') return blockedOn?.reason === 'question' && dueAtOf(handoff) !== null;
  if (blockedOn?.reason !== 'dependency') return false;
  if (on !== 'failed') return terms.dependsOn.some((id) => id.startsWith(on.named));
  return terms.dependsOn.some((id) => hasEndedBadly(shelf.rows.get(id)?.handoff.state));
}

function isFreed(shelf: Tables, { blockedOn, terms }: Handoff): boolean {
  if (blockedOn?.reason !== 'dependency') return false;
  return terms.dependsOn.every((id) => shelf.rows.get(id)?.handoff.state === 'completed');
}

/** The last inserted first. Numbers of rows never change, so what is made while somebody turns pages moves nothing. */
function page(shelf: Tables, filter: Filter): Page {
  const { after, oldestFirst = false } = filter;
  const passed = after === undefined ? null : readCursor(after);
  const isPast = (number: number): boolean => passed === null || (oldestFirst ? number > passed : number < passed);
  const found = wantedIn(shelf, filter).filter(({ number }) => isPast(number));
  const rest = oldestFirst ? found : found.toReversed();
  const shown = rest.slice(0, filter.max);
  const last = shown.at(-1);
  const next = last === undefined || shown.length === rest.length ? null : String(last.number);
  return { items: shown.map(({ handoff }) => handoff), next };
}

/** In the order in which they came. */
function wantedIn(shelf: Tables, wanted: Wanted): readonly { readonly handoff: Handoff; readonly number: number }[] {
  const asked = wanted.text === undefined ? null : wordsAsked(wanted.text);
  return [...shelf.rows.values()]
    .map((row, number) => ({ row, handoff: row.handoff, number }))
    .filter(({ handoff }) => matches(handoff, wanted))
    .filter(({ row }) => asked === null || hasAll(row, asked));
}

export function count(shelf: Tables, wanted: Wanted): StateCounts {
  const counts: Partial<Record<State, number>> = {};
  for (const { handoff } of wantedIn(shelf, wanted)) counts[handoff.state] = (counts[handoff.state] ?? 0) + 1;
  return counts;
}

function isVisible(handoff: Handoff, agent: AgentId | undefined): boolean {
  return agent === undefined || isPartyOf(agent, handoff);
}

function matches(handoff: Handoff, wanted: Wanted): boolean {
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
