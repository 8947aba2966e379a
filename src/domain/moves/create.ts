/** How a handoff begins: as a draft, on offer, or waiting for others or for a place. */
import { yes, type Result } from '../../foundation/result.ts';
import { allMet, type DependencyStates } from '../dependencies.ts';
import { NO_TRAIL } from '../facts.ts';
import type { BlockedOn, Handoff } from '../handoff.ts';
import type { State } from '../lifecycle.ts';
import { flawOfRecord, flawOfTerms, flawOfTexts, refuseValue } from '../record-values.ts';
import type { Refusal } from '../refusals.ts';
import { DEFAULT_TERMS } from '../terms.ts';

/** What the sender decides; the rest of the record follows from it. */
export type Beginning = Pick<
  Handoff,
  'id' | 'kind' | 'from' | 'to' | 'priority' | 'title' | 'task' | 'lineage' | 'terms' | 'notBefore'
> & {
  /** `place`: there is no room under a limit, and it waits for some. */
  readonly as: 'draft' | 'offer' | 'place';
  /** An artifact that it needs was not there a moment ago. */
  readonly lacksArtifact?: boolean;
};

export function create(beginning: Beginning, dependencies: DependencyStates, nowMs: number): Result<Handoff, Refusal> {
  const { id, kind, from, to, priority, title, task, lineage, terms, notBefore, as } = beginning;
  const blockedOn = reasonToWait(beginning, dependencies);
  const state: State = blockedOn !== null ? 'blocked' : as === 'draft' ? 'draft' : 'offered';
  // Written out, because the rest of an object taken apart is ten times as dear, and every send pays for it.
  const handoff: Handoff = {
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
  };
  const ofTerms = terms === DEFAULT_TERMS[kind] ? null : flawOfTerms(terms);
  const flaw = ofTerms ?? flawOfTexts(handoff) ?? flawOfRecord(handoff);
  return flaw === null ? yes(handoff) : refuseValue(flaw);
}

function reasonToWait({ as, lacksArtifact }: Beginning, dependencies: DependencyStates): BlockedOn | null {
  if (as === 'place') return { reason: 'place' };
  if (as === 'draft') return null;
  if (!allMet(dependencies)) return { reason: 'dependency' };
  return lacksArtifact === true ? { reason: 'artifact' } : null;
}
