/**
 * Claims ready handoffs: a read without locks, the decisions, and one guarded statement that writes them. If two processes
 * read at the same time, the guard lets one of them win; the other reads again with `skip locked`, and keeps doing so for
 * some claims.
 *
 * A read fetches more handoffs than requested. The next claim starts with those, or with the record in a notification.
 * Both may be outdated, so the statement that takes them checks that nothing better has come since; otherwise the claim
 * reads. Claims of one process for one agent are batched, so that they do not compete.
 */
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { CLAIM_MAX, ROUNDS_MAX, type Store } from '../store.ts';
import { DAMAGED_MAX, nextLimit } from '../column-codecs.ts';
import type { Connection, LockingConnection } from './connection.ts';
import {
  assignClaims,
  answerClaims,
  leftIn,
  plannedMovesOf,
  readReady,
  readNotified,
  type Call,
  type PendingClaim,
  type ReadyRows,
  type Ready,
  type Taken,
} from './claim-batch.ts';
import type { NotifyChange } from './wake-waiters.ts';
import type { MoveBatch } from './move-batch.ts';
import { OFFERED } from './sql-numbers.ts';
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
 * A read costs a round trip, and a few more records cost almost nothing. A worker with one slot then sends 1.2 statements
 * per handoff instead of 2.9, and a handoff takes 2.4 ms of processor time instead of 3.0.
 */
const PREFETCH = 16;
const PREFETCH_FACTOR = 4;
/** A read for large claims fetches enough for four of them: only the first of the four waits for a read. */
const PREFETCH_MAX = PREFETCH_FACTOR * CLAIM_MAX;

export interface ClaimParts {
  readonly connection: Connection;
  readonly locking: LockingConnection;
  readonly move: MoveBatch;
  readonly clock: ServerClock;
  readonly notify: NotifyChange;
  readonly foundNothing: (agent: AgentId) => void;
}

/** The waiting claims for one agent, and what is known of its offers. */
interface ClaimQueue {
  readonly calls: Call[];
  isServing: boolean;
  /** Ready handoffs that the last read did not use, or that a notification brought since. */
  prefetched: readonly Ready[];
  /** Handoffs that the last read skipped because they cannot be read. */
  damaged: readonly HandoffId[];
  /** The highest number ever prefetched. A late notification of a lower number is ignored. */
  highestSeen: number;
  /** The last claim found nothing. */
  isEmpty: boolean;
  /** For how many more claims locks are used, because another process competes, and how many it last were. */
  lockedClaimsLeft: number;
  lockedClaims: number;
}

export interface Claiming {
  readonly claim: Store['claim'];
  /** Another process has just offered this handoff to an agent that a caller here waits for. */
  offered(notified: string): void;
}

export function claimingOf(parts: ClaimParts): Claiming {
  const queues = new Map<AgentId, ClaimQueue>();
  const queueOf = (agent: AgentId): ClaimQueue => {
    const queue = queues.get(agent) ?? newQueue();
    queues.set(agent, queue);
    return queue;
  };

  const serveAll = async (agent: AgentId, queue: ClaimQueue): Promise<void> => {
    queue.isServing = true;
    // Callers that were woken together queue their claims first. `moveBatch` batches again, with settled handoffs.
    await Promise.resolve();
    while (queue.calls.length > 0) {
      await serve(parts, agent, queue, queue.calls.splice(0, callsThatFit(queue.calls)));
    }
    queue.isServing = false;
    if (queue.prefetched.length === 0 && queue.lockedClaims === 0 && queues.size > QUEUES_MAX) queues.delete(agent);
  };

  const claim: Store['claim'] = (agent, max, decide) =>
    new Promise((resolve, reject) => {
      const call = { max: Math.min(max, CLAIM_MAX), decide, resolve, reject };
      if (call.max <= 0) {
        resolve([]);
        return;
      }
      const queue = queueOf(agent);
      queue.calls.push(call);
      if (!queue.isServing) void serveAll(agent, queue);
    });

  const offered = (notified: string): void => {
    const ready = readNotified(notified);
    if (ready === null) return;
    const queue = queueOf(ready.handoff.to);
    if (queue.prefetched.length === 0 && ready.n > queue.highestSeen) rememberReady(queue, [ready]);
  };

  return { claim, offered };
}

function newQueue(): ClaimQueue {
  return {
    calls: [],
    isServing: false,
    prefetched: [],
    damaged: [],
    highestSeen: 0,
    isEmpty: false,
    lockedClaimsLeft: 0,
    lockedClaims: 0,
  };
}

function rememberReady(queue: ClaimQueue, ready: readonly Ready[]): void {
  queue.prefetched = ready;
  for (const { n } of ready) queue.highestSeen = Math.max(queue.highestSeen, n);
}

/** Above this number, queues without prefetched handoffs are removed. */
const QUEUES_MAX = 100;

/** How many of the waiting calls fit into one read. */
function callsThatFit(calls: readonly Call[]): number {
  let sum = 0;
  const count = calls.findIndex(({ max }) => (sum += max) > CLAIM_MAX);
  return count === -1 ? calls.length : Math.max(1, count);
}

async function serve(parts: ClaimParts, agent: AgentId, queue: ClaimQueue, calls: readonly Call[]): Promise<void> {
  const pendingClaims: PendingClaim[] = calls.map((call) => ({ call, left: call.max, claimed: [], broken: null }));
  try {
    await serveBatch(parts, agent, queue, pendingClaims);
  } catch (error) {
    for (const pending of pendingClaims) pending.broken ??= error;
  }
  queue.isEmpty = pendingClaims.every(({ claimed }) => claimed.length === 0);
  if (queue.isEmpty) parts.foundNothing(agent);
  for (const { call, claimed, broken } of pendingClaims) {
    if (broken === null) call.resolve(claimed);
    else call.reject(broken);
  }
}

/** Claims prefetched handoffs, else reads; with competition from other processes, reads with locks. */
async function serveBatch(
  parts: ClaimParts,
  agent: AgentId,
  queue: ClaimQueue,
  pendingClaims: PendingClaim[],
): Promise<void> {
  if (queue.lockedClaimsLeft > 0) {
    queue.lockedClaimsLeft -= 1;
    queue.prefetched = [];
    await claimLocked(parts, agent, pendingClaims);
    return;
  }
  const lost =
    (await claimPrefetched(parts, agent, queue, pendingClaims)) ??
    (await claimByRead(parts, agent, queue, pendingClaims));
  if (lost === 0) {
    queue.lockedClaims = 0;
    return;
  }
  queue.lockedClaims = Math.min(LOCKED_CLAIMS_MAX, queue.lockedClaims * 2 + 1);
  queue.lockedClaimsLeft = queue.lockedClaims;
  await claimLocked(parts, agent, pendingClaims);
}

/** After at most this many claims with locks, a claim without locks is tried again. */
const LOCKED_CLAIMS_MAX = 255;

/** Null: nothing is prefetched. Otherwise the number of handoffs that were lost to others. */
async function claimPrefetched(
  parts: ClaimParts,
  agent: AgentId,
  queue: ClaimQueue,
  pendingClaims: PendingClaim[],
): Promise<number | null> {
  const wanted = leftIn(pendingClaims);
  const { prefetched } = queue;
  queue.prefetched = [];
  // If the last claim found nothing, the prefetched handoffs are all there are; otherwise there must be enough for all.
  const last = queue.isEmpty ? prefetched.at(Math.min(wanted, prefetched.length) - 1) : prefetched[wanted - 1];
  if (last === undefined) return null;
  const { taken, refused } = assignClaims(pendingClaims, prefetched, parts.clock.nowMs());
  if (taken.length === 0) return null;
  const best = { recipient: agent, rank: last.rank, n: last.n, passed: [...refused, ...queue.damaged] };
  const lost = await answerClaims(parts, taken, parts.move(plannedMovesOf(taken), best));
  if (lost === 0 && refused.size === 0) queue.prefetched = prefetched.slice(wanted);
  return lost;
}

async function claimByRead(
  parts: ClaimParts,
  agent: AgentId,
  queue: ClaimQueue,
  pendingClaims: PendingClaim[],
): Promise<number> {
  const wanted = leftIn(pendingClaims);
  const { ready, damaged } = await readReadyRows(parts, agent, wanted);
  queue.damaged = damaged;
  rememberReady(queue, ready);
  queue.prefetched = [];
  const { taken, refused } = assignClaims(pendingClaims, ready, parts.clock.nowMs());
  const lost = taken.length === 0 ? 0 : await answerClaims(parts, taken, parts.move(plannedMovesOf(taken), null));
  if (lost === 0 && refused.size === 0) queue.prefetched = ready.slice(wanted);
  return lost;
}

/** Reads further when some of the first rows cannot be read. */
async function readReadyRows({ connection, clock }: ClaimParts, agent: AgentId, wanted: number): Promise<ReadyRows> {
  const usual = Math.min(PREFETCH_MAX, Math.max(wanted * PREFETCH_FACTOR, PREFETCH));
  for (let limit = usual; ; limit = nextLimit(limit)) {
    const sentAtMs = clock.elapsedMs();
    const rows = await connection.read(READY_SQL, [agent, limit]);
    const seen = readReady(rows, clock, sentAtMs);
    if (seen.ready.length >= wanted || rows.length < limit || limit >= DAMAGED_MAX) return seen;
  }
}

/** Reads with `for update skip locked`, so that no two processes decide over the same handoff. */
async function claimLocked(parts: ClaimParts, agent: AgentId, pendingClaims: PendingClaim[]): Promise<void> {
  let passedOver = 0;
  for (let round = 0; round < ROUNDS_MAX && leftIn(pendingClaims) > 0; round += 1) {
    let taken: readonly Taken[] = [];
    let damagedCount = 0;
    const sentAtMs = parts.clock.elapsedMs();
    const limit = Math.min(DAMAGED_MAX, leftIn(pendingClaims) + passedOver);
    const moved = await parts.locking.lockAndWrite(READY_LOCKED_SQL, [agent, limit], async (rows, on) => {
      const { ready, damaged } = readReady(rows, parts.clock, sentAtMs);
      damagedCount = damaged.length;
      ({ taken } = assignClaims(pendingClaims, ready, parts.clock.nowMs()));
      return taken.length === 0 ? null : move(on, plannedMovesOf(taken));
    });
    if (taken.length === 0 && damagedCount > passedOver) {
      passedOver = nextLimit(damagedCount);
      continue;
    }
    if (taken.length === 0) return;
    // Null: no answer came. What is in the trail was claimed; the rest is read again.
    const lost = await answerClaims(parts, taken, moved ?? OUTCOME_UNKNOWN);
    if (lost === 0) return;
  }
}

const OUTCOME_UNKNOWN: Moved = {
  moved: new Set(),
  alive: new Set(),
  counts: new Map(),
  bodies: new Map(),
  maybeApplied: true,
};
