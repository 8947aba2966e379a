/**
 * Takes what is ready: a look without any lock, the decisions, and one guarded statement that writes them. Two
 * processes that looked at the same moment meet at the guard; who comes second looks again, with locks that let others
 * pass by, and goes on like that for a while.
 *
 * A look brings more than are asked for, and the next claim begins with those, or with what a notification told of.
 * They are a guess: the statement that takes them also makes sure that nothing better has come since, and if it has,
 * the claim looks like any other.
 * Claims of one process for one agent go together, so that they do not meet each other.
 */
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { CLAIM_MAX, ROUNDS_MAX, type Store } from '../store.ts';
import { DAMAGED_MAX, nextLimit } from '../column-codecs.ts';
import type { Connection, LockingConnection } from './connection.ts';
import {
  assignClaims,
  answerClaims,
  leftIn,
  piecesOf,
  readReady,
  readTold,
  type Call,
  type ClaimWindow,
  type Look,
  type Ready,
  type Taken,
} from './claim-batch.ts';
import type { NotifySettled } from './wake-waiters.ts';
import type { MoveBatch } from './move-batch.ts';
import { OFFERED } from './numbers.ts';
import { isPausedSql } from './pauses.ts';
import { ROW_COLUMNS } from './rows.ts';
import { NOW_MS } from './schema.ts';
import type { ServerClock } from './server-clock.ts';
import { move, type Moved } from './write-moves.ts';

export const READY_SQL = `select ${ROW_COLUMNS}, h.rank, h.n, ${NOW_MS}
from baton.handoff h join baton.body b on b.n = h.n
where h.recipient = $1::text and h.state = ${OFFERED} and h.not_before <= ${NOW_MS}
  and not (select ${isPausedSql('$1::text')})
order by h.rank, h.n limit $2::integer`;

export const READY_LOCKED_SQL = `${READY_SQL} for update of h skip locked`;

/**
 * A look costs a round trip; a few records more cost next to nothing beside it. Where a worker with one hand claims one at a
 * time from a queue, it sends 1.2 statements per life instead of 2.9, and a life takes 2.4 ms of processor time instead of 3.0.
 */
const LOOK_AHEAD = 16;
const LOOK_AHEAD_TIMES = 4;

export interface ClaimParts {
  readonly connection: Connection;
  readonly locking: LockingConnection;
  readonly move: MoveBatch;
  readonly clock: ServerClock;
  readonly tell: NotifySettled;
  readonly foundNothing: (agent: AgentId) => void;
}

/** What is known of one agent's offers. */
interface Counter {
  readonly queue: Call[];
  isServing: boolean;
  /** Seen by the last look and not taken by it, or told of since. */
  ahead: readonly Ready[];
  /** Seen by the last look and passed over, because they cannot be read. */
  damaged: readonly HandoffId[];
  /** The highest number that was ever ahead: what is told of late has been seen before. */
  newest: number;
  /** The last claim found nothing. */
  isEmpty: boolean;
  /** For how many claims to come others are expected at the same counter, and for how many they last were. */
  crowded: number;
  lastCrowded: number;
}

export interface Claiming {
  readonly claim: Store['claim'];
  /** Another process has offered this one just now, to an agent for whom somebody here waits. */
  offered(told: string): void;
}

export function claimingOf(parts: ClaimParts): Claiming {
  const counters = new Map<AgentId, Counter>();
  const counterOf = (agent: AgentId): Counter => {
    const counter = counters.get(agent) ?? newCounter();
    counters.set(agent, counter);
    return counter;
  };

  const serveAll = async (agent: AgentId, counter: Counter): Promise<void> => {
    counter.isServing = true;
    // Those who were woken together ask before this goes on; the way out gathers as well, with what is settled.
    await Promise.resolve();
    while (counter.queue.length > 0) {
      await serve(parts, agent, counter, counter.queue.splice(0, together(counter.queue)));
    }
    counter.isServing = false;
    if (counter.ahead.length === 0 && counter.lastCrowded === 0 && counters.size > KEPT_MAX) counters.delete(agent);
  };

  const claim: Store['claim'] = (agent, max, decide) =>
    new Promise((resolve, reject) => {
      const call = { max: Math.min(max, CLAIM_MAX), decide, resolve, reject };
      if (call.max <= 0) {
        resolve([]);
        return;
      }
      const counter = counterOf(agent);
      counter.queue.push(call);
      if (!counter.isServing) void serveAll(agent, counter);
    });

  const offered = (told: string): void => {
    const ready = readTold(told);
    if (ready === null) return;
    const counter = counterOf(ready.handoff.to);
    if (counter.ahead.length === 0 && ready.n > counter.newest) see(counter, [ready]);
  };

  return { claim, offered };
}

function newCounter(): Counter {
  return { queue: [], isServing: false, ahead: [], damaged: [], newest: 0, isEmpty: false, crowded: 0, lastCrowded: 0 };
}

function see(counter: Counter, ready: readonly Ready[]): void {
  counter.ahead = ready;
  for (const { n } of ready) counter.newest = Math.max(counter.newest, n);
}

/** Of more agents than this, what is known is forgotten when nothing is ahead. */
const KEPT_MAX = 100;

/** How many of the waiting calls fit into one look. */
function together(queue: readonly Call[]): number {
  let sum = 0;
  const count = queue.findIndex(({ max }) => (sum += max) > CLAIM_MAX);
  return count === -1 ? queue.length : Math.max(1, count);
}

async function serve(parts: ClaimParts, agent: AgentId, counter: Counter, calls: readonly Call[]): Promise<void> {
  const hands: ClaimWindow[] = calls.map((call) => ({ call, left: call.max, claimed: [], broken: null }));
  try {
    await serveSomehow(parts, agent, counter, hands);
  } catch (error) {
    for (const hand of hands) hand.broken ??= error;
  }
  counter.isEmpty = hands.every(({ claimed }) => claimed.length === 0);
  if (counter.isEmpty) parts.foundNothing(agent);
  for (const { call, claimed, broken } of hands) {
    if (broken === null) call.resolve(claimed);
    else call.reject(broken);
  }
}

/** By guess, else by a look; where others are at the same counter, by a look that keeps them off. */
async function serveSomehow(parts: ClaimParts, agent: AgentId, counter: Counter, hands: ClaimWindow[]): Promise<void> {
  if (counter.crowded > 0) {
    counter.crowded -= 1;
    counter.ahead = [];
    await serveLocked(parts, agent, hands);
    return;
  }
  const lost = (await serveByGuess(parts, agent, counter, hands)) ?? (await serveByLook(parts, agent, counter, hands));
  if (lost === 0) {
    counter.lastCrowded = 0;
    return;
  }
  counter.lastCrowded = Math.min(CROWDED_MAX, counter.lastCrowded * 2 + 1);
  counter.crowded = counter.lastCrowded;
  await serveLocked(parts, agent, hands);
}

/** A crowd is believed to last for so many claims at most before it is tried without a lock again. */
const CROWDED_MAX = 255;

/** Null: there was nothing to guess with. Else the number of those that could not be had. */
async function serveByGuess(
  parts: ClaimParts,
  agent: AgentId,
  counter: Counter,
  hands: ClaimWindow[],
): Promise<number | null> {
  const wanted = leftIn(hands);
  const { ahead } = counter;
  counter.ahead = [];
  // Where nothing was a moment ago, what has come since is all there is; else there may be enough for every hand.
  const last = counter.isEmpty ? ahead.at(Math.min(wanted, ahead.length) - 1) : ahead[wanted - 1];
  if (last === undefined) return null;
  const { taken, refused } = assignClaims(hands, ahead, parts.clock.nowMs());
  if (taken.length === 0) return null;
  const best = { recipient: agent, rank: last.rank, n: last.n, passed: [...refused, ...counter.damaged] };
  const lost = await answerClaims(parts, taken, parts.move(piecesOf(taken), best));
  if (lost === 0 && refused.size === 0) counter.ahead = ahead.slice(wanted);
  return lost;
}

async function serveByLook(parts: ClaimParts, agent: AgentId, counter: Counter, hands: ClaimWindow[]): Promise<number> {
  const wanted = leftIn(hands);
  const { ready, damaged } = await look(parts, agent, wanted);
  counter.damaged = damaged;
  see(counter, ready);
  counter.ahead = [];
  const { taken, refused } = assignClaims(hands, ready, parts.clock.nowMs());
  const lost = taken.length === 0 ? 0 : await answerClaims(parts, taken, parts.move(piecesOf(taken), null));
  if (lost === 0 && refused.size === 0) counter.ahead = ready.slice(wanted);
  return lost;
}

/** Further than usual where some of the first ones cannot be read. */
async function look({ connection, clock }: ClaimParts, agent: AgentId, wanted: number): Promise<Look> {
  const usual = Math.min(CLAIM_MAX, Math.max(wanted * LOOK_AHEAD_TIMES, LOOK_AHEAD));
  for (let limit = usual; ; limit = nextLimit(limit)) {
    const sentAtMs = clock.elapsedMs();
    const rows = await connection.read(READY_SQL, [agent, limit]);
    const seen = readReady(rows, clock, sentAtMs);
    if (seen.ready.length >= wanted || rows.length < limit || limit >= DAMAGED_MAX) return seen;
  }
}

/** What is looked at is locked, and others pass over it: nobody decides over what another is just taking. */
async function serveLocked(parts: ClaimParts, agent: AgentId, hands: ClaimWindow[]): Promise<void> {
  let passedOver = 0;
  for (let round = 0; round < ROUNDS_MAX && leftIn(hands) > 0; round += 1) {
    let taken: readonly Taken[] = [];
    let damagedCount = 0;
    const sentAtMs = parts.clock.elapsedMs();
    const limit = Math.min(DAMAGED_MAX, leftIn(hands) + passedOver);
    const moved = await parts.locking.together(READY_LOCKED_SQL, [agent, limit], async (rows, on) => {
      const { ready, damaged } = readReady(rows, parts.clock, sentAtMs);
      damagedCount = damaged.length;
      ({ taken } = assignClaims(hands, ready, parts.clock.nowMs()));
      return taken.length === 0 ? null : move(on, piecesOf(taken));
    });
    if (taken.length === 0 && damagedCount > passedOver) {
      passedOver = nextLimit(damagedCount);
      continue;
    }
    if (taken.length === 0) return;
    // Lost without an answer: what is in the trail has been taken, and the rest is looked for again.
    const lost = await answerClaims(parts, taken, moved ?? NOTHING_KNOWN);
    if (lost === 0) return;
  }
}

const NOTHING_KNOWN: Moved = {
  moved: new Set(),
  alive: new Set(),
  counts: new Map(),
  bodies: new Map(),
  doubtful: true,
};
