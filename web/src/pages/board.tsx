/** Everything that is open and the newest of what is over, by state, as it moves. */
import type { RefObject, VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ask, query, type HandoffView, type ListPage } from '../api.ts';
import { all, loading, version } from '../collection.ts';
import { Card, cardHeight } from '../parts/card.tsx';
import { Import } from '../parts/import.tsx';
import { LongList } from '../parts/long-list.tsx';
import { NewHandoff } from '../parts/new-handoff.tsx';
import { go, place } from '../where.ts';
import { COLUMNS, type Column } from '../words.ts';

interface Filter {
  readonly agent: string;
  readonly kind: string;
  readonly text: string;
}

export function Board(): VNode {
  const filter = filterIn(place.value.with);
  const found = useFound(filter.text);
  const shown = filter.text === '' ? [...all().values()] : (found ?? []);
  const columns = columnsOf(shown, filter, version.value);
  const box = useOpening(columns);
  const isEmpty = !loading.value && filter.text === '' && all().size === 0;
  return (
    <>
      <div class="bar">
        <h1>Board</h1>
        <Filters filter={filter} />
        <Import />
        <NewHandoff />
      </div>
      {filter.text === '' ? null : (
        <p class="note" role="status">
          {found === null ? 'Searching…' : `${found.length} found for “${filter.text}”.`}{' '}
          <a href="#/board">Show everything</a>
        </p>
      )}
      {isEmpty ? <Nothing /> : null}
      <div class="columns" ref={box} aria-busy={loading.value}>
        {COLUMNS.map((column) => (
          <section key={column.name} class="column" aria-label={column.name}>
            <h2>
              {column.name} <span class="count">{columns.get(column)?.length ?? 0}</span>
            </h2>
            <LongList
              items={columns.get(column) ?? []}
              heightIn={cardHeight}
              label={`${column.name}, list`}
              keyOf={({ id }) => id}
              draw={(handoff) => <Card handoff={handoff} />}
              empty={column.teaches}
            />
          </section>
        ))}
      </div>
    </>
  );
}

/** Where not all columns have room, the board opens on the first one that has something. Later it stays where it is. */
function useOpening(columns: ReadonlyMap<Column, readonly HandoffView[]>): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  const isOpen = useRef(false);
  const first = COLUMNS.findIndex((column) => (columns.get(column)?.length ?? 0) > 0);
  // Read here and not in the effect, which runs later: until all is there, the first of what is over may be the first.
  const isLoading = loading.value;
  useEffect(() => {
    const element = box.current;
    if (element === null || isOpen.current || isLoading || first < 0) return;
    isOpen.current = true;
    const column = element.children[first] as HTMLElement;
    const left = column.offsetLeft - element.offsetLeft;
    if (element.scrollLeft === 0 && left + column.offsetWidth > element.clientWidth) element.scrollLeft = left;
  }, [first, isLoading]);
  return box;
}

function filterIn(parameters: URLSearchParams): Filter {
  const [agent, kind, text] = ['agent', 'kind', 'text'].map((name) => parameters.get(name) ?? '');
  return { agent: agent ?? '', kind: kind ?? '', text: text ?? '' };
}

const ORDER = new Map(COLUMNS.flatMap((column) => column.states.map((state) => [state, column] as const)));
const RANK: Readonly<Record<string, number>> = { urgent: 0, high: 1, normal: 2, low: 3 };

function columnsOf(
  handoffs: readonly HandoffView[],
  { agent, kind }: Filter,
  seen: number,
): ReadonlyMap<Column, readonly HandoffView[]> {
  return useMemo(() => {
    const columns = new Map<Column, HandoffView[]>(COLUMNS.map((column) => [column, []]));
    for (const each of handoffs) {
      if (agent !== '' && each.from !== agent && each.to !== agent) continue;
      if (kind !== '' && each.kind !== kind) continue;
      const column = ORDER.get(each.state);
      if (column !== undefined) columns.get(column)?.push(each);
    }
    for (const [column, items] of columns) items.sort(column.name === 'Offered' ? byTurn : byNewest);
    return columns;
  }, [handoffs.length, agent, kind, seen]);
}

/** In the order in which they will be taken. */
function byTurn(a: HandoffView, b: HandoffView): number {
  return (RANK[a.priority] ?? 9) - (RANK[b.priority] ?? 9) || (`${a.since}${a.id}` < `${b.since}${b.id}` ? -1 : 1);
}

function byNewest(a: HandoffView, b: HandoffView): number {
  return `${a.since}${a.id}` < `${b.since}${b.id}` ? 1 : -1;
}

/** What the server finds, also among what is long over; null while it looks, or when nobody asked. */
function useFound(text: string): readonly HandoffView[] | null {
  const [found, setFound] = useState<{ readonly text: string; readonly items: readonly HandoffView[] } | null>(null);
  useEffect(() => {
    if (text === '') return undefined;
    const over = new AbortController();
    ask<ListPage>(`/api/handoffs${query({ text, limit: 200 })}`, over.signal).then(
      ({ items }) => setFound({ text, items }),
      () => undefined,
    );
    return () => over.abort();
  }, [text]);
  if (found?.text !== text) return null;
  return found.items.map((each) => all().get(each.id) ?? each);
}

function Filters({ filter }: { readonly filter: Filter }): VNode {
  const agents = useMemo(() => {
    const names = new Set<string>();
    for (const { from, to } of all().values()) names.add(from).add(to);
    return [...names].toSorted();
  }, [version.value]);
  const set = (name: keyof Filter, value: string): void => go(`#/board${query({ ...filter, [name]: value })}`);
  return (
    <div class="filters">
      <label>
        Agent{' '}
        <select value={filter.agent} onChange={(event) => set('agent', event.currentTarget.value)}>
          <option value="">all</option>
          {agents.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        Kind{' '}
        <select value={filter.kind} onChange={(event) => set('kind', event.currentTarget.value)}>
          <option value="">all</option>
          <option value="queue">queue</option>
          <option value="document">document</option>
        </select>
      </label>
    </div>
  );
}

function Nothing(): VNode {
  return (
    <div class="teach">
      <h2>No handoff yet</h2>
      <p>A handoff is work that one agent gives to another. Send the first one from a terminal in this workspace:</p>
      <pre>
        <code>baton send --from @me --to @you --title "First one" --input '{'{"hello":"world"}'}'</code>
      </pre>
      <p>
        Or watch a relay: <code>baton demo</code>. Whatever happens appears here by itself.
      </p>
    </div>
  );
}
