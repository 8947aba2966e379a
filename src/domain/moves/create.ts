/** Creates a handoff: as a draft, on offer, or blocked. */
import { ok, type Result } from '../../foundation/result.ts';
import { allMet, type DependencyStates } from '../dependencies.ts';
import { blankHandoff, SENDER_FIELDS, type BlockedOn, type Handoff, type SenderFields } from '../handoff.ts';
import type { State } from '../lifecycle.ts';
import { flawOfRecord, flawOfTerms, flawOfTexts, refuseValue } from '../record-values.ts';
import type { Refusal } from '../refusals.ts';
import { DEFAULT_TERMS } from '../default-terms.ts';

/** What the sender decides. The rest of the record follows from it. */
export type Beginning = Pick<Handoff, 'id' | 'kind' | 'from' | 'to' | 'lineage' | 'terms' | 'notBefore'> &
  SenderFields & {
    /** `place`: a limit is reached, and the handoff waits for capacity. */
    readonly as: 'draft' | 'offer' | 'place';
    /** A required artifact was not registered when this was checked. */
    readonly lacksArtifact?: boolean;
  };

export function create(beginning: Beginning, dependencies: DependencyStates, nowMs: number): Result<Handoff, Refusal> {
  const { id, kind, from, to, lineage, terms, notBefore, as } = beginning;
  const blockedOn = initialBlock(beginning, dependencies);
  const state: State = blockedOn !== null ? 'blocked' : as === 'draft' ? 'draft' : 'offered';
  const handoff = blankHandoff();
  handoff.id = id;
  handoff.state = state;
  handoff.kind = kind;
  handoff.from = from;
  handoff.to = to;
  for (const name of SENDER_FIELDS) (handoff as Record<string, unknown>)[name] = beginning[name];
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

function initialBlock({ as, lacksArtifact }: Beginning, dependencies: DependencyStates): BlockedOn | null {
  if (as === 'place') return { reason: 'place' };
  if (as === 'draft') return null;
  if (!allMet(dependencies)) return { reason: 'dependency' };
  return lacksArtifact === true ? { reason: 'artifact' } : null;
}
