/** All handoffs that match a filter, as a table, a board or a timeline. */
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { query, type ListPage, type Row, type HandoffDetail, type TotalsAnswer } from '../api.ts';
import { storedList } from '../dismissed.ts';
import { FILTER_HELP, readFilter, withWord, wordIn } from '../filter.ts';
import { learn, newest, version } from '../live.ts';
import { attention } from '../parts/pulse.tsx';
import { Board } from '../parts/board.tsx';
import { Import } from '../parts/import.tsx';
import { Lanes } from '../parts/agent-timeline.tsx';
import { NewHandoff } from '../parts/new-handoff.tsx';
import {
  AssuranceTag,
  Dialog,
  FailureLine,
  Pending,
  QuestionLine,
  StateTag,
  useHeldList,
  When,
} from '../parts/labels.tsx';
import { Bulk, useBatch, useSelection } from '../parts/bulk.tsx';
import { Field, filledIn, FormButtons, onSubmit, Options, OTHER_PRIORITIES } from '../parts/forms.tsx';
import { usePolled } from '../polled.ts';
import { titleOf, visible } from '../text.ts';
import { now } from '../time.ts';
import { go, handoffHref, place, withParameters } from '../location.ts';
import { byUrgency, COLUMNS, GROUPS, groupOf, isOver, toneOf } from '../states.ts';

const VIEWS = ['table', 'board', 'timeline'] as const;
const PAGE = 100;
const LIMIT_MAX = 1_000;
const SAVED_KEY = 'baton-views';

export function Work(): VNode {
  // Without a filter, only open work is shown.
  const text = place.value.with.get('q') ?? 'state:open';
  const view = VIEWS.find((each) => each === place.value.with.get('view')) ?? 'table';
  const { parameters, problems } = readFilter(text, now.value);
  const counted = { ...parameters, sort: undefined };
  const { answer: totals } = usePolled<TotalsAnswer>(`/api/totals${query(counted)}`);
  // Each chip counts what it would show.
  const { answer: every } = usePolled<TotalsAnswer>(`/api/totals${query({ ...counted, state: undefined })}`);
  return (
    <>
      <div class="bar">
        <h1>Work</h1>
        <div class="views" role="group" aria-label="Layout">
          {VIEWS.map((each) => (
            <a key={each} href={withParameters({ view: each })} aria-current={each === view ? 'true' : undefined}>
              {each}
            </a>
          ))}
        </div>
        <span class="soft wide-only" role="status">
          {totals === null ? 'counting…' : `${totals.all} ${totals.all === 1 ? 'handoff' : 'handoffs'}`}
        </span>
        <Import />
        <NewHandoff />
      </div>
      <FilterBar text={text} totals={every} />
      {problems.map((says) => (
        <p key={says} class="problem">
          {says}
        </p>
      ))}
      {view === 'table' ? (
        <Table parameters={parameters} all={totals?.all ?? null} isFiltered={every === null || every.all > 0} />
      ) : null}
      {view === 'board' ? <Board parameters={parameters} totals={totals} /> : null}
      {view === 'timeline' ? <Lanes agent={parameters['agent'] ?? parameters['to']} /> : null}
    </>
  );
}

function FilterBar({ text, totals }: { readonly text: string; readonly totals: TotalsAnswer | null }): VNode {
  const field = useRef<HTMLInputElement>(null);
  const submitted = useRef(text);
  // The address follows Enter a moment later. What the person has typed since then stays in the field. An effect that runs
  // after drawing could come so late that it puts an earlier filter back.
  useLayoutEffect(() => {
    if (field.current !== null && submitted.current !== text) field.current.value = text;
    submitted.current = text;
  }, [text]);
  const submit = (): void => {
    submitted.current = field.current?.value.trim() ?? '';
    go(filteredBy(submitted.current));
  };
  const [saved, setSaved] = useState<readonly string[]>(readSaved);
  const keep = (views: readonly string[]): void => {
    setSaved(views);
    localStorage.setItem(SAVED_KEY, JSON.stringify(views));
  };
  const state = wordIn(text, 'state');
  return (
    <div class="filter">
      <form role="search" onSubmit={onSubmit(submit)}>
        <input
          ref={field}
          type="search"
          aria-label="Filter work"
          placeholder="state:blocked agent:@qa age:>1h, words, an id"
          title={FILTER_HELP}
          defaultValue={text}
          autocomplete="off"
        />
      </form>
      <div class="chips" role="group" aria-label="States">
        <Chip name="Open" isOn={state === 'open'} href={filteredBy(withWord(text, 'state', 'open'))} />
        <Chip name="All" isOn={state === ''} href={filteredBy(withWord(text, 'state', ''))} />
        {COLUMNS.map(({ name, states }) => {
          const value = states.join(',');
          const count = totals === null ? null : states.reduce((sum, each) => sum + (totals.totals[each] ?? 0), 0);
          const isOn = state === value;
          return (
            <Chip
              key={name}
              name={name}
              count={count}
              isOn={isOn}
              href={filteredBy(withWord(text, 'state', isOn ? '' : value))}
            />
          );
        })}
        {saved.map((each) => (
          <span key={each} class="chip saved">
            <a href={filteredBy(each)}>{each}</a>
            <button
              type="button"
              class="quiet"
              aria-label={`Forget the view ${each}`}
              onClick={() => keep(saved.filter((other) => other !== each))}
            >
              ✕
            </button>
          </span>
        ))}
        {text === 'state:open' || text === '' || saved.includes(text) ? null : (
          <button type="button" class="quiet" onClick={() => keep([...saved, text].slice(-8))}>
            Save view
          </button>
        )}
      </div>
    </div>
  );
}

/** An empty filter stands in the address too, because without `q` only open work is shown. */
function filteredBy(text: string): string {
  const href = withParameters({ q: text });
  return text === '' ? `${href}${href.includes('?') ? '&' : '?'}q=` : href;
}

function readSaved(): readonly string[] {
  return storedList(SAVED_KEY).filter((each) => typeof each === 'string');
}

interface ChipProps {
  readonly name: string;
  readonly href: string;
  readonly isOn: boolean;
  readonly count?: number | null;
}

function Chip({ name, href, isOn, count = null }: ChipProps): VNode {
  return (
    <a class="chip" href={href} aria-current={isOn ? 'true' : undefined}>
      {name}
      {count === null ? null : <span class="count"> {count}</span>}
    </a>
  );
}

interface TableProps {
  /** Whether the filter hides handoffs. */
  readonly isFiltered: boolean;
  readonly parameters: Readonly<Record<string, string>>;
  readonly all: number | null;
}

function Table({ parameters, all, isFiltered }: TableProps): VNode {
  const [limit, setLimit] = useState(PAGE);
  const { selected, select, toggle, clear } = useSelection();
  const [previewed, setPreviewed] = useState<string | null>(null);
  const path = `/api/handoffs${query({ ...parameters, limit })}`;
  const { answer, error } = usePolled<ListPage>(path);
  useEffect(() => answer?.items.forEach(learn), [answer]);
  const seen = version.value;
  const found = (answer?.items ?? []).map(newest);
  const isGrouped = Object.keys(parameters).join() === 'state' && parameters['state'] === 'open';
  // An order in the filter wins over urgency.
  const ordered = parameters['sort'] === undefined ? byUrgency(found) : found;
  const still = useHeldList(isGrouped ? urgentFirst(found) : ordered, ({ id }) => id);
  if (answer === null) return <Pending error={error} rows={12} />;
  const rows = still.shown;
  const chosen = rows.filter(({ id }) => selected.has(id));
  const isEveryOver = chosen.every(({ state }) => isOver(state));
  if (rows.length === 0) return <Nothing isFiltered={isFiltered} />;
  return (
    <div class={previewed === null ? '' : 'with-panel'} data-seen={seen}>
      <div>
        {selected.size === 0 ? null : (
          <Bulk rows={chosen} clear={clear} offers={isEveryOver ? 'retry' : 'cancel'}>
            {isEveryOver ? null : <Reassign rows={chosen} clear={clear} />}
          </Bulk>
        )}
        <table class="work" {...still.hold}>
          <thead>
            <tr>
              <th scope="col">
                <input
                  type="checkbox"
                  aria-label="Select all shown"
                  checked={selected.size > 0 && selected.size === rows.length}
                  onChange={() => select(selected.size === rows.length ? [] : rows.map(({ id }) => id))}
                />
              </th>
              {['State', 'Title', 'From → to', 'Attempt', 'Progress', 'Age', 'Proof'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <TableRow
                key={row.id}
                row={row}
                heading={isGrouped ? headingOf(rows, at) : null}
                isSelected={selected.has(row.id)}
                toggle={() => toggle(row.id)}
                preview={() => setPreviewed(previewed === row.id ? null : row.id)}
              />
            ))}
          </tbody>
        </table>
        {still.changes > 0 ? (
          <p class="soft" role="status">
            {still.changes} new; they appear when the pointer leaves the list.
          </p>
        ) : null}
        {answer.next === null ? null : (
          <p class="more-line">
            <span class="soft">
              {rows.length} of {all ?? '…'} shown.
            </span>{' '}
            {limit >= LIMIT_MAX ? (
              <span class="soft">Filter to see others.</span>
            ) : (
              <button type="button" onClick={() => setLimit(Math.min(LIMIT_MAX, limit + 4 * PAGE))}>
                Show more
              </button>
            )}
          </p>
        )}
      </div>
      {previewed === null ? null : <Preview id={previewed} close={() => setPreviewed(null)} />}
    </div>
  );
}

/**
 * Puts handoffs that need a person and running work first, also those beyond the page of the list. A failed handoff is
 * closed, but only a person can continue it.
 */
function urgentFirst(listed: readonly Row[]): readonly Row[] {
  const { items = [], atWork = [] } = attention.value ?? {};
  const urgent = items.map(({ why, handoff }) => ({ isFailed: why === 'failed', row: newest(handoff) }));
  const rows = urgent.flatMap(({ isFailed, row }) => (isOver(row.state) && !isFailed ? [] : [row]));
  const working = atWork.map(newest).filter(({ state }) => !isOver(state));
  const byId = new Map([...rows, ...working, ...listed].map((row) => [row.id, row]));
  return [...byId.values()].toSorted((a, b) => GROUPS.indexOf(groupOf(a)) - GROUPS.indexOf(groupOf(b)));
}

/** The heading above the first row of each group. */
function headingOf(rows: readonly Row[], at: number): string | null {
  const [before, row] = [rows[at - 1], rows[at]];
  if (row === undefined) return null;
  const name = groupOf(row);
  return before !== undefined && groupOf(before) === name ? null : name;
}

interface TableRowProps {
  /** Shown above the row. */
  readonly heading: string | null;
  readonly row: Row;
  readonly isSelected: boolean;
  readonly toggle: () => void;
  readonly preview: () => void;
}

function TableRow({ heading, ...props }: TableRowProps): VNode {
  const row = <PlainRow {...props} />;
  if (heading === null) return row;
  return (
    <>
      <tr class="group">
        <th colSpan={8} scope="rowgroup" class={toneOf(props.row)}>
          {heading}
        </th>
      </tr>
      {row}
    </>
  );
}

function PlainRow({ row, isSelected, toggle, preview }: Omit<TableRowProps, 'heading'>): VNode {
  const { id, from, to, title, priority, attempt, attemptsMax, createdAt, assurance, progress, task, state } = row;
  const percent = progress?.fraction === null || progress === undefined ? null : Math.round(progress.fraction * 100);
  return (
    <tr
      data-row
      data-id={id}
      class={toneOf(row) === 'tone-rest' && isOver(state) ? 'over' : ''}
      onClick={(event) => {
        if ((event.target as HTMLElement).closest('a, button, input') === null) preview();
      }}
    >
      <td class="pick">
        <input type="checkbox" aria-label={`Select ${titleOf(row)}`} checked={isSelected} onChange={toggle} />
      </td>
      <td>
        <StateTag row={row} />
      </td>
      <td class="title">
        <a href={handoffHref(id)}>{titleOf(row)}</a>
        {priority === 'normal' ? null : <span class={`tag priority-${priority}`}>{priority}</span>}
        {task === null || title === null ? null : <span class="tag">{task}</span>}
        <QuestionLine row={row} />
        <FailureLine row={row} />
      </td>
      <td class="way">
        {from} → {to}
      </td>
      <td class="figure" data-name="attempt">
        {attempt === 0 ? '' : `${attempt}${attemptsMax === undefined ? '' : `/${attemptsMax}`}`}
      </td>
      <td class="figure" title={progress?.says ?? undefined}>
        {percent === null ? (progress?.says ?? '') : `${percent} %`}
      </td>
      <td class="figure">
        <When at={createdAt} />
      </td>
      <td>{assurance === undefined ? null : <AssuranceTag assurance={assurance} />}</td>
    </tr>
  );
}

/** A handoff beside the list. */
function Preview({ id, close }: { readonly id: string; readonly close: () => void }): VNode {
  const { answer, error } = usePolled<HandoffDetail>(`/api/handoffs/${encodeURIComponent(id)}`);
  return (
    <aside class="panel preview" aria-label="Preview">
      <button type="button" class="quiet close" onClick={close} aria-label="Close the preview">
        ✕
      </button>
      {answer === null ? (
        <Pending error={error} rows={4} />
      ) : (
        <>
          <h2>
            <a href={handoffHref(id)}>{titleOf(answer)}</a>
          </h2>
          <p>
            <StateTag row={answer} />{' '}
            <span class="soft">
              {answer.from} → {answer.to}, <When at={answer.since} />
            </span>
          </p>
          {answer.failure === undefined ? null : (
            <p class="failure">
              <code>{answer.failure.code}</code> {visible(answer.failure.message).text}
            </p>
          )}
          {answer.blockedOn?.reason === 'question' ? (
            <p class="question">{visible(answer.blockedOn.text).text}</p>
          ) : null}
          <pre tabIndex={0} aria-label="Input">
            <code>{visible(JSON.stringify(answer.input, null, 2).slice(0, 2_000)).text}</code>
          </pre>
        </>
      )}
    </aside>
  );
}

/** Each selected handoff is cancelled, and a new one takes its place. */
function Reassign({ rows, clear }: { readonly rows: readonly Row[]; readonly clear: () => void }): VNode {
  const [isAsking, setAsking] = useState(false);
  const perform = useBatch(rows, clear);
  const close = (): void => setAsking(false);
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Reassign or reprioritise…
      </button>
      {isAsking ? (
        <Dialog title="Reassign or reprioritise" close={close}>
          <form
            onSubmit={onSubmit((form) => {
              close();
              perform('reassign', filledIn(form));
            })}
          >
            <p class="soft">Each is cancelled, and a new one takes its place.</p>
            <Field name="to" label="To another agent" placeholder="@name" />
            <label>
              Priority
              <select name="priority">
                <Options of={OTHER_PRIORITIES} />
              </select>
            </label>
            <FormButtons submit="Reassign" close={close} />
          </form>
        </Dialog>
      ) : null}
    </>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): VNode {
  if (isFiltered) {
    return (
      <div class="teach">
        <p>
          Nothing matches. <a href={filteredBy('')}>Show everything</a>
        </p>
      </div>
    );
  }
  return (
    <div class="teach">
      <h2>No handoff yet</h2>
      <p>A handoff is work that one agent gives to another. Send the first one from a terminal in this workspace:</p>
      <pre>
        <code>baton send --from @me --to @you --title "First one" --input '{'{"hello":"world"}'}'</code>
      </pre>
      <p>
        Or watch a relay: <code>baton demo</code>. New handoffs appear here automatically.
      </p>
    </div>
  );
}
