/**
 * Takes what is ready: a look without any lock, the decisions, and one guarded statement that writes them. Two
 * processes that looked at the same moment meet at the guard; who comes second looks again.
 *
 * Claims of one process for one agent go together, so that they do not meet each other.
 */
import type { JsonText } from '../../foundation/json.ts';
import type { Decide } from '../../domain/decision.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { assertSound } from '../sound.ts';
import { CLAIM_MAX, ROUNDS_MAX, type Claimed, type Store } from '../store.ts';
import type { Connection } from './connection.ts';
import type { Tell } from './hints.ts';
import { traces } from './load.ts';
import type { Row } from './link.ts';
import { OFFERED } from './numbers.ts';
import { AFTER_ROW, readRow, ROW_COLUMNS } from './rows.ts';
import { NOW_MS } from './schema.ts';
import type { ServerClock } from './server-clock.ts';
import { joins, lastFactOf, move, type Piece } from './writing.ts';

export const READY_SQL = `select ${ROW_COLUMNS}, b.text, ${NOW_MS}
from baton.handoff h join baton.body b on b.n = h.n
where h.recipient = $1::text and h.state = ${OFFERED} and h.not_before <= ${NOW_MS}
order by h.rank, h.n offset $3::integer limit $2::integer`;

export interface ClaimParts {
  readonly connection: Connection;
  readonly clock: ServerClock;
  readonly unit: () => number;
  readonly tell: Tell;
}

interface Call {
  readonly max: number;
  readonly decide: Decide;
  readonly resolve: (claimed: readonly Claimed[]) => void;
  readonly reject: (error: unknown) => void;
}

export function claimOf(parts: ClaimParts): Store['claim'] {
  const queues = new Map<AgentId, Call[]>();

  const serveAll = async (agent: AgentId, queue: Call[]): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) await serve(parts, agent, queue.splice(0, together(queue)));
    queues.delete(agent);
  };

  return (agent, max, decide) =>
    new Promise((resolve, reject) => {
      const call = { max: Math.min(max, CLAIM_MAX), decide, resolve, reject };
      const queue = queues.get(agent);
      if (call.max <= 0) resolve([]);
      else if (queue !== undefined) queue.push(call);
      else {
        const begun = [call];
        queues.set(agent, begun);
        void serveAll(agent, begun);
      }
    });
}

/** How many of the waiting calls fit into one look. */
function together(queue: readonly Call[]): number {
  let sum = 0;
  const count = queue.findIndex(({ max }) => (sum += max) > CLAIM_MAX);
  return count === -1 ? queue.length : Math.max(1, count);
}

async function serve(parts: ClaimParts, agent: AgentId, calls: readonly Call[]): Promise<void> {
  const hands = calls.map((call) => ({ call, left: call.max, claimed: [] as Claimed[], broken: null as unknown }));
  try {
    const passed = new Set<HandoffId>();
    let offset = 0;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const wanted = hands.reduce((sum, hand) => sum + hand.left, 0);
      const ready = await look(parts, agent, wanted + passed.size, offset);
      const taken = dealOut(parts, hands, ready, passed);
      const lost = await take(parts, taken);
      if (lost === 0 && (offset === 0 || ready.length > 0)) break;
      // Others are here too: begin somewhere else among the first ones, so that the same do not meet again.
      offset = ready.length === 0 ? 0 : Math.floor(parts.unit() * (wanted + lost));
    }
  } catch (error) {
    for (const hand of hands) hand.broken ??= error;
  }
  for (const { call, claimed, broken } of hands) {
    if (broken === null) call.resolve(claimed);
    else call.reject(broken);
  }
}

type Hand = { readonly call: Call; left: number; readonly claimed: Claimed[]; broken: unknown };

interface Taken {
  readonly hand: Hand;
  readonly piece: Piece;
  readonly body: JsonText;
}

async function look(
  { connection, clock }: ClaimParts,
  agent: AgentId,
  max: number,
  offset: number,
): Promise<readonly Row[]> {
  const sentAtMs = clock.elapsedMs();
  const rows = await connection.read(READY_SQL, [agent, max, offset]);
  const serverMs = rows[0]?.[AFTER_ROW + 1];
  // What the server found ready must not be too early by our reading of its clock.
  if (typeof serverMs === 'number') clock.heard(serverMs, sentAtMs);
  return rows;
}

/** Each call gets as many as it asked for and decides over them; what it refuses is left where it is. */
function dealOut(
  { clock }: ClaimParts,
  hands: readonly Hand[],
  ready: readonly Row[],
  passed: Set<HandoffId>,
): Taken[] {
  const nowMs = clock.nowMs();
  const taken: Taken[] = [];
  let next = 0;
  for (const hand of hands) {
    for (; hand.left > 0 && next < ready.length; next += 1) {
      const row = ready[next] as Row;
      const before = readRow(row);
      if (passed.has(before.id)) continue;
      hand.left -= 1;
      try {
        const decided = hand.call.decide(before, nowMs);
        if (!decided.ok) {
          passed.add(before.id);
          continue;
        }
        assertSound(before.id, before, decided.value);
        taken.push({ hand, piece: { before, decision: decided.value }, body: row[AFTER_ROW] as JsonText });
      } catch (error) {
        hand.broken = error;
        hand.left = 0;
      }
    }
  }
  return taken.filter(({ hand }) => hand.broken === null);
}

/** Writes them and answers how many somebody else had taken first. */
async function take({ connection, tell }: ClaimParts, taken: readonly Taken[]): Promise<number> {
  if (taken.length === 0) return 0;
  const { moved, alive, doubtful } = await move(
    connection,
    taken.map(({ piece }) => piece),
  );
  const missed = taken.filter(({ piece }) => !moved.has(piece.before.id)).map(({ piece }) => lastFactOf(piece));
  const ours = doubtful && missed.length > 0 ? await traces(connection, missed) : new Set<HandoffId>();
  let lost = 0;
  for (const { hand, piece, body } of taken) {
    const { handoff } = piece.decision;
    const session = joins(piece.before, handoff);
    if (moved.has(handoff.id) || ours.has(handoff.id)) {
      hand.claimed.push({ handoff, body });
      tell(piece.before, handoff);
    } else if (session === null || alive.has(session)) {
      hand.left += 1;
      lost += 1;
    }
  }
  return lost;
}
