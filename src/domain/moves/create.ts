/** How a handoff begins: as a draft, on offer, or waiting for others or for a place. */
import { ok, type Result } from '../../foundation/result.ts';
import { allMet, type DependencyStates } from '../dependencies.ts';
import { blankHandoff, type BlockedOn, type Handoff } from '../handoff.ts';
import type { State } from '../lifecycle.ts';
import { flawOfRecord, flawOfTerms, flawOfTexts, refuseValue } from '../record-values.ts';
import type { Refusal } from '../refusals.ts';
import { DEFAULT_TERMS } from '../default-terms.ts';

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
  const handoff = blankHandoff();
  handoff.id = id;
  handoff.state = state;
  handoff.kind = kind;
  handoff.from = from;
  handoff.to = to;
  handoff.priority = priority;
  handoff.title = title;
  handoff.task = task;
  handoff.lineage = lineage;
  handoff.terms = terms;
  handoff.createdAt = nowMs;
  handoff.since = nowMs;
  handoff.offeredAt = Math.max(nowMs, notBefore);
  handoff.notBefore = notBefore;
  handoff.blockedOn = blockedOn;
  const ofTerms = terms === DEFAULT_TERMS[kind] ? null : flawOfTerms(terms);
  const flaw = ofTerms ?? flawOfTexts(handoff) ?? flawOfRecord(handoff);
  return flaw === null ? ok(handoff) : refuseValue(flaw);
}

function reasonToWait({ as, lacksArtifact }: Beginning, dependencies: DependencyStates): BlockedOn | null {
  if (as === 'place') return { reason: 'place' };
  if (as === 'draft') return null;
  if (!allMet(dependencies)) return { reason: 'dependency' };
  return lacksArtifact === true ? { reason: 'artifact' } : null;
}
