/**
 * Plans the moves that lead from the state of the handoff to what the text of its document says, and in whose name each
 * would be. Whether they are allowed is decided elsewhere, as for any request.
 */
import type { Claim, Evidence } from '../../domain/evidence.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal, type State } from '../../domain/lifecycle.ts';
import { piecesOf, readEvidence, writeEvidence, type EvidenceText } from '../../formats/document/evidence-text.ts';
import { REVISABLE, saysSame, type DocumentFields } from '../../formats/document/schema.ts';
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
  /** `wasOffered`: nobody had accepted it. */
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

/** `before` is what both sides agreed on last: marks that stood there already ask for nothing. */
export function planOf(handoff: Handoff, fields: DocumentFields, before: DocumentFields | null): Plan {
  const revised = handoff.state === 'draft' && before !== null ? revising(fields, before) : [];
  return after(revised, planMoves(handoff, fields, before));
}

/** The plan with these steps first. */
function after(first: readonly Step[], plan: Plan): Plan {
  if (plan.kind === 'impossible' || first.length === 0) return plan;
  return steps([...first, ...(plan.kind === 'steps' ? plan.steps : [])]);
}

/** The sender may change a draft until it is on offer. */
function revising(fields: DocumentFields, before: DocumentFields): readonly Step[] {
  const changed = REVISABLE.filter((name) => !saysSame(name, fields, before));
  if (changed.length === 0) return [];
  return [{ do: 'revise', fields: Object.fromEntries(changed.map((name) => [name, fields[name] ?? null])) }];
}

function planMoves(handoff: Handoff, fields: DocumentFields, before: DocumentFields | null): Plan {
  const { state } = handoff;
  const status = fields.status as Status | undefined;
  if (status === undefined) return NOTHING;
  if (state === 'delivered' && isSentBack(fields)) {
    // Everything else in the text came after that.
    const rest = planMoves({ ...handoff, state: 'accepted', claims: [] }, fields, before);
    return after([{ do: 'rework', reason: fields.rework_reason ?? '' }], rest);
  }
  const talk = talking(handoff, fields, before);
  // The text says nothing new about the state; the database has not written its newer state into the file yet.
  if (talk.length === 0 && before?.status === status && STATUS_FOR[state] !== status) return NOTHING;
  const end = talk.at(-1)?.do;
  const from: State = end === 'answer' ? 'offered' : end === 'block' ? 'blocked' : state;
  const blockedOn = end === 'block' ? ({ reason: 'question', text: '' } as const) : handoff.blockedOn;
  return after(talk, planFrom({ ...handoff, state: from, blockedOn }, fields, before, status));
}

function planFrom(handoff: Handoff, fields: DocumentFields, before: DocumentFields | null, status: Status): Plan {
  const { state } = handoff;
  if (isFinal(state) || (state === 'blocked' && handoff.blockedOn?.reason !== 'question')) {
    return STATUS_FOR[state] === status || (state === 'blocked' && status === 'Expired') ? NOTHING : no(state, status);
  }
  switch (status) {
    case 'Created':
      return state === 'draft' ? NOTHING : no(state, status);
    case 'Active':
      return toActive(state);
    case 'Acknowledged':
      if (state === 'blocked') return no(state, status);
      return steps([...accepting(state, fields), ...delivering(handoff, fields, before)]);
    case 'Complete':
      if (state === 'blocked') return no(state, status);
      return steps([
        ...accepting(state, fields),
        ...delivering(handoff, fields, state === 'delivered' ? before : null, true),
        ...verifying(handoff, fields),
      ]);
    case 'Rejected':
      return steps(rejecting(state, fields));
    case 'Expired':
      if (state === 'draft' || state === 'offered' || state === 'blocked') return steps([{ do: 'expire' }]);
      // The recipient gave it back, and then it expired.
      if (state === 'accepted' && (fields.acknowledged_by ?? null) === null)
        return steps([{ do: 'release' }, { do: 'expire' }]);
      return no(state, status);
  }
}

/** The open question and the given answer, as far as they are new. */
function talking(handoff: Handoff, fields: DocumentFields, before: DocumentFields | null): readonly Step[] {
  const { state, blockedOn } = handoff;
  if (isFinal(state) || state === 'delivered' || (state === 'blocked' && blockedOn?.reason !== 'question')) return [];
  const open = fields.open_question ?? null;
  const told = fields.question_answer ?? null;
  const isNewAnswer = told !== null && JSON.stringify(told) !== JSON.stringify(before?.question_answer ?? null);
  const answer: Step = { do: 'answer', by: told?.by ?? null, answer: told?.answer ?? null };
  if (state === 'blocked') {
    const isSame = open !== null && blockedOn?.reason === 'question' && blockedOn.text === open;
    // The writer of the text did not know of the question.
    const isUntold = open === null && before !== null && (before.open_question ?? null) === null && !isNewAnswer;
    if (isSame || isUntold) return [];
    if (open === null) return [answer];
    // A document that ended while a question was open keeps the question.
    return fields.status === 'Active' || fields.status === 'Acknowledged' || fields.status === 'Complete'
      ? [answer, ...blocking('offered', fields, open)]
      : [];
  }
  const asked = isNewAnswer && told?.question ? [...blocking(state, fields, told.question), answer] : [];
  if (open === null || open === (before?.open_question ?? null)) return asked;
  return [...asked, ...blocking(asked.length === 0 ? state : 'offered', fields, open)];
}

function blocking(state: State, fields: DocumentFields, question: string): readonly Step[] {
  const wasOffered = state !== 'accepted' && (fields.acknowledged_by ?? null) === null;
  const offer: readonly Step[] = state === 'draft' ? [{ do: 'offer' }] : [];
  return [...(wasOffered ? offer : accepting(state, fields)), { do: 'block', question, wasOffered }];
}

function no(state: State, status: Status): Plan {
  return { kind: 'impossible', says: `the handoff is ${state}, and cannot become ${status} from there` };
}

function steps(wanted: readonly Step[]): Plan {
  return wanted.length === 0 ? NOTHING : { kind: 'steps', steps: wanted };
}

function toActive(state: State): Plan {
  if (state === 'draft') return steps([{ do: 'offer' }]);
  if (state === 'blocked') return NOTHING;
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

/** The text says that the work was delivered, or every deliverable is marked as done. */
function delivering(
  { state, terms, claims }: Handoff,
  fields: DocumentFields,
  before: DocumentFields | null,
  isNow = false,
): readonly Step[] {
  const shown = shownIn(fields);
  if (state === 'delivered') {
    const isLater = (fields.delivered_at ?? null) !== null && fields.delivered_at !== (before?.delivered_at ?? null);
    const isOther = before !== null && isLater && !showsSame(claims, shown);
    if (!isOther) return [];
    // Between two commits it was sent back and delivered again.
    const rework: Step = { do: 'rework', reason: 'sent back elsewhere' };
    return [rework, { do: 'deliver', shown }];
  }
  // The marks are those of a delivery that was sent back.
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

/** What the doer shows for the deliverables that are marked as done. */
export function shownIn(fields: DocumentFields): readonly Shown[] {
  return markedIn((fields.deliverable_status ?? []).filter(({ status }) => DONE.test(status ?? 'done')));
}

/** The evidence of these marks. */
export function markedIn(marks: NonNullable<DocumentFields['deliverable_status']>): readonly Shown[] {
  return marks.flatMap(({ deliverable, evidence }) =>
    piecesOf(evidence ?? undefined).map((piece) => ({ deliverable, ...readEvidence(piece) })),
  );
}

const DONE = /^(?:done|claimed|complete|completed|attested|verified)$/i;

function verifying({ terms }: Handoff, fields: DocumentFields): readonly Step[] {
  // Where nobody has to verify, delivering completes the handoff.
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

/** Evidence that repeats what the doer showed is not the verifier's own. */
function seenIn({
  verification_record: record,
  deliverable_status: marks,
}: DocumentFields): Required<VerifyRequest>['seen'] {
  return (record?.deliverable_checks ?? []).flatMap(({ deliverable, evidence }) => {
    const seen = piecesOf(evidence ?? undefined);
    const claimed = (marks ?? []).find((mark) => mark.deliverable === deliverable)?.evidence;
    const isOwn = seen.length > 0 && JSON.stringify(seen) !== JSON.stringify(piecesOf(claimed ?? undefined));
    return isOwn ? [{ deliverable, evidence: seen }] : [];
  });
}

const MET = /^(?:met|done|passed|verified|yes|ok)$/i;

/** Whether the last delivery in the text was sent back. */
function isSentBack(fields: DocumentFields): boolean {
  const { delivered_at: at, rework_reason: reason, reworked_at: backAt } = fields;
  return (at ?? null) === null && ((reason ?? null) !== null || (backAt ?? null) !== null);
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

/** Compares as a document writes evidence: a record knows more of evidence that was checked here, such as a file's size. */
export function showsSame(claims: readonly Claim[], shown: readonly Shown[]): boolean {
  const texts = (all: readonly Claim[]): string =>
    JSON.stringify(
      all.flatMap(({ deliverable, evidence }) => evidence.map((each) => [deliverable, writeEvidence(each)])),
    );
  return texts(claims) === texts(claimsOf(shown));
}

/** Evidence as another machine saw it; what only a person wrote becomes a note. */
export function claimsOf(shown: readonly Shown[]): readonly Claim[] {
  const claims = new Map<string, Evidence[]>();
  for (const { deliverable, kind, value, seen } of shown) {
    const told: Evidence = seen ?? { kind: 'note', text: `${kind}:${value}` };
    const evidence: Evidence = told.kind === 'command' ? { ...told, elsewhere: true } : told;
    claims.set(deliverable, [...(claims.get(deliverable) ?? []), evidence]);
  }
  return [...claims].map(([deliverable, evidence]) => ({ deliverable, evidence }));
}
