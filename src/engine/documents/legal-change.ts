/**
 * Decides whether one text of a document may follow another. Sync uses this before it takes over a commit, and the guard
 * before a commit is made, so that sync never refuses what the guard allowed.
 */
import type { JsonText } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import { dueAtOf } from '../../domain/deadlines.ts';
import { blankHandoff, type Handoff, type Terms } from '../../domain/handoff.ts';
import type { State } from '../../domain/lifecycle.ts';
import { readAgentId, type HandoffId } from '../../domain/names.ts';
import { AGREED, hasChanged, IDENTITY, type DocumentFields, type FieldName } from '../../formats/document/schema.ts';
import { verifiersIn, type DocumentRead } from '../../formats/document/read.ts';
import { END_TYPE, type Status } from '../../formats/document/vocabulary.ts';
import type { Claimed } from '../../stores/store.ts';
import { believedSpeaker, whyNotBelieved, writerAs, type Roles, type Writer } from './attribution.ts';
import { isRevised, revisedBy } from '../handoffs/revise.ts';
import { verifiersFor } from '../handoffs/send.ts';
import { withTextDeadline, decideFromCommit, revisionOf, withTextClock, type CommittedStep } from './apply-commit.ts';
import { claimsOf, planOf, shownIn, isSameEvidence, type Step } from './plan-edit.ts';
import { asksSame } from './render.ts';
import { NOT_BY_HAND, stepRefusalText, type StepRefusal } from './step-refusal.ts';

export interface IllegalChange {
  readonly field: FieldName;
  readonly says: string;
  /** An agent verified its own work. Sync always reverts that. */
  readonly isOwnWork?: true;
}

/** The body of a record that was read from a text, without a database. */
const EMPTY_BODY = '{"input":null}' as JsonText;

/**
 * The decision for all steps of the text; null: it contains nothing new. `before` is the text of `record`; `body` is the
 * body of a draft.
 */
export function judgeText(
  roles: Roles,
  writer: Writer,
  record: Handoff,
  now: DocumentRead,
  before: DocumentRead | null,
  body: JsonText = EMPTY_BODY,
): Result<Decide | null, IllegalChange> {
  const plan = planOf(record, now.fields, before?.fields ?? null);
  if (plan.kind === 'impossible') return err({ field: 'status', says: plan.says });
  const planned = (plan.kind === 'steps' ? plan.steps : []).map((step) => withAllVerifiers(roles, record, step));
  const newSteps = planned.filter((step) => !isKnown(step, record, body));
  const wrong = wrongFields(record, now, before, newSteps) ?? wrongTimes(now.fields, before?.fields ?? null, newSteps);
  if (wrong !== null) return err(wrong);
  const steps = newSteps.length === 0 ? roundTripIn(record, now, before) : newSteps;
  const attributed = attributeSteps(roles, writer, record, steps);
  if (!attributed.ok) return err({ field: FIELD_OF[attributed.refusal.step], says: attributed.refusal.says });
  const [first, ...rest] = attributed.value;
  if (first === undefined) return ok(null);
  const decide = withTextClock(decideFromCommit([first, ...rest], body), now.fields);
  const decided = decide(record, Date.parse(now.fields.updated_at ?? '') || 0);
  if (decided.ok) return ok(decide);
  const { refusal } = decided;
  return err({
    field: fieldOf(refusal, steps),
    says: stepRefusalText(refusal),
    ...(refusal.code === 'own-work' ? { isOwnWork: true } : {}),
  });
}

/** Checks a text against the text before it, without a database; null: the text names no sender or no recipient. */
export function judgeVersion(
  roles: Roles,
  terms: Terms,
  writer: Writer,
  now: DocumentRead,
  before: DocumentRead | null,
): Result<Decide | null, IllegalChange> | null {
  const { fields } = before ?? now;
  const record = recordIn(roles, fields, terms, before === null ? 'draft' : stateIn(fields));
  return record === null ? null : judgeText(roles, writer, record, now, before);
}

/** A text may add verifiers to those of the workspace, but cannot remove any. */
function withAllVerifiers({ verifiers }: Roles, record: Handoff, step: Step): Step {
  if (step.do !== 'revise' || step.fields.verifiers === undefined) return step;
  const all = verifiersFor(verifiers, verifiersIn(step.fields), record);
  return { ...step, fields: { ...step.fields, verifiers: [...all] } };
}

/** Whether the record already has this change. */
function isKnown(step: Step, handoff: Handoff, body: JsonText): boolean {
  if (step.do !== 'revise') return false;
  const revised = revisedBy({ handoff, body }, revisionOf(step.fields));
  return revised.ok && !isRevised(revised.value);
}

/** Each step with its principal, or why a step has none. */
export function attributeSteps(
  roles: Roles,
  writer: Writer,
  record: Handoff,
  steps: readonly Step[],
): Result<readonly CommittedStep[], { readonly step: Step['do']; readonly says: string }> {
  const attributed: CommittedStep[] = [];
  for (const step of steps) {
    const as = believedSpeaker(roles, writer, record, step);
    if (as === null) return err({ step: step.do, says: NOT_BY_HAND[step.do] });
    const doubt = whyNotBelieved(writer, as);
    if (doubt !== null) return err({ step: step.do, says: doubt });
    attributed.push({ step, by: writerAs(writer, as) });
  }
  return ok(attributed);
}

/** The document was offered again: between the two texts its recipient accepted and released it. */
function roundTripIn({ state, to }: Handoff, now: DocumentRead, before: DocumentRead | null): readonly Step[] {
  const isRoundTrip = state === 'offered' && before !== null && isOfferedAgain(now.fields, before.fields);
  return isRoundTrip ? [{ do: 'accept', by: to, notes: null }, { do: 'release' }] : [];
}

/** Agreed fields must not change after the offer, and the deadline only with a move that sets a new one. */
function wrongFields(
  { state, terms, to }: Handoff,
  now: DocumentRead,
  before: DocumentRead | null,
  steps: readonly Step[],
): IllegalChange | null {
  if (before === null) return null;
  const isChanged = (name: FieldName): boolean => hasChanged(name, now.all, before.all);
  const fixed = state === 'draft' ? IDENTITY : AGREED;
  const agreed = fixed.find(isChanged);
  if (agreed !== undefined) {
    return { field: agreed, says: `${agreed} was agreed when the handoff was made and has changed` };
  }
  const acceptedBy = now.fields.acknowledged_by ?? null;
  if (acceptedBy !== null && isChanged('acknowledged_by') && readAgentId(acceptedBy) !== to) {
    return { field: 'acknowledged_by', says: `it says that @${acceptedBy} accepted it, and only @${to} can` };
  }
  const starts =
    steps.some((step) => STARTS_A_CLOCK.has(step.do)) ||
    (state === 'draft' && steps.some((step) => step.do !== 'revise'));
  if (isChanged('expires_at') && !starts && !isAnotherRound(terms, now.fields, before.fields)) {
    return { field: 'expires_at', says: 'the deadline has changed, and nothing has happened that starts another one' };
  }
  return null;
}

/**
 * Between two commits a document may have been accepted, released and accepted again, which sets a new deadline. If the
 * text has `reoffered_at`, any deadline is legal, because the clocks of machines differ. Otherwise the new deadline must be
 * later than the old one and at most one term after the last move; for a settled document that move is unknown.
 */
function isAnotherRound({ offeredMs }: Terms, now: DocumentFields, before: DocumentFields): boolean {
  const due = Date.parse(now.expires_at ?? '');
  const wasDue = Date.parse(before.expires_at ?? '');
  if (now.status === 'Complete' || now.status === 'Rejected' || isOfferedAgain(now, before)) return true;
  if (offeredMs === null || due < wasDue) return false;
  if (now.status === 'Expired') return true;
  const at = Date.parse((now.status === 'Active' ? now.updated_at : now.acknowledged_at) ?? '');
  const then = Date.parse((before.status === 'Active' ? before.updated_at : before.acknowledged_at) ?? '');
  return at !== then && due >= at - SECOND_MS && due <= at + offeredMs + SECOND_MS;
}

function isOfferedAgain(now: DocumentFields, before: DocumentFields): boolean {
  return (now.reoffered_at ?? null) !== null && now.reoffered_at !== before.reoffered_at;
}

const STARTS_A_CLOCK: ReadonlySet<Step['do']> = new Set(['offer', 'release', 'answer']);

/** Uses only times in the document, because the clocks of clones differ. */
function wrongTimes(now: DocumentFields, before: DocumentFields | null, steps: readonly Step[]): IllegalChange | null {
  const isFresh = before === null || isOfferedAgain(now, before) || steps.some((step) => STARTS_A_CLOCK.has(step.do));
  const due = Date.parse((isFresh ? now : before).expires_at ?? '');
  if (Number.isNaN(due)) return null;
  const deadline = new Date(due).toISOString();
  const accepts = steps.some((step) => step.do === 'accept');
  const acceptedAt = Date.parse(now.acknowledged_at ?? now.updated_at ?? '');
  if (accepts && acceptedAt > due + SECOND_MS) {
    return { field: 'acknowledged_at', says: `it was accepted after its deadline, ${deadline}` };
  }
  const expires = steps.some((step) => step.do === 'expire');
  if (expires && Date.parse(now.updated_at ?? '') < due - SECOND_MS) {
    return { field: 'status', says: `it expired before its deadline, ${deadline}` };
  }
  return null;
}

/** Documents write times in seconds. */
const SECOND_MS = 1_000;

const FIELD_OF: Record<Step['do'], FieldName> = {
  offer: 'from_agent',
  revise: 'title',
  release: 'status',
  expire: 'status',
  accept: 'acknowledged_by',
  deliver: 'deliverable_status',
  verify: 'completion_verified_by',
  rework: 'rework_reason',
  block: 'open_question',
  answer: 'question_answer',
  reject: 'rejection_reason',
  fail: 'rejection_reason',
  cancel: 'rejection_reason',
};

function fieldOf(refusal: StepRefusal, steps: readonly Step[]): FieldName {
  switch (refusal.code) {
    case 'evidence-missing':
    case 'evidence-unknown':
    case 'evidence-false':
      return 'deliverable_status';
    case 'criteria-open':
      return 'criteria_checks';
    case 'own-work':
      return 'completion_verified_by';
    case 'not-entitled': {
      const step = steps.find(({ do: each }) => (each === 'answer' ? 'unblock' : each) === refusal.op);
      return step === undefined ? 'status' : FIELD_OF[step.do];
    }
    default:
      return 'status';
  }
}

/** The state according to a text. */
export function stateIn(fields: DocumentFields): State {
  const status = fields.status as Status | undefined;
  switch (status) {
    case 'Active':
      return (fields.open_question ?? null) === null ? 'offered' : 'blocked';
    case 'Acknowledged':
      return (fields.delivered_at ?? null) === null ? 'accepted' : 'delivered';
    case 'Complete':
      return 'completed';
    case 'Expired':
      return 'expired';
    case 'Rejected':
      return ENDED_AS.get(fields.rejection_reason?.type ?? '') ?? 'rejected';
    case 'Created':
    case undefined:
      return 'draft';
  }
}

/** `Rejected` stands for three final states, distinguished by the type of the rejection. */
const ENDED_AS: ReadonlyMap<string, State> = new Map([
  [END_TYPE.cancelled, 'cancelled'],
  [END_TYPE.failed, 'failed'],
]);

/** Whether state, deadline, question and evidence of a text match the record. */
export function matchesState(handoff: Handoff, fields: DocumentFields): boolean {
  const { state, blockedOn, claims } = handoff;
  const newSteps = stateIn(fields);
  // In a document, a handoff with open dependencies is `Active`, like an offer.
  if (newSteps !== state) return state === 'blocked' && newSteps === 'offered' && blockedOn?.reason !== 'question';
  if (Math.abs((dueAtOf(handoff) ?? 0) - (dueAtOf(withTextDeadline(fields, handoff)) ?? 0)) >= SECOND_MS) return false;
  if (state === 'blocked') return blockedOn?.reason === 'question' && blockedOn.text === fields.open_question;
  const isShown = state === 'delivered' || state === 'completed';
  return !isShown || isSameEvidence(claims, shownIn(fields));
}

/** Also compares what is asked for. A text without `verifiers`, as older ones are, does not change them. */
export function matchesRecord(roles: Roles, whole: Claimed, fields: DocumentFields): boolean {
  const { verifiers = [...whole.handoff.terms.verifiers] } = fields;
  return matchesState(whole.handoff, fields) && asksSame(roles, whole, { ...fields, verifiers });
}

function recordIn(roles: Roles, fields: DocumentFields, terms: Terms, state: State): Handoff | null {
  const from = readAgentId(fields.from_agent ?? '');
  const to = readAgentId(fields.to_agent ?? '');
  if (from === null || to === null) return null;
  const createdAt = Date.parse(fields.created_at ?? '') || 0;
  const since = Date.parse(fields.updated_at ?? '') || createdAt;
  const isHeld = state === 'accepted' || state === 'delivered';
  const question = fields.open_question ?? null;
  return {
    ...blankHandoff(),
    id: (fields.handoff_id ?? '') as HandoffId,
    revision: 1,
    state,
    kind: 'document',
    from,
    to,
    title: fields.title ?? null,
    task: fields.related_task ?? null,
    terms: {
      ...terms,
      deliverables: fields.deliverables ?? [],
      criteria: fields.verification_criteria ?? [],
      verifiers: verifiersFor(roles.verifiers, verifiersIn(fields), { from, to }),
    },
    createdAt,
    since,
    offeredAt: since,
    attempt: isHeld ? 1 : 0,
    fence: isHeld ? 1 : 0,
    custody: isHeld ? { by: 'hand', holder: to, untilAt: null } : null,
    blockedOn: state === 'blocked' ? { reason: 'question', text: question ?? '' } : null,
    claims: state === 'delivered' ? claimsOf(shownIn(fields)) : [],
  };
}
