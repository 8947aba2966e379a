/**
 * How an idle agent learns of its work. Each handoff is announced once: by the hook at the end of a turn, or by a line in
 * the agent's terminal, whichever comes first. A session that starts is told of everything that still waits, so a handoff
 * that was announced and not taken is not lost.
 */
import type { AgentId, HandoffId } from '../domain/names.ts';
import { rankOf } from '../domain/priority.ts';
import type { WakeNotes } from '../agents/agent-host.ts';
import type { LookStore, Offer } from '../stores/look-store.ts';

/** More work than an agent does in a day is told in parts. */
const LOOKED_AT_MAX = 100;

export interface WaitingWork {
  /** On offer and not too early, in the order in which they are claimed. */
  readonly ready: readonly Offer[];
  /** When the next one is no longer too early; null: none is. */
  readonly nextAt: number | null;
}

/** Hooks ask this on turns of an agent: it loads nothing but what it needs. */
export async function workWaitingFor(store: LookStore, agent: AgentId): Promise<WaitingWork> {
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

/** Those of these of which the agent was never told. */
export function untoldOf(notes: WakeNotes, agent: AgentId, ready: readonly Offer[]): readonly Offer[] {
  const told = new Set(notes.told(agent));
  return ready.filter(({ id }) => !told.has(id));
}

/** A handoff that is over is never offered again: its mark can go. */
export async function forgetSettled(store: LookStore, notes: WakeNotes, agent: AgentId): Promise<void> {
  const told = notes.told(agent).slice(0, LOOKED_AT_MAX);
  if (told.length === 0) return;
  const open = new Set<HandoffId>(await store.stillOpen(told));
  const settled = told.filter((id) => !open.has(id));
  notes.forget(agent, settled);
}
