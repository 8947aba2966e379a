/**
 * The one statement with which records move: every piece is guarded by the revision it was decided over, and takes its
 * facts, outcome and effects along. Many pieces travel in one statement and share its commit.
 */
import { present } from '../../foundation/assert.ts';
import type { JsonText } from '../../foundation/json.ts';
import { refuse } from '../../foundation/result.ts';
import type { Decision } from '../../domain/decision.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { takesPlace } from '../../domain/limits.ts';
import type { HandoffId, SessionId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { isNews, ring } from './bell.ts';
import type { Connection } from './connection.ts';
import type { Parameter, Row } from './link.ts';
import { OFFERED, stepNumber } from './numbers.ts';
import { ADD_TO_PLACES, GATE, IS_OPEN, LOCKED_PLACES, NO_COUNTERS, readCounts, type Counts, type Need } from './places.ts';
import { changingValues, CHANGING, joined, named, oneObject, split, typed } from './rows.ts';
import { NOW_MS } from './schema.ts';

/** A decision over a record, ready to be written. */
export interface Piece {
  readonly before: Handoff;
  readonly decision: Decision;
}

export interface Moved {
  /** Those that were still as they had been decided over, and are now as decided. */
  readonly moved: ReadonlySet<HandoffId>;
  /** Of the sessions that something was to pass to: those that have not ended. */
  readonly alive: ReadonlySet<SessionId>;
  /** What the counters said, when they were asked. */
  readonly counts: Counts;
  /** For claims: the bodies of those that moved. */
  readonly bodies: ReadonlyMap<HandoffId, JsonText>;
  readonly doubtful: boolean;
}

/** The parts of the statement that not every batch needs: what is left out costs nothing. */
interface Parts {
  readonly outcomes: boolean;
  readonly effects: boolean;
  /** Whether places are taken or given up, and if so, whether there are counters to add to. */
  readonly counting: 'no' | 'if-none' | 'yes';
  readonly joining: boolean;
  readonly gated: boolean;
  readonly bodies: boolean;
  readonly best: boolean;
  readonly notifying: boolean;
}

/** For a claim by guess: up to this one, nothing else is ready that should be served first. */
export interface Best {
  readonly recipient: string;
  /** The last one looked at. */
  readonly rank: number;
  readonly n: number;
  /** Those that were looked at and are not taken. */
  readonly passed: readonly string[];
}

interface MoveOptions {
  readonly needs?: readonly Need[];
  /** Whether to answer with the bodies of what has moved. */
  readonly bodies?: boolean;
  readonly best?: Best | null;
}

export async function move(
  connection: Connection,
  pieces: readonly Piece[],
  { needs = [], bodies = false, best = null }: MoveOptions = {},
): Promise<Moved> {
  // In the order of their names, so that two batches over the same records meet at the first and do not deadlock; the
  // facts are still told in the order in which they were decided.
  const sorted = pieces
    .map((piece, place) => ({ ...piece, place }))
    .toSorted((a, b) => (a.before.id < b.before.id ? -1 : 1));
  const gains = sorted.some(({ before, decision }) => gainOf(before, decision.handoff) !== 0);
  const parts: Parts = {
    outcomes: sorted.some(({ decision }) => decision.outcome !== undefined),
    effects: sorted.some(({ decision }) => (decision.effects ?? []).length > 0),
    counting: !gains ? 'no' : connection.house.hasCounters || needs.length > 0 ? 'yes' : 'if-none',
    joining: sorted.some(({ before, decision }) => joins(before, decision.handoff) !== null),
    gated: needs.length > 0,
    bodies,
    best: best !== null,
    notifying: connection.house.notifies && sorted.some(({ decision }) => isNews(decision.handoff)),
  };
  const parameters: Parameter[] = [`[${sorted.map(given).join(',')}]`];
  if (parts.outcomes) parameters.push(joined(sorted.map(({ decision }) => decision.outcome ?? null)));
  if (parts.gated) parameters.push(JSON.stringify(needs));
  if (best !== null) {
    const seen = [...best.passed, ...sorted.map(({ before }) => before.id)];
    parameters.push(best.recipient, best.rank, best.n, JSON.stringify(seen));
  }
  const { rows, doubtful } = await connection.write(statementFor(parts), parameters);
  if (rows.some((row) => row[0] === 'counters')) {
    connection.house.hasCounters = true;
    const again = await move(connection, pieces, { needs, bodies, best });
    return { ...again, doubtful: again.doubtful || doubtful };
  }
  const named = (what: string): readonly Row[] => rows.filter((row) => row[0] === what);
  return {
    moved: new Set(named('moved').map((row) => row[1] as HandoffId)),
    alive: new Set(named('alive').map((row) => row[1] as SessionId)),
    counts: readCounts(named('place'), 1),
    bodies: new Map(bodies ? named('moved').map((row) => [row[1] as HandoffId, row[5] as JsonText]) : []),
    doubtful,
  };
}

/** How many places it takes more than before: less when it settles, more when it had been waiting for one. */
export function gainOf(before: Handoff, next: Handoff): number {
  return Number(takesPlace(next)) - Number(takesPlace(before));
}

/** The session into whose hands it passes, if any. */
export function joins(before: Handoff, next: Handoff): SessionId | null {
  const session = heldBy(next);
  return session === heldBy(before) ? null : session;
}

function heldBy({ state, custody }: Handoff): SessionId | null {
  return state === 'accepted' && custody?.by === 'process' ? custody.session : null;
}

/** Nothing passes to a session that has ended: whoever gives back what it held may have been there already. */
export function endedSession({ id, state, fence }: Handoff): { readonly ok: false; readonly refusal: Refusal } {
  return refuse({ code: 'lease-lost', id, fence: null, state, newest: fence });
}

export function lastFactOf({ decision }: Piece): Fact {
  return present(decision.facts.at(-1), 'nothing changes without a fact');
}

function given({ before, decision, place }: Piece & { readonly place: number }): string {
  const gain = gainOf(before, decision.handoff);
  return oneObject(changingValues(decision.handoff), {
    id: before.id,
    was: before.revision,
    place,
    facts: decision.facts.map(factValues),
    effects: decision.effects?.length === 0 ? undefined : decision.effects,
    joins: joins(before, decision.handoff) ?? undefined,
    gain: gain === 0 ? undefined : gain,
    sender: gain === 0 ? undefined : before.from,
    document: gain === 0 ? undefined : before.kind === 'document',
  });
}

export function factValues({ revision, at, by, deed, from, to, attempt, fence, detail, hash }: Fact): object {
  const step = stepNumber(deed, from, to);
  return { revision, at, by, step, attempt, fence, hash, detail: detail === '' ? undefined : detail };
}

const FACT_COLUMNS = [
  ['revision', 'integer'],
  ['at', 'bigint'],
  ['by', 'text'],
  ['step', 'smallint'],
  ['attempt', 'integer'],
  ['fence', 'integer'],
  ['detail', 'text'],
  ['hash', 'text'],
] as const;

/** The facts of `source` (with columns `n`, `place` and `facts`), one row each, in order. */
export function tellFacts(source: string): string {
  return `told as (insert into baton.fact (n, ${named(FACT_COLUMNS)})
  select s.n, ${named(FACT_COLUMNS, 'f.')}
  from ${source} s cross join lateral json_to_recordset(s.facts) as f(${typed(FACT_COLUMNS)})
  order by s.place, f.revision)`;
}

/** The same effect decided twice is one effect. */
export function keepEffects(source: string): string {
  return `kept as (insert into baton.effect (key, kind, payload)
  select e.key, e.kind, e.payload
  from ${source} s cross join lateral json_to_recordset(s.effects) as e(key text, kind text, payload text)
  on conflict (key) do nothing)`;
}

export function keepOutcomes(source: string): string {
  return `ended as (insert into baton.outcome (n, text) select n, outcome from ${source} where outcome is not null
  on conflict (n) do update set text = excluded.text)`;
}

const statements = new Map<string, string>();

function statementFor(parts: Parts): string {
  const key = Object.values(parts).join();
  const known = statements.get(key);
  if (known !== undefined) return known;
  const statement = moveStatement(parts);
  statements.set(key, statement);
  return statement;
}

/**
 * The session that takes something is locked against ending (not against beating) until the commit, so that whoever
 * ends it afterwards finds what it took.
 */
const ALIVE = `alive as materialized (select s.id from (select distinct joins from given) taker
  join baton.session s on s.id = taker.joins where not s.ended order by s.id for key share of s)`;

/** A claim was decided over what is best by an earlier look; it holds only if nothing better has come since. */
function nothingBetter([recipient, rank, n, ids]: readonly string[]): string {
  return `not exists (select from baton.handoff better where better.recipient = ${recipient}::text
  and better.state = ${OFFERED} and better.not_before <= ${NOW_MS}
  and (better.rank, better.n) < (${rank}::bigint, ${n}::bigint)
  and better.id not in (select json_array_elements_text(${ids}::text::json)))`;
}

export function moveStatement({ outcomes, effects, counting, joining, gated, bodies, best, notifying }: Parts): string {
  let count = 0;
  const next = (): string => `$${(count += 1)}`;
  const more = 'place integer, facts json, effects json, joins text, gain integer, sender text, document boolean';
  const columns = `id text, was integer, ${typed(CHANGING)}, ${more}`;
  const names = `id, was, ${named(CHANGING)}, place, facts, effects, joins, gain, sender, document`;
  const records = `json_to_recordset(${next()}::text::json)`;
  const source = outcomes
    ? `rows from (${records} as (${columns}), ${split(next())}) as g(${names}, outcome)`
    : `${records} as g(${columns})`;
  const locks = gated ? [LOCKED_PLACES(next()), GATE()] : [];
  const conditions = [
    'h.id = g.id and h.revision = g.was',
    ...(joining ? ['(g.joins is null or g.joins in (select id from alive))'] : []),
    ...(gated ? [IS_OPEN] : []),
    ...(best ? ['(select ok from best)'] : []),
    ...(counting === 'if-none' ? [NO_COUNTERS] : []),
  ];
  const ctes = [
    ...locks,
    `given as materialized (select * from ${source})`,
    ...(joining ? [ALIVE] : []),
    ...(best ? [`best as materialized (select ${nothingBetter([next(), next(), next(), next()])} as ok)`] : []),
    `moved as (update baton.handoff h set (${named(CHANGING)}) = (${named(CHANGING, 'g.')})
  from given g where ${conditions.join(' and ')}
  returning h.id, h.n, h.recipient, h.state, g.place, g.facts, g.effects, g.gain, g.sender, g.document${outcomes ? ', g.outcome' : ''})`,
    tellFacts('moved'),
    ...(outcomes ? [keepOutcomes('moved')] : []),
    ...(effects ? [keepEffects('moved')] : []),
    ...(counting === 'yes' ? [ADD_TO_PLACES('select sender, recipient, gain, document from moved')] : []),
    ...(notifying ? [ring('moved')] : []),
  ];
  const answers = [
    bodies
      ? `select 'moved', moved.id, null::smallint, null::integer, null::integer, b.text from moved join baton.body b using (n)`
      : `select 'moved', id, null::smallint, null::integer, null::integer, null::text from moved`,
    ...(joining ? [`select 'alive', id, null, null, null, null from alive`] : []),
    ...(gated ? [`select 'place', agent, direction, all_open, documents_open, null from locked`] : []),
    ...(notifying ? [`select 'rung', null, null, count(*)::integer, null, null from rung`] : []),
    ...(counting === 'if-none' ? [`select 'counters', null, null, null, null, null where not ${NO_COUNTERS}`] : []),
  ];
  return `with ${ctes.join(',\n')}\n${answers.join('\nunion all ')}`;
}
