/** Carries out what a text asks for. An edit on this machine is a request like any other; a commit tells what has been. */
import { refuse, yes, type Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { readAgentId } from '../../domain/names.ts';
import { agentPrincipal, OPERATOR, SYSTEM, type Speaker } from '../../domain/principal.ts';
import { change } from '../change.ts';
import type { Surroundings } from '../surroundings.ts';
import { accept } from '../verbs/accept.ts';
import { activate } from '../verbs/activate.ts';
import { deliver, type DeliverRefusal } from '../verbs/deliver.ts';
import { cancel, reject } from '../verbs/end.ts';
import { release } from '../verbs/release.ts';
import { verify } from '../verbs/verify.ts';
import { decideElsewhere, type SpokenStep } from './elsewhere.ts';
import { askedOf, type Step } from './plan.ts';

export interface Writer {
  readonly via: 'file' | 'git';
  readonly who: string;
}

export type StepRefusal = DeliverRefusal | { readonly code: 'not-by-hand'; readonly says: string };

/** Of an edit, what went before the first refusal has happened; a commit is taken over as a whole or not at all. */
export async function carryOut(
  around: Surroundings,
  writer: Writer,
  handoff: Handoff,
  steps: readonly Step[],
): Promise<Result<Handoff, StepRefusal>> {
  const said = spokenBy(around, writer, handoff, steps);
  if (!said.ok) return said;
  const [first, ...rest] = said.value;
  if (first === undefined) return yes(handoff);
  if (writer.via === 'git') return change(around, handoff.id, decideElsewhere([first, ...rest]));
  let newest = handoff;
  for (const each of said.value) {
    const done = await ask(around, each, handoff);
    if (!done.ok) return done;
    newest = done.value;
    // Where nobody has to verify, delivering has done it all.
    if (isFinal(newest.state)) break;
  }
  return yes(newest);
}

/** The same for one that is only just coming to be: in one decision. Null: there is nothing more to it. */
export function elsewhereOf(
  around: Surroundings,
  writer: Writer,
  handoff: Handoff,
  steps: readonly Step[],
): Result<Decide | null, StepRefusal> {
  const said = spokenBy(around, writer, handoff, steps);
  if (!said.ok) return said;
  const [first, ...rest] = said.value;
  return yes(first === undefined ? null : decideElsewhere([first, ...rest]));
}

function spokenBy(
  around: Surroundings,
  writer: Writer,
  handoff: Handoff,
  steps: readonly Step[],
): Result<readonly SpokenStep[], StepRefusal> {
  const spoken: SpokenStep[] = [];
  for (const step of steps) {
    const as = speakerOf(around, writer, handoff, step);
    if (as === null) return refuse({ code: 'not-by-hand', says: NOT_BY_HAND[step.do] });
    spoken.push({ step, by: { kind: 'writer', ...writer, as } });
  }
  return yes(spoken);
}

async function ask(
  around: Surroundings,
  { step, by }: SpokenStep,
  { id }: Handoff,
): Promise<Result<Handoff, StepRefusal>> {
  switch (step.do) {
    case 'offer':
      return activate(around, by, id);
    case 'accept':
      return accept(around, by, id, step.notes === null ? {} : { notes: step.notes });
    case 'release':
      return release(around, by, id, null);
    case 'deliver':
      return deliver(around, by, { target: id, fence: null, result: null, evidence: askedOf(step.shown) });
    case 'verify':
      return verify(around, by, { id, criteria: step.criteria, ...(step.notes === null ? {} : { notes: step.notes }) });
    case 'reject':
      return reject(around, by, id, { type: step.type, reason: step.reason });
    case 'cancel':
      return cancel(around, by, id, step.reason);
    case 'rework':
    case 'fail':
    case 'expire':
      return refuse({ code: 'not-by-hand', says: NOT_BY_HAND[step.do] });
  }
}

const NOT_BY_HAND = {
  expire: 'only the clock lets a document expire',
  rework: 'work is sent back with baton verify --refuse',
  fail: 'an attempt is given up with baton fail',
  verify: 'completion_verified_by does not name a verifier',
  offer: 'its sender has no name',
  cancel: 'its sender has no name',
  accept: 'acknowledged_by names no agent',
  release: 'its recipient has no name',
  deliver: 'its recipient has no name',
  reject: 'nobody is named who rejects it',
} as const satisfies Record<Step['do'], string>;

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
