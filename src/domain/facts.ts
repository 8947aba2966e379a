/**
 * The audit trail: one fact per revision. Each fact is hashed together with the one before it, so that a removed or
 * changed fact is detected.
 */
import { digestOf } from '../foundation/digest.ts';
import type { JsonObject } from '../foundation/json.ts';
import { assuranceAfter } from './assurance.ts';
import { isErasure, isSealedBy } from './erasure.ts';
import { FACT_TYPE_NAMES, type FactType } from './fact-types.ts';
import { copyOf, type Handoff, type Mutable } from './handoff.ts';
import { STATES, type State } from './lifecycle.ts';
import type { HandoffId } from './names.ts';
import { extraOf, type RecordFields } from './record-fields.ts';
import { sealed, sealedText, sealFor } from './seal.ts';
import { detailText } from './fact-detail-text.ts';
import type { SignFact } from './signature.ts';
import { nullable, oneOf, text } from './field-shapes.ts';

export interface Fact {
  readonly handoff: HandoffId;
  readonly revision: number;
  readonly at: number;
  readonly by: string;
  readonly deed: FactType;
  readonly from: State | null;
  readonly to: State;
  readonly attempt: number;
  readonly fence: number;
  /** JSON text, or empty. */
  readonly detail: string;
  readonly hash: string;
}

/**
 * Each field once, in the order of an export line. A field that is added later has no column (`columns: null`) and a
 * default value, so that the hashes of older facts stay valid.
 */
export const FACT: RecordFields<Fact> = {
  handoff: { shape: { type: 'handoff-id' }, columns: ['handoff'], exported: false },
  revision: { shape: { type: 'count' }, columns: ['revision'] },
  at: { shape: { type: 'instant' }, columns: ['at'] },
  by: { shape: text(), columns: ['by'] },
  deed: { shape: oneOf(FACT_TYPE_NAMES), columns: ['step'] },
  from: { shape: nullable(oneOf(STATES)), columns: ['step'] },
  to: { shape: oneOf(STATES), columns: ['step'] },
  attempt: { shape: { type: 'count' }, columns: ['attempt'] },
  fence: { shape: { type: 'count' }, columns: ['fence'] },
  detail: { shape: { type: 'json-text' }, columns: ['detail'] },
  hash: { shape: text(), columns: ['hash'] },
};

/** The fields of a fact that have no column of their own. */
export const FACT_EXTRA = extraOf(FACT);

/** The trail before the first fact. */
export const NO_TRAIL = '';

/** To be filled by the code that makes or reads a fact. */
export function blankFact(): Mutable<Fact> {
  return {
    handoff: '' as HandoffId,
    revision: 0,
    at: 0,
    by: '',
    deed: 'create',
    from: null,
    to: 'draft',
    attempt: 0,
    fence: 0,
    detail: '',
    hash: '',
  };
}

export interface AppendedFact {
  readonly handoff: Handoff;
  readonly fact: Fact;
}

/**
 * Appends the fact of a move: increments the revision, adds the seal and moves the head of the hash chain. `body` is the
 * body of the handoff, for a fact that sets it; `sign` adds the signature of the agent.
 */
export function appendFact(
  before: Handoff | null,
  next: Handoff,
  deed: FactType,
  by: string,
  atMs: number,
  detail: JsonObject | null = null,
  body: string | null = null,
  sign: SignFact | null = null,
): AppendedFact {
  const revision = (before?.revision ?? 0) + 1;
  const fact = blankFact();
  fact.handoff = next.id;
  fact.revision = revision;
  fact.at = atMs;
  fact.by = by;
  fact.deed = deed;
  fact.from = before?.state ?? null;
  fact.to = next.state;
  fact.attempt = next.attempt;
  fact.fence = next.fence;
  const previous = before?.trail ?? NO_TRAIL;
  const seal = sealFor(deed, next, body);
  fact.detail =
    sign === null ? sealedText(detailText(detail), seal) : JSON.stringify(sign(fact, previous, sealed(detail, seal)));
  fact.hash = hashOf(fact, previous);
  const handoff = copyOf(next);
  handoff.revision = revision;
  handoff.trail = fact.hash;
  handoff.assurance = assuranceAfter(next, fact);
  return { handoff, fact };
}

export function hashOf(fact: Omit<Fact, 'hash'>, previous: string): string {
  const { handoff, revision, at, by, deed, from, to, attempt, fence, detail } = fact;
  const [who, more] = [JSON.stringify(by), detail === '' ? '""' : JSON.stringify(detail)];
  const begins = from === null ? 'null' : `"${from}"`;
  const extra = FACT_EXTRA.write(fact as Fact);
  const rest = extra === null ? '' : `,${extra}`;
  // The JSON of a list, built by hand because it is faster: ids, digests and states need no escaping.
  return digestOf(
    `["${previous}","${handoff}",${revision},${at},${who},"${deed}",${begins},"${to}",${attempt},${fence},${more}${rest}]`,
  );
}

/**
 * The first revision at which a trail (in order, from revision 1) is broken; null: it is intact. Erased facts are checked
 * by the seal of their erasure.
 */
export function firstBrokenRevision(trail: readonly Fact[]): number | null {
  const erasedUntil = trail.findLastIndex(isErasure);
  const erasure = trail[erasedUntil];
  if (erasure !== undefined && !isSealedBy(trail.slice(0, erasedUntil), erasure)) return erasedUntil + 1;
  let previous = NO_TRAIL;
  for (const [index, fact] of trail.entries()) {
    const isRight = index < erasedUntil || fact.hash === hashOf(fact, previous);
    if (fact.revision !== index + 1 || !isRight) return index + 1;
    previous = fact.hash;
  }
  return null;
}
