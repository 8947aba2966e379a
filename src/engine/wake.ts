/**
 * How an idle agent learns of work for it. Each handoff is told once, by whoever comes first: the hook at the end of a
 * turn, or a line in the agent's terminal. A session that starts is told of everything that still waits, so what was
 * told and not taken is not lost.
 */
import type { Handoff } from '../domain/handoff.ts';
import { isFinal } from '../domain/lifecycle.ts';
import type { AgentId, HandoffId } from '../domain/names.ts';
import { rankOf } from '../domain/priority.ts';
import type { WakeNotes } from '../agents/agent-host.ts';
import type { Context } from './context.ts';

/** More work than an agent does in a day is told in parts. */
const LOOKED_AT_MAX = 100;

export interface WaitingWork {
  /** On offer and not too early, in the order in which they are claimed. */
  readonly ready: readonly Handoff[];
  /** When the next one is no longer too early; null: none is. */
  readonly nextAt: number | null;
}

/** Whoever something is offered to may see it. Hooks ask this on turns of an agent: it loads no more than the store. */
export async function workWaitingFor({ store }: Pick<Context, 'store'>, agent: AgentId): Promise<WaitingWork> {
  const filter = { by: 'filter', to: agent, visibleTo: agent, states: ['offered'], max: LOOKED_AT_MAX } as const;
  const { items } = await store.find(filter);
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
export function untoldOf(notes: WakeNotes, agent: AgentId, ready: readonly Handoff[]): readonly Handoff[] {
  const told = new Set(notes.told(agent));
  return ready.filter(({ id }) => !told.has(id));
}

/** A handoff that is over is never offered again: its mark can go. */
export async function forgetSettled(
  { store }: Pick<Context, 'store'>,
  notes: WakeNotes,
  agent: AgentId,
): Promise<void> {
  const told = notes.told(agent).slice(0, LOOKED_AT_MAX);
  if (told.length === 0) return;
  const { items } = await store.find({ by: 'ids', ids: told });
  const open = new Set<HandoffId>(items.filter(({ state }) => !isFinal(state)).map(({ id }) => id));
  notes.forget(
    agent,
    told.filter((id) => !open.has(id)),
  );
}
