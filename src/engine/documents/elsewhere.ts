/**
 * What a commit tells has happened elsewhere. All of it is written in one go, or nothing where one step on the way is not
 * legal. Evidence is not looked at again, because a commit must never make this machine run something.
 */
import type { JsonText } from '../../foundation/json.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Claim, Evidence } from '../../domain/evidence.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { accept } from '../../domain/moves/accept.ts';
import { deliver } from '../../domain/moves/deliver.ts';
import { cancel, expire, reject } from '../../domain/moves/end.ts';
import { failForGood } from '../../domain/moves/fail.ts';
import { offer } from '../../domain/moves/offer.ts';
import { giveBack } from '../../domain/moves/release.ts';
import { rework, verify } from '../../domain/moves/verify.ts';
import { SYSTEM, type Principal } from '../../domain/principal.ts';
import { needsVerifier } from '../../domain/verification.ts';
import { andThen, decideBy } from '../change.ts';
import { failureText } from '../verbs/fail.ts';
import type { Shown, Step } from './plan.ts';

export interface SpokenStep {
  readonly step: Step;
  readonly by: Principal;
}

export function decideElsewhere([first, ...rest]: readonly [SpokenStep, ...SpokenStep[]]): Decide {
  return rest.reduce((all, next) => andThen(all, ({ state }) => !isFinal(state), decisionOf(next)), decisionOf(first));
}

function decisionOf({ step, by }: SpokenStep): Decide {
  switch (step.do) {
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
      return andThen(delivery(by, step.shown), (handoff) => !needsVerifier(handoff), BY_RULE);
    case 'verify':
      return verification(by, step);
    case 'rework':
      return decideBy(by, 'rework', (handoff, nowMs) => ({
        ...rework(handoff, nowMs),
        detail: { reason: step.reason },
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

const BY_RULE: Decide = decideBy(SYSTEM, 'verify', (handoff, nowMs) => ({
  deed: 'verify',
  moved: verify(handoff, { checks: [], criteria: handoff.terms.criteria }, nowMs),
}));

const NO_RESULT = '{"kind":"result","result":null}' as JsonText;

function delivery(by: Principal, shown: readonly Shown[]): Decide {
  return decideBy(by, 'deliver', (handoff, nowMs) => ({
    deed: 'deliver',
    moved: deliver(handoff, { fence: null, claims: claimsOf(shown), checks: [] }, nowMs),
    outcome: NO_RESULT,
  }));
}

function verification(by: Principal, { notes, criteria }: Extract<Step, { do: 'verify' }>): Decide {
  return decideBy(by, 'verify', (handoff, nowMs) => ({
    deed: 'verify',
    moved: verify(handoff, { checks: [], criteria: criteria.map(({ criterion }) => criterion) }, nowMs),
    detail: { ...(notes === null ? {} : { notes }), criteria: criteria.map((each) => ({ ...each })) },
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

/** As the machine elsewhere saw it; what only a person has written stays their word. */
export function claimsOf(shown: readonly Shown[]): readonly Claim[] {
  const claims = new Map<string, Evidence[]>();
  for (const { deliverable, kind, value, seen } of shown) {
    const evidence = seen ?? { kind: 'note', text: `${kind}:${value}` };
    claims.set(deliverable, [...(claims.get(deliverable) ?? []), evidence]);
  }
  return [...claims].map(([deliverable, evidence]) => ({ deliverable, evidence }));
}
