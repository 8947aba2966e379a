/**
 * Takes what is ready: a look without any lock, the decisions, and one guarded statement that writes them. Two
 * processes that looked at the same moment meet at the guard; who comes second looks again.
 *
 * A look brings a few more than are asked for, and the next claim begins with those. They are a guess: the statement
 * that takes them also makes sure that nothing better has come since, and if it has, the claim looks like any other.
 * Claims of one process for one agent go together, so that they do not meet each other.
 */
import { present } from '../../foundation/assert.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { assertSound } from '../sound.ts';
import { CLAIM_MAX, ROUNDS_MAX, type Claimed, type Store } from '../store.ts';
import type { Connection } from './connection.ts';
import type { Tell } from './hints.ts';
import { load, traces } from './load.ts';
import { OFFERED } from './numbers.ts';
import { AFTER_ROW, readRow, ROW_COLUMNS } from './rows.ts';
import { NOW_MS } from './schema.ts';
import type { ServerClock } from './server-clock.ts';
import { joins, lastFactOf, move, type Best, type Piece } from './writing.ts';

export const READY_SQL = `select ${ROW_COLUMNS}, h.rank, h.n, ${NOW_MS}
from baton.handoff h join baton.body b on b.n = h.n
where h.recipient = $1::text and h.state = ${OFFERED} and h.not_before <= ${NOW_MS}
order by h.rank, h.n offset $3::integer limit $2::integer`;

/** A look costs a round trip; these few more cost next to nothing beside it. */
const LOOK_AHEAD = 16;

export interface ClaimParts {
  readonly connection: Connection;
  readonly clock: ServerClock;
  /** At least 0 and less than 1. */
  readonly unit: () => number;
  readonly tell: Tell;
  readonly foundNothing: (agent: AgentId) => void;
}

interface Call {
  readonly max: number;
  readonly decide: Decide;
  readonly resolve: (claimed: readonly Claimed[]) => void;
  readonly reject: (error: unknown) => void;
}

/** What is known of one agent's offers. */
interface Counter {
  readonly queue: Call[];
  isServing: boolean;
  ahead: readonly Ready[];
  /** How many claims to come do not guess, because the last guesses met others. */
  distrust: number;
  lastDistrust: number;
}

interface Ready {
  readonly handoff: Handoff;
  readonly rank: number;
  readonly n: number;
}

export function claimOf(parts: ClaimParts): Store['claim'] {
  const counters = new Map<AgentId, Counter>();

  const serveAll = async (agent: AgentId, counter: Counter): Promise<void> => {
    counter.isServing = true;
    await new Promise((resolve) => setImmediate(resolve));
    while (counter.queue.length > 0) {
      await serve(parts, agent, counter, counter.queue.splice(0, together(counter.queue)));
    }
    counter.isServing = false;
    if (counter.ahead.length === 0 && counter.lastDistrust === 0) counters.delete(agent);
  };

  return (agent, max, decide) =>
    new Promise((resolve, reject) => {
      const call = { max: Math.min(max, CLAIM_MAX), decide, resolve, reject };
      if (call.max <= 0) {
        resolve([]);
        return;
      }
      const counter = counters.get(agent) ?? { queue: [], isServing: false, ahead: [], distrust: 0, lastDistrust: 0 };
      counters.set(agent, counter);
      counter.queue.push(call);
      if (!counter.isServing) void serveAll(agent, counter);
    });
}

/** How many of the waiting calls fit into one look. */
function together(queue: readonly Call[]): number {
  let sum = 0;
  const count = queue.findIndex(({ max }) => (sum += max) > CLAIM_MAX);
  return count === -1 ? queue.length : Math.max(1, count);
}

/** What one call has been given so far. */
interface Hand {
  readonly call: Call;
  left: number;
  readonly claimed: Claimed[];
  broken: unknown;
}

async function serve(parts: ClaimParts, agent: AgentId, counter: Counter, calls: readonly Call[]): Promise<void> {
  const hands: Hand[] = calls.map((call) => ({ call, left: call.max, claimed: [], broken: null }));
  try {
    if (!(await serveByGuess(parts, agent, counter, hands))) await serveByLook(parts, agent, counter, hands);
  } catch (error) {
    for (const hand of hands) hand.broken ??= error;
  }
  if (hands.every(({ claimed }) => claimed.length === 0)) parts.foundNothing(agent);
  for (const { call, claimed, broken } of hands) {
    if (broken === null) call.resolve(claimed);
    else call.reject(broken);
  }
}

/** False: there was nothing to guess with, or the guess was wrong and what is left has to be looked for. */
async function serveByGuess(parts: ClaimParts, agent: AgentId, counter: Counter, hands: Hand[]): Promise<boolean> {
  const wanted = leftIn(hands);
  const { ahead } = counter;
  counter.ahead = [];
  counter.distrust = Math.max(0, counter.distrust - 1);
  if (ahead.length < wanted || counter.distrust > 0) return false;
  const { taken, refused } = dealOut(parts, hands, ahead);
  const last = ahead[wanted - 1] as Ready;
  const passed = [...refused];
  const lost = await take(parts, taken, { recipient: agent, rank: last.rank, n: last.n, passed });
  if (lost > 0) {
    counter.lastDistrust = Math.min(DISTRUST_MAX, counter.lastDistrust * 2 + 1);
    counter.distrust = counter.lastDistrust;
    return false;
  }
  counter.lastDistrust = 0;
  if (passed.length === 0) counter.ahead = ahead.slice(wanted);
  return taken.length > 0;
}

/** Where others claim too, a guess costs more than it saves; from time to time it is tried again. */
const DISTRUST_MAX = 255;

async function serveByLook(parts: ClaimParts, agent: AgentId, counter: Counter, hands: Hand[]): Promise<void> {
  const refused = new Set<HandoffId>();
  let offset = 0;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const wanted = leftIn(hands);
    const most = Math.max(wanted, counter.distrust > 0 ? 0 : LOOK_AHEAD);
    const ready = await look(parts, agent, most + refused.size, offset);
    const fresh = ready.filter(({ handoff }) => !refused.has(handoff.id));
    const dealt = dealOut(parts, hands, fresh);
    for (const id of dealt.refused) refused.add(id);
    const lost = await take(parts, dealt.taken, null);
    if (lost === 0 && offset === 0 && refused.size === 0) counter.ahead = fresh.slice(wanted);
    if (lost === 0 && (offset === 0 || ready.length > 0)) return;
    // Others are here too: begin somewhere else among the first ones, so that the same do not meet again.
    offset = ready.length === 0 ? 0 : Math.floor(parts.unit() * (wanted + lost));
  }
}

function leftIn(hands: readonly Hand[]): number {
  return hands.reduce((sum, hand) => sum + hand.left, 0);
}

async function look({ connection, clock }: ClaimParts, agent: AgentId, max: number, offset: number): Promise<Ready[]> {
  const sentAtMs = clock.elapsedMs();
  const rows = await connection.read(READY_SQL, [agent, max, offset]);
  const serverMs = rows[0]?.[AFTER_ROW + 2];
  // What the server found ready must not be too early by our reading of its clock.
  if (typeof serverMs === 'number') clock.heard(serverMs, sentAtMs);
  return rows.map((row) => ({
    handoff: readRow(row),
    rank: row[AFTER_ROW] as number,
    n: row[AFTER_ROW + 1] as number,
  }));
}

interface Taken {
  readonly hand: Hand;
  readonly piece: Piece;
}

/** Each call gets as many as it asked for and decides over them; what it refuses is left where it is. */
function dealOut(
  { clock }: ClaimParts,
  hands: readonly Hand[],
  ready: readonly Ready[],
): { readonly taken: readonly Taken[]; readonly refused: ReadonlySet<HandoffId> } {
  const nowMs = clock.nowMs();
  const taken: Taken[] = [];
  const refused = new Set<HandoffId>();
  let next = 0;
  for (const hand of hands) {
    const given = ready.slice(next, next + hand.left);
    next += given.length;
    try {
      const pieces = given.map(({ handoff }) => ({ before: handoff, decided: hand.call.decide(handoff, nowMs) }));
      for (const { before, decided } of pieces) if (decided.ok) assertSound(before.id, before, decided.value);
      for (const { before, decided } of pieces) {
        if (decided.ok) taken.push({ hand, piece: { before, decision: decided.value } });
        else refused.add(before.id);
      }
      hand.left -= given.length;
    } catch (error) {
      hand.broken = error;
      hand.left = 0;
    }
  }
  return { taken, refused };
}

/** Writes them and answers how many could not be had: taken by somebody else, or, after a guess, not the best. */
async function take({ connection, tell }: ClaimParts, taken: readonly Taken[], best: Best | null): Promise<number> {
  if (taken.length === 0) return 0;
  const pieces = taken.map(({ piece }) => piece);
  const { moved, alive, bodies, doubtful } = await move(connection, pieces, { bodies: true, best });
  const missed = pieces.filter(({ before }) => !moved.has(before.id));
  const ours = doubtful && missed.length > 0 ? await traces(connection, missed.map(lastFactOf)) : new Set<HandoffId>();
  let lost = 0;
  for (const { hand, piece } of taken) {
    const { handoff } = piece.decision;
    const session = joins(piece.before, handoff);
    if (moved.has(handoff.id) || ours.has(handoff.id)) {
      const body = bodies.get(handoff.id) ?? (await load(connection, handoff.id))?.body;
      hand.claimed.push({ handoff, body: present(body, 'what was taken has a body') });
      tell(piece.before, handoff);
    } else if (session === null || alive.has(session)) {
      hand.left += 1;
      lost += 1;
    }
  }
  return lost;
}
