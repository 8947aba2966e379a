/**
 * Counts the open handoffs per agent, so that checking a limit costs one read.
 *
 * Changes are collected and written once per transaction. A check inside the transaction includes them.
 */
import type { Handoff } from '../../domain/handoff.ts';
import { slotsNeeded, usesCapacity, type Limits, type LimitSlot } from '../../domain/limits.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Sql } from './binding.ts';
import type { RowNumbers } from './row-numbers.ts';

export interface LimitCounters {
  /**
   * Null: there is room for the handoff. `more`: the handoffs of the same call that have taken a slot; `fewer`: those
   * that have released one.
   */
  limitRefusal(handoff: Handoff, more: readonly Handoff[], fewer?: readonly Handoff[]): Refusal | null;
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

  const countNow = (slot: LimitSlot): number => {
    const n = names.knownAgentNumber(slot.agent);
    const stored = n === null ? undefined : (read.get(n) as readonly number[] | undefined);
    const [outAll = 0, outDocuments = 0, inAll = 0, inDocuments = 0] = stored ?? [];
    const saved = pending.get(slot.agent);
    if (slot.direction === 'outgoing') {
      return slot.counts === 'all' ? outAll + (saved?.outAll ?? 0) : outDocuments + (saved?.outDocuments ?? 0);
    }
    return slot.counts === 'all' ? inAll + (saved?.inAll ?? 0) : inDocuments + (saved?.inDocuments ?? 0);
  };

  return {
    limitRefusal: (handoff, more, fewer = []) => {
      if (!usesCapacity(handoff)) return null;
      for (const slot of slotsNeeded(limits, handoff.from, handoff.to, handoff.kind)) {
        const using = (others: readonly Handoff[]): number => others.filter((other) => uses(other, slot)).length;
        const count = countNow(slot) + using(more) - using(fewer);
        if (count >= slot.max) {
          const { agent, direction, max } = slot;
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

function uses(handoff: Handoff, slot: LimitSlot): boolean {
  if (!usesCapacity(handoff) || (slot.counts === 'documents' && handoff.kind !== 'document')) return false;
  return (slot.direction === 'outgoing' ? handoff.from : handoff.to) === slot.agent;
}
