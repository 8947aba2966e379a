/**
 * Finds and lists handoffs. Open handoffs, and those that ended without completion, are found through the small indexes on
 * `handoff`; all others, newest first, through those on `body`.
 */
import { present } from '../../foundation/assert.ts';
import { UNSUCCESSFUL_STATES } from '../../domain/dependencies.ts';
import { KINDS, type Handoff } from '../../domain/handoff.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import { BadCursor, type Page, type Query, type Store, type HandoffFilter } from '../store.ts';
import { pageById } from '../page.ts';
import type { Connection } from './connection.ts';
import type { Parameter, Row } from './driver.ts';
import { recordsInOrder } from './load.ts';
import { stateNumber, stateOfNumber } from '../stored-numbers.ts';
import { enoughReadableAsync, readableOf } from '../column-codecs.ts';
import { readCursor } from '../read-cursor.ts';
import { queryWords } from '../search-words.ts';
import { ACCEPTED, BLOCKED, COMPLETED, FOR_ANSWER, FOR_DEPENDENCY, FOR_PLACE, OFFERED } from './sql-numbers.ts';
import { requested } from './requests.ts';
import { AFTER_ROW, placeOf, readRow, ROW_COLUMNS } from './rows.ts';
import { NOW_MS } from './schema.ts';
import type { ServerClock } from './server-clock.ts';
import type { WordIndex } from './text-index.ts';

type Filter = Extract<Query, { readonly by: 'filter' }>;

/** Starts with `handoff`, to search by state. */
const FROM = 'from baton.handoff h join baton.body b on b.n = h.n';
/** Starts with `body`, to search by creation time, sender or recipient. */
const FROM_BODY = 'from baton.body b join baton.handoff h on h.id = b.id';

export const OVERDUE_SQL = `select ${ROW_COLUMNS}, ${NOW_MS} ${FROM}
where h.due_at <= ${NOW_MS} order by h.due_at, h.n limit $1::integer`;

export const SESSION_SQL = `select ${ROW_COLUMNS} ${FROM}
where h.state = ${ACCEPTED} and h.session = $1::text order by h.n limit $2::integer`;

/** The root and its descendants. */
const chainSql = (also = ''): string => `(select ${ROW_COLUMNS}, b.n ${FROM} where h.id = $1::text${also})
union all (select ${ROW_COLUMNS}, b.n ${FROM_BODY}
  where b.lineage is not null and (b.lineage::jsonb ->> 'root') collate "C" = $1::text and b.id <> $1::text${also}
  order by b.n limit $2::integer)
order by n limit $2::integer`;
export const CHAIN_SQL = chainSql();

/** The record has this agent (`$3`) as its sender, recipient or named verifier. */
const visibleTo = (agent: string): string => `(b.sender = ${agent} or b.recipient = ${agent} or exists (
  select from baton.verifier v where v.agent = ${agent} and v.created_at = b.created_at and v.n = b.n))`;

export const VISIBLE_CHAIN_SQL = chainSql(` and ${visibleTo('$3::text')}`);

export const ARTIFACTS_SQL = `select ${ROW_COLUMNS} from (
  select distinct u.created_at, u.n from json_array_elements_text($1::text::json) as x(id)
  join baton.artifact_use u on u.artifact = x.id collate "C" order by u.created_at desc, u.n desc limit $2::integer
) u join baton.body b on b.n = u.n join baton.handoff h on h.id = b.id order by u.created_at desc, u.n desc`;

const AFTER_ID = `h.n > coalesce((select n from baton.handoff where id = $2::text), 0) order by h.n limit $1::integer`;
export const PLACES_SQL = `select ${ROW_COLUMNS} ${FROM}
where h.state = ${BLOCKED} and h.blocked = ${FOR_PLACE} and ${AFTER_ID}`;
export const ASKING_SQL = `select ${ROW_COLUMNS} ${FROM}
where h.state = ${BLOCKED} and h.blocked = ${FOR_ANSWER} and h.due_at is not null and ${AFTER_ID}`;
export const WAITING_SQL = `select ${ROW_COLUMNS} ${FROM}
where h.state = ${BLOCKED} and h.blocked = ${FOR_DEPENDENCY} and exists (
  select from baton.dependency d where d.id = h.id and starts_with(d.needs, $3::text)) and ${AFTER_ID}`;

export const FAILED_DEPENDENCY_SQL = `select ${ROW_COLUMNS} ${FROM}
where h.state = ${BLOCKED} and h.blocked = ${FOR_DEPENDENCY} and exists (
  select from baton.dependency d join baton.handoff needed on needed.id = d.needs
  where d.id = h.id and needed.state in (${UNSUCCESSFUL_STATES.map(stateNumber).join(', ')})) and ${AFTER_ID}`;

/** Each with its root, along the index of chains. */
export const RETRIES_SQL = `select ${ROW_COLUMNS} from json_to_recordset($1::text::json) as x(id text, root text)
join baton.body b on b.lineage is not null and (b.lineage::jsonb ->> 'root') collate "C" = x.root
  and b.lineage::jsonb ->> 'retryOf' = x.id
join baton.handoff h on h.id = b.id order by b.n limit $2::integer`;

const SHORT_ID_SQL = `select ${ROW_COLUMNS} ${FROM}
where h.id like 'hoff-________-____-____-____-' || $1::text || '%' order by h.n limit $2::integer`;

export const FREED_SQL = `select ${ROW_COLUMNS} ${FROM}
where h.state = ${BLOCKED} and h.blocked = ${FOR_DEPENDENCY} and not exists (
  select from baton.dependency d left join baton.handoff needed on needed.id = d.needs
  where d.id = h.id and needed.state is distinct from ${COMPLETED})
order by h.n limit $1::integer`;

export function findOf(quick: Connection, lists: Connection, words: WordIndex, clock: ServerClock): Store['find'] {
  return async (query) => {
    switch (query.by) {
      case 'ids':
        return whole(await recordsInOrder(quick, query.ids));
      case 'request':
        return whole(await requested(quick, query.request));
      case 'overdue':
        return whole(await overdue(quick, query.max, clock));
      case 'session':
        return whole(await enough(query.max, (limit) => quick.read(SESSION_SQL, [query.session, limit])));
      case 'chain':
        return whole(await enough(query.max, (limit) => chainOf(lists, { ...query, max: limit })));
      case 'artifacts': {
        const artifacts = JSON.stringify(query.artifacts);
        return whole(await enough(query.max, (limit) => lists.read(ARTIFACTS_SQL, [artifacts, limit])));
      }
      case 'places': {
        const { max, after = null } = query;
        return pageById(await enough(max, (limit) => lists.read(PLACES_SQL, [limit, after])), max);
      }
      case 'waiting': {
        const { on, max, after = null } = query;
        const select = (limit: number): Promise<readonly Row[]> =>
          on === 'answer'
            ? lists.read(ASKING_SQL, [limit, after])
            : on === 'failed'
              ? lists.read(FAILED_DEPENDENCY_SQL, [limit, after])
              : lists.read(WAITING_SQL, [limit, after, on.named]);
        return pageById(await enough(max, select), max);
      }
      case 'short-id':
        return whole(await enough(query.max, (limit) => lists.read(SHORT_ID_SQL, [query.short.toLowerCase(), limit])));
      case 'retries': {
        const of = JSON.stringify(query.of.map(({ id, lineage }) => ({ id, root: lineage.root ?? id })));
        return whole(await enough(query.max, (limit) => lists.read(RETRIES_SQL, [of, limit])));
      }
      case 'freed':
        return whole(await enough(query.max, (limit) => lists.read(FREED_SQL, [limit])));
      case 'filter':
        return page(lists, words, query);
    }
  };
}

async function chainOf(
  lists: Connection,
  { root, max, visibleTo: reader }: Extract<Query, { readonly by: 'chain' }>,
): Promise<readonly Row[]> {
  return reader === undefined ? lists.read(CHAIN_SQL, [root, max]) : lists.read(VISIBLE_CHAIN_SQL, [root, max, reader]);
}

function enough(max: number, select: (limit: number) => Promise<readonly Row[]>): Promise<readonly Handoff[]> {
  return enoughReadableAsync(max, select, readRow);
}

function whole(items: readonly Handoff[]): Page {
  return { items, next: null };
}

async function overdue(connection: Connection, max: number, clock: ServerClock): Promise<readonly Handoff[]> {
  return enough(max, async (limit) => {
    const sentAtMs = clock.elapsedMs();
    const rows = await connection.read(OVERDUE_SQL, [limit]);
    const serverMs = rows[0]?.[AFTER_ROW];
    // Keeps a following decision from finding these early.
    if (typeof serverMs === 'number') clock.observe(serverMs, sentAtMs);
    return rows;
  });
}

async function page(connection: Connection, words: WordIndex, filter: Filter): Promise<Page> {
  if (filter.states?.length === 0 || filter.max <= 0) return { items: [], next: null };
  const hits = await hitsOf(connection, words, filter.text);
  if (hits?.query === '') return { items: [], next: null };
  const { statement, parameters } = listStatement(filter, hits);
  const rows = await connection.read(statement, parameters);
  const shown = rows.slice(0, filter.max);
  const next = rows.length > shown.length ? cursorOf(shown.at(-1)) : null;
  return { items: readableOf(shown, readRow), next };
}

const CREATED_AT = placeOf('created_at');

function cursorOf(row: Row | undefined): string | null {
  return row === undefined ? null : `${row[CREATED_AT] as number}.${row[AFTER_ROW] as number}`;
}

function positionOf(after: string): readonly [createdAt: number, n: number] {
  const [createdAt = '', n = '', ...more] = after.split('.');
  if (more.length > 0) throw new BadCursor(after);
  return [readCursor(createdAt), readCursor(n)];
}

/** Reads one row more than requested, which shows whether there is a next page. */
export function listStatement(
  filter: Filter,
  hits: Hits | null = null,
): {
  readonly statement: string;
  readonly parameters: readonly Parameter[];
} {
  const parameters: Parameter[] = [];
  const given = (value: Parameter, type: string): string => `$${parameters.push(value)}::${type}`;
  const conditions = conditionsOf(filter, hits, given);
  const direction = filter.oldestFirst === true ? 'asc' : 'desc';
  const after = filter.after === undefined ? null : afterOf(filter.after, given);
  const sides = sidesFor(filter, conditions, given);
  const max = given(filter.max + 1, 'integer');
  const branches = (hits?.areFew === true ? alongHits(filter.states) : branchesFor(filter.states)).flatMap(
    ({ from, states }) => {
      // Offered handoffs are found by recipient in the index of claims.
      const also = states === `h.state = ${OFFERED}` && filter.to !== undefined ? ['h.recipient = b.recipient'] : [];
      return sides.map(({ where: side, along }) => {
        const order = along === undefined ? 'b' : 'v';
        const past =
          after === null
            ? []
            : [`(${order}.created_at, ${order}.n) ${filter.oldestFirst === true ? '>' : '<'} ${after}`];
        const all = [...conditions, ...side, ...past, ...also, ...(states === null ? [] : [states])];
        const where = all.length === 0 ? '' : `where ${all.join(' and ')}`;
        const source = along ?? from;
        return `(select ${ROW_COLUMNS}, b.n ${source} ${where} order by ${order}.created_at ${direction}, ${order}.n ${direction} limit ${max})`;
      });
    },
  );
  const [only, ...others] = branches;
  const statement =
    others.length === 0
      ? (only as string)
      : `select * from (${branches.join(' union all ')}) as page order by created_at ${direction}, n ${direction} limit ${max}`;
  return { statement, parameters };
}

function conditionsOf(wanted: HandoffFilter, hits: Hits | null, given: Given): string[] {
  const { from, to, task, kind, priorities, createdSince, createdBefore } = wanted;
  const conditions: string[] = [];
  if (from !== undefined) conditions.push(`b.sender = ${given(from, 'text')}`);
  if (to !== undefined) conditions.push(`b.recipient = ${given(to, 'text')}`);
  if (task !== undefined) conditions.push(`b.task = ${given(task, 'text')}`);
  if (kind !== undefined) conditions.push(`b.kind = ${KINDS.indexOf(kind)}`);
  if (priorities !== undefined) {
    const numbers = priorities.map((each) => PRIORITIES.indexOf(each));
    conditions.push(numbers.length === 0 ? 'false' : `b.priority in (${numbers.join(', ')})`);
  }
  if (createdSince !== undefined) conditions.push(`b.created_at >= ${given(createdSince, 'bigint')}`);
  if (createdBefore !== undefined) conditions.push(`b.created_at < ${given(createdBefore, 'bigint')}`);
  if (hits !== null) {
    const found = `select w.n from baton.words w where w.words @@ ${given(hits.query, 'tsquery')}`;
    conditions.push(hits.areFew ? `b.n = any (array(${found}))` : `b.n in (${found})`);
  }
  return conditions;
}

export function countOf(lists: Connection, words: WordIndex): Store['count'] {
  return async (wanted) => {
    const { states, agent, from, to, visibleTo: reader } = wanted;
    const hits = await hitsOf(lists, words, wanted.text);
    if (states?.length === 0 || hits?.query === '') return {};
    const parameters: Parameter[] = [];
    const given = (value: Parameter, type: string): string => `$${parameters.push(value)}::${type}`;
    const conditions = conditionsOf(wanted, hits, given);
    if (agent !== undefined) {
      const named = given(agent, 'text');
      conditions.push(`(b.sender = ${named} or b.recipient = ${named})`);
    }
    const isHidden = reader !== undefined && ![from, to, agent].includes(reader);
    if (isHidden) conditions.push(visibleTo(given(reader, 'text')));
    const source = conditions.length === 0 ? 'from baton.handoff h' : FROM;
    if (states !== undefined) conditions.push(`h.state in (${states.map(stateNumber).join(', ')})`);
    const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
    const rows = await lists.read(`select h.state, count(*)::integer ${source} ${where} group by h.state`, parameters);
    return Object.fromEntries(
      rows.map(([state, count]) => [present(stateOfNumber(state as number), 'a known state'), count as number]),
    );
  };
}

/**
 * Few matches are read one by one and sorted; with many, a scan from the newest soon meets some. The planner cannot know
 * which applies, so a first query counts.
 */
interface Hits {
  readonly query: string;
  readonly areFew: boolean;
}

const FEW_MAX = 2000;
export const ARE_FEW_SQL = `select count(*) <= ${FEW_MAX} from (
  select from baton.words w where w.words @@ $1::tsquery limit ${FEW_MAX + 1}) as hit`;

/** First indexes everything that was acknowledged. Null: the filter has no text. */
async function hitsOf(connection: Connection, words: WordIndex, text: string | undefined): Promise<Hits | null> {
  if (text === undefined) return null;
  await words.catchUp();
  // Words contain only letters and digits, so nothing needs escaping.
  const query = queryWords(text)
    .map((word) => `'${word}'`)
    .join(' & ');
  if (query === '') return { query, areFew: true };
  const [row] = await connection.read(ARE_FEW_SQL, [query]);
  return { query, areFew: row?.[0] === true };
}

function alongHits(states: Filter['states']): readonly Branch[] {
  const numbers = states?.map(stateNumber).join(', ');
  return [{ from: FROM_BODY, states: numbers === undefined ? null : `h.state in (${numbers})` }];
}

interface Side {
  readonly where: readonly string[];
  /** Another table to scan, in the same order. */
  readonly along?: string;
}

type Given = (value: Parameter, type: string) => string;

function afterOf(cursor: string, given: Given): string {
  const [createdAt, n] = positionOf(cursor);
  return `(${given(createdAt, 'bigint')}, ${given(n, 'bigint')})`;
}

/** Starts with `verifier`, to search by named verifier. */
const FROM_VERIFIER = 'from baton.verifier v join baton.body b on b.n = v.n join baton.handoff h on h.id = b.id';

/**
 * The roles in which an agent may see a handoff: sender, recipient and verifier, each with an index of its own; no handoff
 * appears twice. Handoffs that the reader may not see are not even scanned.
 */
function sidesFor(filter: Filter, conditions: string[], given: Given): readonly Side[] {
  const { agent, from, to, visibleTo: reader } = filter;
  if (reader === undefined || [from, to, agent].includes(reader)) {
    return agent === undefined ? [{ where: [] }] : sidesOf(given(agent, 'text'));
  }
  if (agent !== undefined) {
    const named = given(agent, 'text');
    conditions.push(`(b.sender = ${named} or b.recipient = ${named})`);
  }
  const me = given(reader, 'text');
  const judged = [`v.agent = ${me}`, `b.sender <> ${me}`, `b.recipient <> ${me}`];
  return [...sidesOf(me), { where: judged, along: FROM_VERIFIER }];
}

function sidesOf(agent: string): readonly Side[] {
  return [{ where: [`b.sender = ${agent}`] }, { where: [`b.recipient = ${agent}`, `b.sender <> ${agent}`] }];
}

interface Branch {
  readonly from: string;
  readonly states: string | null;
}

/** States with an index of their own get a branch each, because an index is used only if it covers all states. */
function branchesFor(states: Filter['states']): readonly Branch[] {
  if (states === undefined) return [{ from: FROM_BODY, states: null }];
  const numbers = [...new Set(states.map(stateNumber))];
  // Nearly all handoffs are completed, so a scan from the newest finds them at once.
  if (numbers.includes(COMPLETED)) return [{ from: FROM_BODY, states: `h.state in (${numbers.join(', ')})` }];
  const resting = numbers.filter((number) => number !== OFFERED && number !== ACCEPTED);
  const passing = numbers.filter((number) => !resting.includes(number)).map((number) => `h.state = ${number}`);
  const rest = resting.length === 0 ? [] : [`h.state in (${resting.join(', ')})`];
  return [...passing, ...rest].map((each) => ({ from: FROM, states: each }));
}
