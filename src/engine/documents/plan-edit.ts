/**
 * Plans the moves from the state of the handoff to the state in the text of its document, and the agent of each move.
 * Whether they are allowed is decided elsewhere, as for any request.
 */
import type { Claim, Evidence } from '../../domain/evidence.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal, type State } from '../../domain/lifecycle.ts';
import { evidenceItems, readEvidence, writeEvidence, type EvidenceText } from '../../formats/document/evidence-text.ts';
import { REVISABLE, isSameValue, type DocumentFields } from '../../formats/document/schema.ts';
import { END_TYPE, STATUS_FOR, type Status } from '../../formats/document/vocabulary.ts';
import type { VerifyRequest } from '../handoffs/verify.ts';

export type Step =
  | { readonly do: 'offer' | 'release' | 'expire' }
  /** `fields` are those that changed. */
  | { readonly do: 'revise'; readonly fields: RevisedFields }
  | { readonly do: 'accept'; readonly by: string | null; readonly notes: string | null }
  | { readonly do: 'deliver'; readonly shown: readonly Shown[] }
  | {
      readonly do: 'verify';
      readonly by: string | null;
      readonly notes: string | null;
      readonly criteria: VerifyRequest['criteria'];
      /** The verifier's own evidence, besides what the doer showed. */
      readonly seen: Required<VerifyRequest>['seen'];
    }
  | { readonly do: 'rework'; readonly reason: string }
  /** `wasOffered`: it was not accepted. */
  | { readonly do: 'block'; readonly question: string; readonly wasOffered: boolean }
  | { readonly do: 'answer'; readonly by: string | null; readonly answer: string | null }
  | { readonly do: 'reject'; readonly by: string | null; readonly type: string; readonly reason: string }
  | { readonly do: 'fail' | 'cancel'; readonly reason: string };

export type RevisedFields = Pick<DocumentFields, (typeof REVISABLE)[number]>;

export interface Shown extends EvidenceText {
  readonly deliverable: string;
}

export type Plan =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'steps'; readonly steps: readonly Step[] }
  | { readonly kind: 'impossible'; readonly says: string };

const NOTHING: Plan = { kind: 'nothing' };

/** `before` is the last agreed text: marks that it already had request nothing. */
export function planOf(handoff: Handoff, fields: DocumentFields, before: DocumentFields | null): Plan {
  const revised = handoff.state === 'draft' && before !== null ? reviseSteps(fields, before) : [];
  return prepend(revised, planMoves(handoff, fields, before));
}

/** The plan with these steps first. */
function prepend(first: readonly Step[], plan: Plan): Plan {
  if (plan.kind === 'impossible' || first.length === 0) return plan;
  return steps([...first, ...(plan.kind === 'steps' ? plan.steps : [])]);
}

/** The sender may change a draft until it is on offer. */
function reviseSteps(fields: DocumentFields, before: DocumentFields): readonly Step[] {
  const changed = REVISABLE.filter((name) => !isSameValue(name, fields, before));
  if (changed.length === 0) return [];
  return [{ do: 'revise', fields: Object.fromEntries(changed.map((name) => [name, fields[name] ?? null])) }];
}

function planMoves(handoff: Handoff, fields: DocumentFields, before: DocumentFields | null): Plan {
  const { state } = handoff;
  const status = fields.status as Status | undefined;
  if (status === undefined) return NOTHING;
  if (state === 'delivered' && isSentBack(fields)) {
    // The rest of the text happened after the rework.
    const rest = planMoves({ ...handoff, state: 'accepted', claims: [] }, fields, before);
    return prepend([{ do: 'rework', reason: fields.rework_reason ?? '' }], rest);
  }
  const questions = questionSteps(handoff, fields, before);
  // The text contains no new state: the newer state of the database is not in the file yet.
  if (questions.length === 0 && before?.status === status && STATUS_FOR[state] !== status) return NOTHING;
  const end = questions.at(-1)?.do;
  const from: State = end === 'answer' ? 'offered' : end === 'block' ? 'blocked' : state;
  const blockedOn = end === 'block' ? ({ reason: 'question', text: '' } as const) : handoff.blockedOn;
  return prepend(questions, planFrom({ ...handoff, state: from, blockedOn }, fields, before, status));
}

function planFrom(handoff: Handoff, fields: DocumentFields, before: DocumentFields | null, status: Status): Plan {
  const { state } = handoff;
  if (isFinal(state) || (state === 'blocked' && handoff.blockedOn?.reason !== 'question')) {
    return STATUS_FOR[state] === status || (state === 'blocked' && status === 'Expired')
      ? NOTHING
      : impossible(state, status);
  }
  switch (status) {
    case 'Created':
      return state === 'draft' ? NOTHING : impossible(state, status);
    case 'Active':
      return toActive(state);
    case 'Acknowledged':
      if (state === 'blocked') return impossible(state, status);
      return steps([...acceptSteps(state, fields), ...deliverSteps(handoff, fields, before)]);
    case 'Complete':
      if (state === 'blocked') return impossible(state, status);
      return steps([
        ...acceptSteps(state, fields),
        ...deliverSteps(handoff, fields, state === 'delivered' ? before : null, true),
        ...verifySteps(handoff, fields),
      ]);
    case 'Rejected':
      return steps(rejectSteps(state, fields));
    case 'Expired':
      if (state === 'draft' || state === 'offered' || state === 'blocked') return steps([{ do: 'expire' }]);
      // The recipient released it, and then it expired.
      if (state === 'accepted' && (fields.acknowledged_by ?? null) === null)
        return steps([{ do: 'release' }, { do: 'expire' }]);
      return impossible(state, status);
  }
}

/** Steps for a new question or a new answer. */
function questionSteps(handoff: Handoff, fields: DocumentFields, before: DocumentFields | null): readonly Step[] {
  const { state, blockedOn } = handoff;
  if (isFinal(state) || state === 'delivered' || (state === 'blocked' && blockedOn?.reason !== 'question')) return [];
  const open = fields.open_question ?? null;
  const told = fields.question_answer ?? null;
  const isNewAnswer = told !== null && JSON.stringify(told) !== JSON.stringify(before?.question_answer ?? null);
  const answer: Step = { do: 'answer', by: told?.by ?? null, answer: told?.answer ?? null };
  if (state === 'blocked') {
    const isSame = open !== null && blockedOn?.reason === 'question' && blockedOn.text === open;
    // The writer of the text did not know the question.
    const isUnknown = open === null && before !== null && (before.open_question ?? null) === null && !isNewAnswer;
    if (isSame || isUnknown) return [];
    if (open === null) return [answer];
    // A document that ended while a question was open keeps the question.
    return fields.status === 'Active' || fields.status === 'Acknowledged' || fields.status === 'Complete'
      ? [answer, ...blockSteps('offered', fields, open)]
      : [];
  }
  const asked = isNewAnswer && told?.question ? [...blockSteps(state, fields, told.question), answer] : [];
  if (open === null || open === (before?.open_question ?? null)) return asked;
  return [...asked, ...blockSteps(asked.length === 0 ? state : 'offered', fields, open)];
}

function blockSteps(state: State, fields: DocumentFields, question: string): readonly Step[] {
  const wasOffered = state !== 'accepted' && (fields.acknowledged_by ?? null) === null;
  const offer: readonly Step[] = state === 'draft' ? [{ do: 'offer' }] : [];
  return [...(wasOffered ? offer : acceptSteps(state, fields)), { do: 'block', question, wasOffered }];
}

function impossible(state: State, status: Status): Plan {
  return { kind: 'impossible', says: `the handoff is ${state}, and cannot become ${status} from there` };
}

function steps(wanted: readonly Step[]): Plan {
  return wanted.length === 0 ? NOTHING : { kind: 'steps', steps: wanted };
}

function toActive(state: State): Plan {
  if (state === 'draft') return steps([{ do: 'offer' }]);
  if (state === 'blocked') return NOTHING;
  if (state === 'accepted') return steps([{ do: 'release' }]);
  return state === 'offered' ? NOTHING : impossible(state, 'Active');
}

function acceptSteps(state: State, fields: DocumentFields): readonly Step[] {
  if (state !== 'draft' && state !== 'offered') return [];
  const accept: Step = {
    do: 'accept',
    by: fields.acknowledged_by ?? null,
    notes: fields.acknowledgment_notes ?? null,
  };
  return state === 'draft' ? [{ do: 'offer' }, accept] : [accept];
}

/** Delivers if the text says so, or if every deliverable is marked as done. */
function deliverSteps(
  { state, terms, claims }: Handoff,
  fields: DocumentFields,
  before: DocumentFields | null,
  isNow = false,
): readonly Step[] {
  const shown = shownIn(fields);
  if (state === 'delivered') {
    const isLater = (fields.delivered_at ?? null) !== null && fields.delivered_at !== (before?.delivered_at ?? null);
    const isOther = before !== null && isLater && !isSameEvidence(claims, shown);
    if (!isOther) return [];
    // Between the two commits the work was sent back and delivered again.
    const rework: Step = { do: 'rework', reason: 'sent back elsewhere' };
    return [rework, { do: 'deliver', shown }];
  }
  // The marks belong to a delivery that was sent back.
  const isBack =
    isSentBack(fields) &&
    ((fields.rework_reason ?? null) !== (before?.rework_reason ?? null) ||
      (fields.reworked_at ?? null) !== (before?.reworked_at ?? null));
  const isAll =
    terms.deliverables.length > 0 &&
    terms.deliverables.every((name) => shown.some(({ deliverable }) => deliverable === name)) &&
    JSON.stringify(fields.deliverable_status) !== JSON.stringify(before?.deliverable_status);
  const isSaid = (fields.delivered_at ?? null) !== null && fields.delivered_at !== before?.delivered_at;
  const rework: readonly Step[] =
    isAll && isBack && !isNow ? [{ do: 'rework', reason: fields.rework_reason ?? '' }] : [];
  return isAll || isSaid || isNow ? [{ do: 'deliver', shown }, ...rework] : [];
}

/** The doer's evidence for deliverables that are marked as done. */
export function shownIn(fields: DocumentFields): readonly Shown[] {
  return markedIn((fields.deliverable_status ?? []).filter(({ status }) => DONE.test(status ?? 'done')));
}

/** The evidence of these marks. */
export function markedIn(marks: NonNullable<DocumentFields['deliverable_status']>): readonly Shown[] {
  return marks.flatMap(({ deliverable, evidence }) =>
    evidenceItems(evidence ?? undefined).map((item) => ({ deliverable, ...readEvidence(item) })),
  );
}

const DONE = /^(?:done|claimed|complete|completed|attested|verified)$/i;

function verifySteps({ terms }: Handoff, fields: DocumentFields): readonly Step[] {
  // If no verifier is required, delivering completes the handoff.
  if (terms.verifiers.length === 0) return [];
  const criteria = (fields.criteria_checks ?? []).filter(({ status }) => MET.test(status ?? 'met'));
  return [
    {
      do: 'verify',
      by: fields.completion_verified_by ?? null,
      notes: fields.completion_notes ?? null,
      criteria: criteria.map(({ criterion, says }) => ({ criterion, says: says ?? '' })),
      seen: seenIn(fields),
    },
  ];
}

/** The verifier's own evidence, without what repeats the doer's. */
function seenIn({
  verification_record: record,
  deliverable_status: marks,
}: DocumentFields): Required<VerifyRequest>['seen'] {
  return (record?.deliverable_checks ?? []).flatMap(({ deliverable, evidence }) => {
    const seen = evidenceItems(evidence ?? undefined);
    const claimed = (marks ?? []).find((mark) => mark.deliverable === deliverable)?.evidence;
    const isOwn = seen.length > 0 && JSON.stringify(seen) !== JSON.stringify(evidenceItems(claimed ?? undefined));
    return isOwn ? [{ deliverable, evidence: seen }] : [];
  });
}

const MET = /^(?:met|done|passed|verified|yes|ok)$/i;

/** Whether the last delivery in the text was sent back. */
function isSentBack(fields: DocumentFields): boolean {
  const { delivered_at: at, rework_reason: reason, reworked_at: backAt } = fields;
  return (at ?? null) === null && ((reason ?? null) !== null || (backAt ?? null) !== null);
}

function rejectSteps(state: State, fields: DocumentFields): readonly Step[] {
  const type = fields.rejection_reason?.type ?? 'unspecified';
  const reason = fields.rejection_reason?.message ?? 'no reason is given';
  if (type === END_TYPE.cancelled) return [{ do: 'cancel', reason }];
  if (type === END_TYPE.failed) return [{ do: 'fail', reason }];
  const by = state === 'delivered' ? (fields.completion_verified_by ?? null) : null;
  const reject: Step = { do: 'reject', by, type, reason };
  return state === 'draft' ? [{ do: 'offer' }, reject] : [reject];
}

/** Compares evidence in its text form: a record may contain more about checked evidence, such as a file's size. */
export function isSameEvidence(claims: readonly Claim[], shown: readonly Shown[]): boolean {
  const texts = (all: readonly Claim[]): string =>
    JSON.stringify(
      all.flatMap(({ deliverable, evidence }) => evidence.map((each) => [deliverable, writeEvidence(each)])),
    );
  return texts(claims) === texts(claimsOf(shown));
}

/** Claims from a text: evidence that another machine recorded, or a note if only a person wrote it. */
export function claimsOf(shown: readonly Shown[]): readonly Claim[] {
  const claims = new Map<string, Evidence[]>();
  for (const { deliverable, kind, value, seen } of shown) {
    const told: Evidence = seen ?? { kind: 'note', text: `${kind}:${value}` };
    const evidence: Evidence = told.kind === 'command' ? { ...told, elsewhere: true } : told;
    claims.set(deliverable, [...(claims.get(deliverable) ?? []), evidence]);
  }
  return [...claims].map(([deliverable, evidence]) => ({ deliverable, evidence }));
}
