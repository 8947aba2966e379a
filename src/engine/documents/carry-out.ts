/**
 * Carries out what a text asks for. An edit on this machine is a request like any other; what a commit says has happened
 * elsewhere, so its evidence is not looked at again, but its way through the lifecycle and its rights are.
 */
import { refuse, yes, type Result } from '../../foundation/result.ts';
import type { Claim, Evidence } from '../../domain/evidence.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { deliver as delivered } from '../../domain/moves/deliver.ts';
import { expire } from '../../domain/moves/end.ts';
import { verify as verified } from '../../domain/moves/verify.ts';
import { readAgentId } from '../../domain/names.ts';
import { agentPrincipal, OPERATOR, SYSTEM, type Principal, type Speaker } from '../../domain/principal.ts';
import { needsVerifier } from '../../domain/verification.ts';
import { andThen, change, decideBy } from '../change.ts';
import type { Surroundings } from '../surroundings.ts';
import { accept } from '../verbs/accept.ts';
import { activate } from '../verbs/activate.ts';
import { deliver, type DeliverRefusal } from '../verbs/deliver.ts';
import { cancel, reject } from '../verbs/end.ts';
import { fail } from '../verbs/fail.ts';
import { release } from '../verbs/release.ts';
import { sendBack, verify } from '../verbs/verify.ts';
import { askedOf, type Shown, type Step } from './plan.ts';

export interface Writer {
  readonly via: 'file' | 'git';
  readonly who: string;
}

export type StepRefusal = DeliverRefusal | { readonly code: 'not-by-hand'; readonly says: string };

export async function carryOut(
  around: Surroundings,
  writer: Writer,
  handoff: Handoff,
  step: Step,
): Promise<Result<Handoff, StepRefusal>> {
  const { id } = handoff;
  const speaker = speakerOf(around, writer, handoff, step);
  if (speaker === null) {
    return refuse({ code: 'not-by-hand', says: NOT_BY_HAND[step.do] ?? `nobody is named who may ${step.do}` });
  }
  const by: Principal = { kind: 'writer', ...writer, as: speaker };
  switch (step.do) {
    case 'offer':
      return activate(around, by, id);
    case 'accept':
      return accept(around, by, id, step.notes === null ? {} : { notes: step.notes });
    case 'release':
      return release(around, by, id, null);
    case 'deliver':
      return writer.via === 'git'
        ? deliveredElsewhere(around, by, handoff, step.shown)
        : deliver(around, by, { target: id, fence: null, result: null, evidence: askedOf(step.shown) });
    case 'verify':
      return writer.via === 'git'
        ? verifiedElsewhere(around, by, handoff, step)
        : verify(around, by, { id, criteria: step.criteria, ...(step.notes === null ? {} : { notes: step.notes }) });
    case 'rework':
      return sendBack(around, by, id, step.reason);
    case 'reject':
      return reject(around, by, id, { type: step.type, reason: step.reason });
    case 'cancel':
      return cancel(around, by, id, step.reason);
    case 'fail':
      return fail(around, by, { target: id, fence: null, failure: failureIn(step.reason), forGood: true });
    case 'expire':
      return change(
        around,
        id,
        decideBy(by, 'expire', (found, nowMs) => ({ deed: 'expire', moved: expire(found, nowMs) })),
      );
  }
}

const NOT_BY_HAND: Partial<Record<Step['do'], string>> = {
  expire: 'only the clock lets a document expire',
  rework: 'work is sent back with baton verify --refuse',
  fail: 'an attempt is given up with baton fail',
  verify: 'completion_verified_by does not name a verifier',
};

/** What the clock, an operator or a machine did elsewhere comes in a commit; nobody here speaks for them. */
function speakerOf({ rules }: Surroundings, { via }: Writer, handoff: Handoff, step: Step): Speaker | null {
  const named = (name: string | null): Speaker | null => {
    const agent = name === null ? null : readAgentId(name);
    if (via === 'git' && name === 'operator') return OPERATOR;
    return agent === null ? null : agentPrincipal(agent, rules.rolesOf(agent));
  };
  switch (step.do) {
    case 'offer':
    case 'cancel':
      return named(handoff.from);
    case 'accept':
      return named(step.by ?? handoff.to);
    case 'release':
    case 'deliver':
      return named(handoff.to);
    case 'verify':
      return named(step.by);
    case 'reject':
      return named(step.by ?? handoff.to);
    case 'fail':
    case 'rework':
      return via === 'git' ? OPERATOR : null;
    case 'expire':
      return via === 'git' ? SYSTEM : null;
  }
}

async function deliveredElsewhere(
  around: Surroundings,
  by: Principal,
  { id }: Handoff,
  shown: readonly Shown[],
): Promise<Result<Handoff, StepRefusal>> {
  const decide = decideBy(by, 'deliver', (handoff, nowMs) => ({
    deed: 'deliver',
    moved: delivered(handoff, { fence: null, claims: claimsOf(shown), checks: [] }, nowMs),
  }));
  const agreed = decideBy(SYSTEM, 'verify', (handoff, nowMs) => ({
    deed: 'verify',
    moved: verified(handoff, { checks: [], criteria: handoff.terms.criteria }, nowMs),
  }));
  return change(
    around,
    id,
    andThen(decide, (handoff) => !needsVerifier(handoff), agreed),
  );
}

async function verifiedElsewhere(
  around: Surroundings,
  by: Principal,
  { id }: Handoff,
  { notes, criteria }: Extract<Step, { do: 'verify' }>,
): Promise<Result<Handoff, StepRefusal>> {
  const decide = decideBy(by, 'verify', (handoff, nowMs) => ({
    deed: 'verify',
    moved: verified(handoff, { checks: [], criteria: criteria.map(({ criterion }) => criterion) }, nowMs),
    detail: { ...(notes === null ? {} : { notes }), criteria: criteria.map((each) => ({ ...each })) },
  }));
  return change(around, id, decide);
}

/** As the machine elsewhere saw it; what only a person has written stays their word. */
function claimsOf(shown: readonly Shown[]): readonly Claim[] {
  const claims = new Map<string, Evidence[]>();
  for (const { deliverable, kind, value, seen } of shown) {
    const evidence = seen ?? { kind: 'note', text: `${kind}:${value}` };
    claims.set(deliverable, [...(claims.get(deliverable) ?? []), evidence]);
  }
  return [...claims].map(([deliverable, evidence]) => ({ deliverable, evidence }));
}

function failureIn(reason: string): { readonly code: string; readonly message: string } {
  const [, code = 'FAILED', message = reason] = /^([A-Z][A-Z_]*): (.*)$/s.exec(reason) ?? [];
  return { code, message };
}

/** Takes the first of the steps that is refused; what went before it has happened. */
export async function carryOutAll(
  around: Surroundings,
  writer: Writer,
  handoff: Handoff,
  steps: readonly Step[],
): Promise<Result<Handoff, StepRefusal>> {
  let newest = handoff;
  for (const step of steps) {
    const done = await carryOut(around, writer, newest, step);
    if (!done.ok) return done;
    newest = done.value;
    // Where nobody has to verify, delivering has done it all.
    if (newest.state === 'completed') break;
  }
  return yes(newest);
}

export function wordsFor(refusal: StepRefusal): string {
  switch (refusal.code) {
    case 'not-by-hand':
      return refusal.says;
    case 'own-work':
      return `${refusal.principal} is the ${refusal.part}, and nobody verifies their own work`;
    case 'not-entitled':
      return `${refusal.principal} may not ${refusal.op}`;
    case 'move-not-allowed':
      return `the handoff is ${refusal.state}: it cannot ${refusal.move}`;
    case 'evidence-missing':
      return `nothing is shown for ${refusal.deliverables.join(', ')}`;
    case 'evidence-unknown':
      return `nobody asked for ${refusal.deliverables.join(', ')}`;
    case 'evidence-false':
      return refusal.checks.map(({ deliverable, says }) => `${deliverable}: ${says}`).join('; ');
    case 'criteria-open':
      return `criteria_checks does not say that these are met: ${refusal.criteria.join(', ')}`;
    default:
      return refusal.code;
  }
}
