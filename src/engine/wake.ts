/**
 * Announces waiting work to an idle agent. Each handoff is announced once: by the hook at the end of a turn, or by a line
 * in the agent's terminal. A new session gets everything that still waits, so a handoff that was announced and not claimed
 * is not lost.
 */
import type { AgentId, HandoffId } from '../domain/names.ts';
import { rankOf } from '../domain/priority.ts';
import type { WakeNotes } from '../agents/agent-host.ts';
import type { OfferReader, Offer } from '../stores/offer-reader.ts';

/** More than an agent does in a day. Further work is announced later. */
const LOOKED_AT_MAX = 100;

export interface WaitingWork {
  /** Offers that can be claimed now, in the order of claims. */
  readonly ready: readonly Offer[];
  /** When the next delayed offer can be claimed. Null: there is none. */
  readonly nextAt: number | null;
}

/** Hooks call this at the turns of an agent, so it loads as little as possible. */
export async function workWaitingFor(store: OfferReader, agent: AgentId): Promise<WaitingWork> {
  const items = await store.offersTo(agent, LOOKED_AT_MAX);
  const nowMs = store.nowMs();
  const later = items.map(({ notBefore }) => notBefore).filter((at) => at > nowMs);
  return {
    ready: items
      .filter(({ notBefore }) => notBefore <= nowMs)
      .toSorted((a, b) => rankOf(a.offeredAt, a.priority) - rankOf(b.offeredAt, b.priority)),
    nextAt: later.length === 0 ? null : Math.min(...later),
  };
}

/** The offers that were not announced to the agent yet. */
export function unannouncedOf(notes: WakeNotes, agent: AgentId, ready: readonly Offer[]): readonly Offer[] {
  const announced = new Set(notes.announced(agent));
  return ready.filter(({ id }) => !announced.has(id));
}

/** Deletes the notes of settled handoffs, which are never offered again. */
export async function forgetSettled(store: OfferReader, notes: WakeNotes, agent: AgentId): Promise<void> {
  const announced = notes.announced(agent).slice(0, LOOKED_AT_MAX);
  if (announced.length === 0) return;
  const open = new Set<HandoffId>(await store.stillOpen(announced));
  const settled = announced.filter((id) => !open.has(id));
  notes.forget(agent, settled);
}
