/** The checks before a restore: each copy is valid, and no dependencies form a cycle. */
import { InvalidCopy } from '../foundation/store-fault.ts';
import { findCycle } from '../domain/dependencies.ts';
import type { AgentId, HandoffId, SessionId } from '../domain/names.ts';
import { flawOf } from '../domain/trail.ts';
import type { Copy } from './store.ts';

export function requireValidCopies(copies: readonly Copy[]): void {
  for (const { handoff, facts, body } of copies) {
    const flaw = flawOf(handoff, facts, body);
    if (flaw !== null) throw new InvalidCopy(handoff.id, flaw);
  }
}

/** `edgesOf` returns the dependencies of stored handoffs; those of the copies are checked here. */
export function requireNoCycles(copies: readonly Copy[], edgesOf: (id: HandoffId) => readonly HandoffId[]): void {
  const together = new Map(copies.map(({ handoff }) => [handoff.id, handoff.terms.dependsOn]));
  for (const { handoff } of copies) {
    if (handoff.terms.dependsOn.length === 0) continue;
    const ring = findCycle(handoff.id, handoff.terms.dependsOn, (id) => together.get(id) ?? edgesOf(id));
    if (ring !== null) {
      throw new InvalidCopy(handoff.id, `these handoffs depend on each other in a cycle: ${ring.join(' → ')}`);
    }
  }
}

export type Restored = 'added' | 'same' | 'different';

/** The copies that are not stored yet, one per id, and the answer for every copy. */
export function splitKnownCopies(
  copies: readonly Copy[],
  trailOf: (id: HandoffId) => string | null,
): { readonly fresh: readonly Copy[]; readonly answers: readonly Restored[] } {
  const fresh = new Map<HandoffId, Copy>();
  const answers = copies.map((copy): Restored => {
    const { id, trail } = copy.handoff;
    const known = fresh.get(id)?.handoff.trail ?? trailOf(id);
    if (known !== null) return known === trail ? 'same' : 'different';
    fresh.set(id, copy);
    return 'added';
  });
  return { fresh: [...fresh.values()], answers };
}

/** The sessions that hold one of the copies. They must be stored as ended sessions. */
export function holdersOf(copies: readonly Copy[]): ReadonlyMap<SessionId, AgentId> {
  return new Map(
    copies.flatMap(({ handoff: { custody } }): [SessionId, AgentId][] =>
      custody?.by === 'process' ? [[custody.session, custody.holder]] : [],
    ),
  );
}

/** The identity of a worker on another machine: its session is ended here, so nothing else is needed. */
export const NO_PROCESS = { host: '', machine: '', boot: '', pidSpace: '', pid: 0, startedAt: '' } as const;
