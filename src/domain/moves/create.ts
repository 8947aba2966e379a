/** How a handoff begins: as a draft, on offer, or waiting for others or for a place. */
import { yes, type Result } from '../../foundation/result.ts';
import { allMet, type DependencyStates } from '../dependencies.ts';
import { NO_TRAIL } from '../facts.ts';
import type { BlockedOn, Handoff } from '../handoff.ts';
import type { State } from '../lifecycle.ts';
import type { Refusal } from '../refusals.ts';

/** What the sender decides; the rest of the record follows from it. */
export type Beginning = Pick<
  Handoff,
  'id' | 'kind' | 'from' | 'to' | 'priority' | 'title' | 'task' | 'lineage' | 'terms' | 'notBefore'
> & {
  readonly as: 'draft' | 'offer';
};

export function create(beginning: Beginning, dependencies: DependencyStates, nowMs: number): Result<Handoff, Refusal> {
  const { id, kind, from, to, priority, title, task, lineage, terms, notBefore, as } = beginning;
  const waits = as === 'offer' && !allMet(dependencies);
  const state: State = waits ? 'blocked' : as === 'draft' ? 'draft' : 'offered';
  const blockedOn: BlockedOn | null = waits ? { reason: 'dependency' } : null;
  // Written out, because the rest of an object taken apart is ten times as dear, and every send pays for it.
  return yes({
    id,
    revision: 0,
    state,
    kind,
    from,
    to,
    priority,
    title,
    task,
    lineage,
    terms,
    createdAt: nowMs,
    since: nowMs,
    offeredAt: Math.max(nowMs, notBefore),
    notBefore,
    attempt: 0,
    excused: 0,
    fence: 0,
    custody: null,
    blockedOn,
    claims: [],
    trail: NO_TRAIL,
  });
}
