/**
 * What the text of a document asks for, seen from where the handoff is now: the moves that lead there, and in whose name
 * each would be. Whether they are allowed is decided elsewhere, like any request.
 */
import type { AskedEvidence } from '../evidence-desk.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal, type State } from '../../domain/lifecycle.ts';
import { piecesOf, readEvidence, type EvidenceText } from '../../dialects/document/evidence-text.ts';
import type { DocumentFields } from '../../dialects/document/schema.ts';
import { END_TYPE, STATUS_FOR, type Status } from '../../dialects/document/words.ts';
import type { CriterionCheck } from '../verbs/verify.ts';

export type Step =
  | { readonly do: 'offer' | 'release' | 'expire' }
  | { readonly do: 'accept'; readonly by: string | null; readonly notes: string | null }
  | { readonly do: 'deliver'; readonly shown: readonly Shown[] }
  | {
      readonly do: 'verify';
      readonly by: string | null;
      readonly notes: string | null;
      readonly criteria: readonly CriterionCheck[];
    }
  | { readonly do: 'rework'; readonly reason: string }
  | { readonly do: 'reject'; readonly by: string | null; readonly type: string; readonly reason: string }
  | { readonly do: 'fail' | 'cancel'; readonly reason: string };

export interface Shown extends EvidenceText {
  readonly deliverable: string;
}

export type Plan =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'steps'; readonly steps: readonly Step[] }
  | { readonly kind: 'impossible'; readonly says: string };

const NOTHING: Plan = { kind: 'nothing' };

/** `before` is what both sides agreed on last: marks that stand there since then ask for nothing. */
export function planOf(handoff: Handoff, fields: DocumentFields, before: DocumentFields | null): Plan {
  const { state } = handoff;
  const status = fields.status as Status | undefined;
  if (status === undefined) return NOTHING;
  // Not a word about the state: what stands there is what we have not told yet.
  if (before?.status === status && STATUS_FOR[state] !== status) return NOTHING;
  if (isFinal(state) || state === 'blocked') {
    return STATUS_FOR[state] === status || (state === 'blocked' && status === 'Expired') ? NOTHING : no(state, status);
  }
  switch (status) {
    case 'Created':
      return state === 'draft' ? NOTHING : no(state, status);
    case 'Active':
      return toActive(state);
    case 'Acknowledged':
      return steps([...accepting(state, fields), ...delivering(handoff, fields, before), ...reworking(state, fields)]);
    case 'Complete':
      return steps([
        ...accepting(state, fields),
        ...delivering(handoff, fields, null, 'now'),
        ...verifying(handoff, fields),
      ]);
    case 'Rejected':
      return steps(rejecting(state, fields));
    case 'Expired':
      return state === 'draft' || state === 'offered' ? steps([{ do: 'expire' }]) : no(state, status);
  }
}

/** For the desk, which looks for itself. */
export function askedOf(shown: readonly Shown[]): readonly AskedEvidence[] {
  return shown.map(({ deliverable, kind, value }) => ({ deliverable, kind, value }));
}

function no(state: State, status: Status): Plan {
  return { kind: 'impossible', says: `the handoff is ${state}, and cannot become ${status} from there` };
}

function steps(wanted: readonly Step[]): Plan {
  return wanted.length === 0 ? NOTHING : { kind: 'steps', steps: wanted };
}

function toActive(state: State): Plan {
  if (state === 'draft') return steps([{ do: 'offer' }]);
  if (state === 'accepted') return steps([{ do: 'release' }]);
  return state === 'offered' ? NOTHING : no(state, 'Active');
}

function accepting(state: State, fields: DocumentFields): readonly Step[] {
  if (state !== 'draft' && state !== 'offered') return [];
  const accept: Step = {
    do: 'accept',
    by: fields.acknowledged_by ?? null,
    notes: fields.acknowledgment_notes ?? null,
  };
  return state === 'draft' ? [{ do: 'offer' }, accept] : [accept];
}

/** Said to be delivered, or marked as done one by one until nothing was left. */
function delivering(
  { state, terms }: Handoff,
  fields: DocumentFields,
  before: DocumentFields | null,
  when?: 'now',
): readonly Step[] {
  if (state === 'delivered') return [];
  const marked = (fields.deliverable_status ?? []).filter(({ status }) => DONE.test(status ?? 'done'));
  const shown = marked.flatMap(({ deliverable, evidence }) => {
    return piecesOf(evidence ?? undefined).map((piece) => ({ deliverable, ...readEvidence(piece) }));
  });
  const isAll =
    terms.deliverables.length > 0 &&
    terms.deliverables.every((name) => shown.some(({ deliverable }) => deliverable === name)) &&
    JSON.stringify(fields.deliverable_status) !== JSON.stringify(before?.deliverable_status);
  const isSaid = (fields.delivered_at ?? null) !== null && fields.delivered_at !== before?.delivered_at;
  return isAll || isSaid || when === 'now' ? [{ do: 'deliver', shown }] : [];
}

const DONE = /^(?:done|claimed|complete|completed|verified)$/i;

function verifying({ terms }: Handoff, fields: DocumentFields): readonly Step[] {
  // Where nobody has to verify, delivering is all there is.
  if (terms.verifiers.length === 0) return [];
  const criteria = (fields.criteria_checks ?? []).filter(({ status }) => MET.test(status ?? 'met'));
  return [
    {
      do: 'verify',
      by: fields.completion_verified_by ?? null,
      notes: fields.completion_notes ?? null,
      criteria: criteria.map(({ criterion, says }) => ({ criterion, says: says ?? '' })),
    },
  ];
}

const MET = /^(?:met|done|passed|verified|yes|ok)$/i;

function reworking(state: State, fields: DocumentFields): readonly Step[] {
  const isBack = state === 'delivered' && (fields.delivered_at ?? null) === null;
  return isBack && fields.rework_reason ? [{ do: 'rework', reason: fields.rework_reason }] : [];
}

function rejecting(state: State, fields: DocumentFields): readonly Step[] {
  const type = fields.rejection_reason?.type ?? 'unspecified';
  const reason = fields.rejection_reason?.message ?? 'no reason is given';
  if (type === END_TYPE.cancelled) return [{ do: 'cancel', reason }];
  if (type === END_TYPE.failed) return [{ do: 'fail', reason }];
  const by = state === 'delivered' ? (fields.completion_verified_by ?? null) : null;
  const reject: Step = { do: 'reject', by, type, reason };
  return state === 'draft' ? [{ do: 'offer' }, reject] : [reject];
}
