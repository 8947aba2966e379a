/** Handoffs as cards, a column for each group of states (`COLUMNS` in states.ts). */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { query, type ListPage, type TotalsAnswer } from '../api.ts';
import { learn, newest, version } from '../live.ts';
import { usePolled } from '../polled.ts';
import { COLUMNS, type Column } from '../states.ts';
import { Card } from './card.tsx';
import { Loading, Pending, useHeldList } from './labels.tsx';

const COLUMN_PAGE = 40;
const COLUMN_MAX = 1_000;

interface BoardProps {
  readonly parameters: Readonly<Record<string, string>>;
  readonly totals: TotalsAnswer | null;
}

export function Board({ parameters, totals }: BoardProps): VNode {
  if (totals === null) return <Loading rows={8} />;
  const asked = parameters['state']?.split(',');
  const wanted = (column: Column): readonly string[] =>
    asked === undefined || (asked.includes('open') && column !== COLUMNS.at(-1))
      ? column.states
      : column.states.filter((state) => asked.includes(state));
  return (
    <div class="columns">
      {COLUMNS.filter((column) => wanted(column).length > 0).map((column) => {
        const count = wanted(column).reduce((sum, state) => sum + (totals.totals[state] ?? 0), 0);
        return (
          <section key={column.name} class={count === 0 ? 'column folded' : 'column'} aria-label={column.name}>
            <h2>
              {column.name} <span class="count">{count}</span>
            </h2>
            {count === 0 ? (
              <p class="empty">{column.description}</p>
            ) : (
              <Cards parameters={{ ...parameters, state: wanted(column).join(',') }} count={count} />
            )}
          </section>
        );
      })}
    </div>
  );
}

interface CardsProps {
  readonly parameters: Readonly<Record<string, string>>;
  readonly count: number;
}

function Cards({ parameters, count }: CardsProps): VNode {
  const [limit, setLimit] = useState(COLUMN_PAGE);
  const { answer, error } = usePolled<ListPage>(`/api/handoffs${query({ ...parameters, limit })}`);
  useEffect(() => answer?.items.forEach(learn), [answer]);
  const states = parameters['state']?.split(',') ?? [];
  // A handoff that has moved on is drawn in the column of its new state.
  const here = (answer?.items ?? []).map(newest).filter(({ state }) => states.includes(state));
  const still = useHeldList(here, ({ id }) => id);
  if (answer === null) return <Pending error={error} rows={3} />;
  return (
    <ul class="cards-list" data-seen={version.value} {...still.hold}>
      {still.shown.map((row) => (
        <li key={row.id}>
          <Card handoff={row} />
        </li>
      ))}
      {count > still.shown.length && answer.next !== null ? (
        <li>
          <button type="button" class="quiet" onClick={() => setLimit(Math.min(COLUMN_MAX, limit + COLUMN_PAGE))}>
            {count - still.shown.length} more
          </button>
        </li>
      ) : null}
    </ul>
  );
}
