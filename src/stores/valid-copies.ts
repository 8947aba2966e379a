/** The checks before a restore: the copies are possible, and no handoffs wait for each other. */
import { InvalidCopy } from '../foundation/store-fault.ts';
import { ringThrough } from '../domain/dependencies.ts';
import type { AgentId, HandoffId, SessionId } from '../domain/names.ts';
import { flawOf } from '../domain/trail.ts';
import type { Copy } from './store.ts';

export function refuseInvalid(copies: readonly Copy[]): void {
  for (const { handoff, facts, body } of copies) {
    const flaw = flawOf(handoff, facts, body);
    if (flaw !== null) throw new InvalidCopy(handoff.id, flaw);
  }
}

/** `edgesOf` knows what is there already; those that come together are looked at here. */
export function refuseCycles(copies: readonly Copy[], edgesOf: (id: HandoffId) => readonly HandoffId[]): void {
  const together = new Map(copies.map(({ handoff }) => [handoff.id, handoff.terms.dependsOn]));
  for (const { handoff } of copies) {
    if (handoff.terms.dependsOn.length === 0) continue;
    const ring = ringThrough(handoff.id, handoff.terms.dependsOn, (id) => together.get(id) ?? edgesOf(id));
    if (ring !== null) {
      throw new InvalidCopy(handoff.id, `these would wait for each other for ever: ${ring.join(' → ')}`);
    }
  }
}

export type Restored = 'added' | 'same' | 'different';

/** The first of each id, as far as it is new, and what is to be answered for every one. */
export function newAmong(
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

/** Who holds one of these by process: sessions that have to be here, and over. */
export function holdersOf(copies: readonly Copy[]): ReadonlyMap<SessionId, AgentId> {
  return new Map(
    copies.flatMap(({ handoff: { custody } }): [SessionId, AgentId][] =>
      custody?.by === 'process' ? [[custody.session, custody.holder]] : [],
    ),
  );
}

/** Of a worker elsewhere nothing is known, and nothing needs to be: it is over here. */
export const ELSEWHERE = { host: '', machine: '', boot: '', pidSpace: '', pid: 0, startedAt: '' } as const;
