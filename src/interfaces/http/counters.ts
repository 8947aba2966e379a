/**
 * The numbers of the charts, counted from facts: the newest facts of the store when the server starts, then every new fact.
 * Nothing is read from the database twice, and memory does not grow with finished handoffs.
 */
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal, OPEN_STATES, STATES, type State } from '../../domain/lifecycle.ts';
import { usesCapacity } from '../../domain/limits.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { partiesOf } from '../../domain/rights.ts';
import type { Context } from '../../engine/context.ts';
import type { HubEvent } from './events/hub.ts';
import { openAttempts } from './attempts.ts';
import { setNewest } from './bounded-map.ts';

const MINUTE_MS = 60_000;
const MINUTES_MAX = 24 * 60;
const PAGE = 500;
/** How many open handoffs are read at the start. More are counted when they change. */
const OPEN_MAX = 50_000;
const PAST_MAX = 2_000;
/** How many facts are read at the start. The charts say from when on they are complete. */
const FACTS_MAX = 20_000;
const CODES_MAX = 100;
const AGENTS_MAX = 1_000;
/** In seconds. Longer times count in one more bucket. */
export const BOUNDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400] as const;

interface Minute {
  /** The start of the minute. */
  readonly at: number;
  created: number;
  completed: number;
  failed: number;
  other: number;
}

interface Spent {
  count: number;
  totalMs: number;
  maxMs: number;
  /** Counts by bucket. */
  readonly within: number[];
}

interface Load {
  incoming: number;
  outgoing: number;
  /** Handoffs that the agent holds now. */
  working: number;
  /** Handoffs that wait for the agent, and since when the first one waits. */
  waiting: number;
  waitingSince: number | null;
}

export type Counters = Awaited<ReturnType<typeof openCounters>>;

export async function openCounters({ store }: Context) {
  const known = new Map<HandoffId, Handoff>();
  const minutes = new Map<number, Minute>();
  const spent = new Map<State, Spent>();
  const failures = new Map<string, number>();
  const facts = new Map<string, number>();
  const seen = new Map<HandoffId, number>();
  const retried = new Map<HandoffId, true>();
  /** The state of each open handoff, and since when. */
  const entered = new Map<HandoffId, { readonly state: State; readonly at: number }>();
  /** The agent of the newest fact comes last. */
  const agents = new Map<AgentId, true>();
  const attempts = openAttempts();

  const minuteAt = (at: number): Minute => {
    const begun = Math.floor(at / MINUTE_MS) * MINUTE_MS;
    const found = minutes.get(begun);
    if (found !== undefined) return found;
    const made: Minute = { at: begun, created: 0, completed: 0, failed: 0, other: 0 };
    setNewest(minutes, begun, made, MINUTES_MAX);
    return made;
  };
  const settledAt = (at: number, state: State): void => {
    const minute = minuteAt(at);
    if (state === 'completed') minute.completed += 1;
    else if (state === 'failed') minute.failed += 1;
    else minute.other += 1;
  };
  const meet = (agent: AgentId): void => setNewest(agents, agent, true, AGENTS_MAX);
  const learn = (handoff: Handoff): void => {
    const before = known.get(handoff.id);
    if (before !== undefined && before.revision > handoff.revision) return;
    known.delete(handoff.id);
    if (!isFinal(handoff.state) && known.size < OPEN_MAX) known.set(handoff.id, handoff);
    if (handoff.lineage.retryOf !== null) setNewest(retried, handoff.lineage.retryOf, true, OPEN_MAX);
  };

  /** Returns false for a fact that was counted before. */
  const countFact = (fact: Fact): boolean => {
    if (fact.revision <= (seen.get(fact.handoff) ?? 0)) return false;
    setNewest(seen, fact.handoff, fact.revision, OPEN_MAX);
    if (fact.deed === 'create') minuteAt(fact.at).created += 1;
    const before = entered.get(fact.handoff);
    if (fact.from !== fact.to) {
      if (before !== undefined && before.state === fact.from) spend(spent, before.state, fact.at - before.at);
      if (isFinal(fact.to)) {
        entered.delete(fact.handoff);
        settledAt(fact.at, fact.to);
      } else setNewest(entered, fact.handoff, { state: fact.to, at: fact.at }, OPEN_MAX);
    }
    if (fact.deed === 'fail' || fact.deed === 'retry') count(failures, codeIn(fact.detail), CODES_MAX);
    return true;
  };

  const addEvent = ({ fact, handoff }: HubEvent): void => {
    partiesOf(handoff).forEach(meet);
    count(facts, `${fact.deed} ${fact.to}`, 1_000);
    const before = known.get(fact.handoff);
    if (!countFact(fact)) return learn(handoff);
    attempts.addFact(fact, handoff);
    // The record as it was after this fact: it may be newer, and its other facts come later.
    learn(
      fact.revision === handoff.revision
        ? handoff
        : { ...handoff, revision: fact.revision, state: fact.to, since: sinceOf(before, fact) },
    );
  };

  const past = (await store.facts({ newest: true, max: FACTS_MAX })).map(({ fact }) => fact);
  const met = new Set<AgentId>();
  const records = new Map<HandoffId, Handoff>();
  const readRecords = async (states: readonly State[], max: number): Promise<void> => {
    for await (const handoff of inStore(store, states, max)) {
      learn(handoff);
      records.set(handoff.id, handoff);
      for (const agent of partiesOf(handoff)) met.add(agent);
    }
  };
  await readRecords(OPEN_STATES, OPEN_MAX);
  await readRecords(STATES.filter(isFinal), PAST_MAX);
  [...met].slice(0, AGENTS_MAX).toReversed().forEach(meet);
  for (const fact of past) {
    countFact(fact);
    const handoff = records.get(fact.handoff);
    if (handoff !== undefined) attempts.addFact(fact, handoff);
  }
  // Handoffs without a fact among those that were read.
  for (const { id, state, since } of known.values()) if (!entered.has(id)) entered.set(id, { state, at: since });
  const before = {
    failures: new Map(failures),
    timeIn: new Map([...spent].map(([state, { count: times, totalMs }]) => [state, { times, totalMs }] as const)),
  };
  const sinceMs = past.length < FACTS_MAX ? 0 : (past[0]?.at ?? 0);

  return {
    addEvents: (events: readonly HubEvent[]): void => events.forEach(addEvent),
    /** The time from which on every fact is counted. */
    since: () => sinceMs,
    minutes: (): readonly Minute[] => [...minutes.values()].toSorted((a, b) => a.at - b.at),
    timeIn: (): ReadonlyMap<State, Spent> => spent,
    failures: (): ReadonlyMap<string, number> => failures,
    /** Counted since the server started, so that the numbers of several servers can be added. */
    sinceStart: () => ({
      facts,
      failures: new Map([...failures].map(([code, all]) => [code, all - (before.failures.get(code) ?? 0)])),
      timeIn: new Map(
        [...spent].map(([state, all]) => {
          const { times = 0, totalMs = 0 } = before.timeIn.get(state) ?? {};
          return [state, { count: all.count - times, totalMs: all.totalMs - totalMs }] as const;
        }),
      ),
    }),
    open: () => {
      const counts = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<State, number>;
      for (const { state } of known.values()) counts[state] += 1;
      return counts;
    },
    /** The open handoffs, newest last. */
    openOnes: (): Iterable<Handoff> => known.values(),
    /** Whether another handoff retries this one. */
    wasRetried: (id: HandoffId) => retried.has(id),
    oldestWaiting: (max: number): readonly Handoff[] =>
      [...known.values()]
        .filter(({ state }) => state === 'offered')
        .toSorted((a, b) => a.since - b.since)
        .slice(0, max),
    /** Senders, recipients and verifiers of open handoffs and of the newest facts. */
    agents: (): Iterable<AgentId> => agents.keys(),
    /** With `isVisible`, only those handoffs count. */
    loads: (isVisible?: (handoff: Handoff) => boolean): ReadonlyMap<AgentId, Load> =>
      loadsOf(isVisible === undefined ? known.values() : [...known.values()].filter((handoff) => isVisible(handoff))),
    recordOf: attempts.recordOf,
    attempts: attempts.all,
  };
}

/** The percentile, interpolated between the bounds; null: nothing was counted. */
export function percentileMs({ count: all, maxMs, within }: Spent, percent: number): number | null {
  if (all === 0) return null;
  let below = 0;
  for (const [index, here] of within.entries()) {
    const wanted = (all * percent) / 100;
    if (below + here >= wanted) {
      const from = index === 0 ? 0 : (BOUNDS[index - 1] ?? 0) * 1000;
      const to = Math.min(maxMs, (BOUNDS[index] ?? Infinity) * 1000);
      return here === 0 ? to : from + ((to - from) * (wanted - below)) / here;
    }
    below += here;
  }
  return maxMs;
}

async function* inStore(store: Context['store'], states: readonly State[], max: number): AsyncIterable<Handoff> {
  let after: string | null = null;
  for (let count_ = 0; count_ < max; count_ += PAGE) {
    const page: Awaited<ReturnType<typeof store.find>> = await store.find({
      by: 'filter',
      states,
      max: PAGE,
      ...(after === null ? {} : { after }),
    });
    yield* page.items;
    after = page.next;
    if (after === null) return;
  }
}

function loadsOf(handoffs: Iterable<Handoff>): ReadonlyMap<AgentId, Load> {
  const loads = new Map<AgentId, Load>();
  const of = (agent: AgentId): Load => {
    const found = loads.get(agent) ?? { incoming: 0, outgoing: 0, working: 0, waiting: 0, waitingSince: null };
    loads.set(agent, found);
    return found;
  };
  for (const handoff of handoffs) {
    const to = of(handoff.to);
    if (usesCapacity(handoff)) {
      of(handoff.from).outgoing += 1;
      to.incoming += 1;
    }
    if (handoff.state === 'accepted') to.working += 1;
    if (handoff.state !== 'offered') continue;
    to.waiting += 1;
    to.waitingSince = Math.min(to.waitingSince ?? handoff.since, handoff.since);
  }
  return loads;
}

function sinceOf(before: Handoff | undefined, fact: Fact): number {
  return before !== undefined && before.state === fact.to ? before.since : fact.at;
}

function spend(spent: Map<State, Spent>, state: State, ms: number): void {
  const found = spent.get(state) ?? { count: 0, totalMs: 0, maxMs: 0, within: [...BOUNDS, 0].map(() => 0) };
  spent.set(state, found);
  found.count += 1;
  found.totalMs += ms;
  found.maxMs = Math.max(found.maxMs, ms);
  const at = BOUNDS.findIndex((bound) => ms <= bound * 1000);
  const index = at < 0 ? BOUNDS.length : at;
  found.within[index] = (found.within[index] ?? 0) + 1;
}

/** The code in the detail of a failure. */
function codeIn(detail: string): string {
  if (detail === '') return 'UNKNOWN';
  const { code } = JSON.parse(detail) as { readonly code?: unknown };
  return typeof code === 'string' ? code.slice(0, 128) : 'UNKNOWN';
}

function count(into: Map<string, number>, key: string, max: number): void {
  const known = into.has(key) || into.size < max ? key : 'other';
  into.set(known, (into.get(known) ?? 0) + 1);
}
