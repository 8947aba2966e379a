/**
 * Open handoffs per agent, as counters: a limit costs one read, however much is open or finished.
 *
 * Changes are saved up and written once per transaction; a check inside the transaction sees them too.
 */
import type { Handoff } from '../../domain/handoff.ts';
import { slotsNeeded, usesCapacity, type Limits, type LimitSlot } from '../../domain/limits.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Sql } from './binding.ts';
import type { RowNumbers } from './row-numbers.ts';

export interface LimitCounters {
  /**
   * A refusal when there is no room for one more; `more` are those that have taken a place in the same call, `fewer`
   * those that have given one up.
   */
  roomFor(handoff: Handoff, more: readonly Handoff[], fewer?: readonly Handoff[]): Refusal | null;
  count(before: Handoff | null, after: Handoff): void;
  flush(): void;
  forget(): void;
}

interface Counts {
  outAll: number;
  outDocuments: number;
  inAll: number;
  inDocuments: number;
}

export function limitCountersOf(sql: Sql, names: RowNumbers, limits: Limits): LimitCounters {
  const read = sql('SELECT out_all, out_documents, in_all, in_documents FROM agent WHERE n = ?');
  const add = sql(`UPDATE agent SET out_all = out_all + ?, out_documents = out_documents + ?,
    in_all = in_all + ?, in_documents = in_documents + ? WHERE n = ?`);
  const pending = new Map<AgentId, Counts>();

  const countsFor = (agent: AgentId): Counts => {
    const known = pending.get(agent);
    if (known !== undefined) return known;
    const fresh = { outAll: 0, outDocuments: 0, inAll: 0, inDocuments: 0 };
    pending.set(agent, fresh);
    return fresh;
  };

  const countNow = (place: LimitSlot): number => {
    const n = names.knownAgentNumber(place.agent);
    const stored = n === null ? undefined : (read.get(n) as readonly number[] | undefined);
    const [outAll = 0, outDocuments = 0, inAll = 0, inDocuments = 0] = stored ?? [];
    const saved = pending.get(place.agent);
    if (place.direction === 'outgoing') {
      return place.counts === 'all' ? outAll + (saved?.outAll ?? 0) : outDocuments + (saved?.outDocuments ?? 0);
    }
    return place.counts === 'all' ? inAll + (saved?.inAll ?? 0) : inDocuments + (saved?.inDocuments ?? 0);
  };

  return {
    roomFor: (handoff, more, fewer = []) => {
      if (!usesCapacity(handoff)) return null;
      for (const place of slotsNeeded(limits, handoff.from, handoff.to, handoff.kind)) {
        const using = (others: readonly Handoff[]): number => others.filter((other) => uses(other, place)).length;
        const count = countNow(place) + using(more) - using(fewer);
        if (count >= place.max) {
          const { agent, direction, max } = place;
          return { code: 'limit-reached', agent, direction, count, max };
        }
      }
      return null;
    },
    count: (before, after) => {
      const change = Number(usesCapacity(after)) - Number(before !== null && usesCapacity(before));
      if (change === 0) return;
      const documents = after.kind === 'document' ? change : 0;
      const sender = countsFor(after.from);
      sender.outAll += change;
      sender.outDocuments += documents;
      const recipient = countsFor(after.to);
      recipient.inAll += change;
      recipient.inDocuments += documents;
    },
    flush: () => {
      for (const [agent, { outAll, outDocuments, inAll, inDocuments }] of pending) {
        add.run(outAll, outDocuments, inAll, inDocuments, names.agentNumber(agent));
      }
      pending.clear();
    },
    forget: () => pending.clear(),
  };
}

function uses(handoff: Handoff, place: LimitSlot): boolean {
  if (!usesCapacity(handoff) || (place.counts === 'documents' && handoff.kind !== 'document')) return false;
  return (place.direction === 'outgoing' ? handoff.from : handoff.to) === place.agent;
}
