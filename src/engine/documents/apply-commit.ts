/**
 * What a commit tells has happened elsewhere. All of it is written in one go, or nothing where one step on the way is not
 * legal. Evidence is not looked at again, because a commit must never make this machine run something.
 */
import type { JsonText } from '../../foundation/json.ts';
import { ok } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { accept } from '../../domain/moves/accept.ts';
import { block, unblock } from '../../domain/moves/block.ts';
import { deliver } from '../../domain/moves/deliver.ts';
import { cancel, expire, reject } from '../../domain/moves/reject-cancel-expire.ts';
import { failForGood } from '../../domain/moves/fail.ts';
import { offer } from '../../domain/moves/offer.ts';
import { giveBack } from '../../domain/moves/release.ts';
import { rework, verify } from '../../domain/moves/verify.ts';
import type { Principal } from '../../domain/principal.ts';
import { refuseValue } from '../../domain/record-values.ts';
import { needsVerifier } from '../../domain/verification.ts';
import { andThen, decideBy } from '../change.ts';
import { revisedBy, decideRevision, type Revision } from '../handoffs/revise.ts';
import { completeByRule } from '../handoffs/deliver.ts';
import { failureText } from '../handoffs/failure-text.ts';
import { seenDetail } from '../handoffs/verify.ts';
import { verifiersIn } from '../../formats/document/read.ts';
import type { DocumentFields } from '../../formats/document/schema.ts';
import { claimsOf, type RevisedFields, type Shown, type Step } from './plan-edit.ts';

export interface CommittedStep {
  readonly step: Step;
  readonly by: Principal;
}

/** The clock is the one that the text tells, however late it is read. */
export function withToldClock(decide: Decide, fields: DocumentFields): Decide {
  return (handoff, nowMs) => {
    const decided = decide(handoff, nowMs);
    return decided.ok ? ok({ ...decided.value, handoff: clockedBy(fields, decided.value.handoff) }) : decided;
  };
}

/** Of what waits for an answer, the text tells since when; of what waits for somebody, until when. */
export function clockedBy(fields: DocumentFields, handoff: Handoff): Handoff {
  const { state, terms } = handoff;
  const until = Date.parse(fields.expires_at ?? '');
  const began =
    state === 'draft'
      ? until - (terms.draftMs ?? Number.NaN)
      : state === 'offered'
        ? until - (terms.offeredMs ?? Number.NaN)
        : state === 'blocked'
          ? Date.parse(fields.updated_at ?? '')
          : Number.NaN;
  return Number.isNaN(began) ? handoff : { ...handoff, since: Math.max(0, began) };
}

/** `body` is what a draft carries; only a revision looks into it, and it comes first. */
export function decideFromCommit(
  [first, ...rest]: readonly [CommittedStep, ...CommittedStep[]],
  body: JsonText,
): Decide {
  return rest.reduce(
    (all, next) => andThen(all, ({ state }) => !isFinal(state), decisionOf(next, body)),
    decisionOf(first, body),
  );
}

function decisionOf({ step, by }: CommittedStep, body: JsonText): Decide {
  switch (step.do) {
    case 'revise':
      return (handoff, nowMs) => {
        const revised = revisedBy({ handoff, body }, revisionOf(step.fields));
        if (!revised.ok) return refuseValue({ field: 'input', given: 'a text', allowed: revised.refusal.says });
        return decideRevision(by, revised.value, 'in time')(handoff, nowMs);
      };
    case 'offer':
      return decideBy(by, 'offer', (handoff, nowMs) => ({ deed: 'offer', moved: offer(handoff, nowMs) }));
    case 'accept':
      return decideBy(by, 'accept', (handoff, nowMs) => ({
        deed: 'accept',
        moved: accept(handoff, { by: 'hand', holder: handoff.to, untilAt: null }, nowMs),
        detail: step.notes === null ? null : { notes: step.notes },
      }));
    case 'release':
      return decideBy(by, 'release', (handoff, nowMs) => ({ deed: 'release', moved: giveBack(handoff, null, nowMs) }));
    case 'deliver':
      return andThen(delivery(by, step.shown), (handoff) => !needsVerifier(handoff), completeByRule('a commit'));
    case 'verify':
      return verification(by, step);
    case 'rework':
      return decideBy(by, 'rework', (handoff, nowMs) => ({
        ...rework(handoff, nowMs),
        detail: { reason: step.reason },
      }));
    case 'block':
      return decideBy(by, 'block', (handoff, nowMs) => ({
        deed: 'block',
        moved: block(handoff, { reason: 'question', text: step.question }, null, nowMs),
        detail: { question: step.question },
      }));
    case 'answer':
      return decideBy(by, 'unblock', (handoff, nowMs) => ({
        deed: 'unblock',
        moved: unblock(handoff, nowMs),
        detail: step.answer === null ? null : { answer: step.answer },
      }));
    case 'reject':
      return decideBy(by, 'reject', (handoff, nowMs) => ({
        deed: 'reject',
        moved: reject(handoff, null, nowMs),
        detail: { type: step.type, reason: step.reason },
        outcome: failureText({ code: 'REJECTED', message: step.reason }),
      }));
    case 'cancel':
      return decideBy(by, 'cancel', (handoff, nowMs) => ({
        deed: 'cancel',
        moved: cancel(handoff, nowMs),
        detail: { reason: step.reason },
        outcome: failureText({ code: 'CANCELLED', message: step.reason }),
      }));
    case 'fail':
      return failure(by, step.reason);
    case 'expire':
      return decideBy(by, 'expire', (handoff, nowMs) => ({ deed: 'expire', moved: expire(handoff, nowMs) }));
  }
}

/** What the fields of a document say of the draft. */
export function revisionOf(fields: RevisedFields): Revision {
  const { title, purpose, context, deliverables, verification_criteria: criteria, verifiers } = fields;
  const terms = {
    ...(deliverables === undefined ? {} : { deliverables }),
    ...(criteria === undefined ? {} : { criteria }),
    ...(verifiers === undefined ? {} : { verifiers: verifiersIn(fields) }),
  };
  return {
    ...(title === undefined ? {} : { title }),
    ...(Object.keys(terms).length === 0 ? {} : { terms }),
    inputFields: {
      ...(purpose === undefined ? {} : { purpose }),
      ...(context === undefined ? {} : { context }),
    },
  };
}

const NO_RESULT = '{"kind":"result","result":null}' as JsonText;

function delivery(by: Principal, shown: readonly Shown[]): Decide {
  return decideBy(by, 'deliver', (handoff, nowMs) => ({
    deed: 'deliver',
    moved: deliver(handoff, { fence: null, claims: claimsOf(shown), checks: [] }, nowMs),
    outcome: NO_RESULT,
  }));
}

function verification(by: Principal, { notes, criteria, seen }: Extract<Step, { do: 'verify' }>): Decide {
  return decideBy(by, 'verify', (handoff, nowMs) => ({
    deed: 'verify',
    moved: verify(handoff, { checks: [], criteria: criteria.map(({ criterion }) => criterion) }, nowMs),
    detail: {
      ...(notes === null ? {} : { notes }),
      criteria: criteria.map((each) => ({ ...each })),
      ...seenDetail(seen),
    },
  }));
}

function failure(by: Principal, reason: string): Decide {
  const [, code = 'FAILED', message = reason] = /^([A-Z][A-Z_]*): (.*)$/s.exec(reason) ?? [];
  return decideBy(by, 'fail', (handoff, nowMs) => ({
    deed: 'fail',
    moved: failForGood(handoff, nowMs),
    detail: { code, message },
    outcome: failureText({ code, message }),
  }));
}
