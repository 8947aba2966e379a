/** Refusals in sentences: what is wrong, and what can be done. */
import type { JsonObject } from '../../foundation/json.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Move } from '../../domain/lifecycle.ts';
import { DONE_WORDS, type Op } from '../../domain/rights.ts';
import type { ArtifactRefusal } from '../../engine/artifacts/refusals.ts';
import { secretWarning } from '../../engine/secrets/warnings.ts';
import type { OperationRefusal, TextRefusal } from '../../operations/operation.ts';
import { artifactRefusalText } from './artifact-refusal-text.ts';
import { displayLine } from '../../foundation/display-text.ts';

export type RefusalText = OperationRefusal | ArtifactRefusal;

/** Hints name options on the command line and fields over HTTP. */
export function refusalText(refusal: RefusalText, face: 'cli' | 'http' = 'cli'): string {
  switch (refusal.code) {
    case 'no-such-handoff':
      return `there is no handoff ${refusal.id} here that you may see`;
    case 'ambiguous-id':
      return `the short id ${refusal.short} is ambiguous; write more digits: ${refusal.ids.join(', ')}`;
    case 'known-id':
      return `there is already a handoff ${refusal.id}; send with another id, or without one`;
    case 'request-reused':
      return `request id ${JSON.stringify(refusal.key)} was used for a request with other content; use a new one`;
    case 'move-not-allowed':
      return `${refusal.id} is ${refusal.state}${refusal.holder === undefined ? '' : ` by @${refusal.holder}`}: it cannot be ${DONE_TEXT[refusal.move]}`;
    case 'not-entitled':
      if (refusal.op === 'create') return `${refusal.principal} may not send in the name of another agent`;
      if (refusal.op === 'follow')
        return `${refusal.principal} may not send what follows ${refusal.id}: only its parties may`;
      return notEntitled(refusal, face);
    case 'own-work':
      return `${refusal.principal} ${PART_TEXT[refusal.part]} ${refusal.id} and cannot judge it; somebody else has to`;
    case 'overdue':
      return `${refusal.id} was to be ${refusal.state === 'draft' ? 'activated' : 'accepted'} by ${new Date(refusal.dueAt).toISOString()}; make a new one with: baton retry ${refusal.id}`;
    case 'too-early':
      return `${refusal.id} cannot be accepted before ${new Date(refusal.notBefore).toISOString()}`;
    case 'not-overdue':
      return `${refusal.id} is not overdue yet`;
    case 'fence-needed':
      return fenceNeeded(refusal.id, face);
    case 'lease-lost':
      return leaseLost(refusal);
    case 'limit-reached':
      return `@${refusal.agent} has ${refusal.count} of ${refusal.max} ${refusal.direction} handoffs open; wait until one is settled`;
    case 'dependency-unknown':
      return `the dependency ${refusal.id} does not exist; correct the id, or add ${face === 'cli' ? '--allow-unknown' : '"allowUnknown": true'} if it will be sent later`;
    case 'dependency-failed':
      return `${refusal.id} is ${refusal.state} and will not be completed: retry it first (baton retry ${refusal.id}), or add ${face === 'cli' ? '--allow-unknown' : '"allowUnknown": true'} to wait for a retry`;
    case 'dependency-cycle':
      return `these handoffs would wait for each other and never start: ${refusal.ring.join(' → ')}`;
    case 'too-many-hops':
      return `${refusal.id} is already ${refusal.hops - 1} hops from its root, at most ${refusal.max} are followed: is this a loop?`;
    case 'chain-exhausted':
      return chainExhausted(refusal);
    case 'schema-unknown':
      return `there is no schema ${JSON.stringify(refusal.schema)} in schemas/${refusal.known.length === 0 ? '' : `; there are ${listed(refusal.known)}`}`;
    case 'schema-broken':
      return `the schema ${refusal.schema} cannot be used: ${refusal.file}: ${refusal.says}`;
    case 'schema-violated':
      return `it does not follow the schema ${refusal.schema}:${refusal.violations.map(({ path, says }) => `\n  ${displayLine(path)}: ${displayLine(says)}`).join('')}`;
    case 'evidence-missing':
      return `there is no evidence for: ${listed(refusal.deliverables)}`;
    case 'evidence-unknown':
      return `not among the deliverables of ${refusal.id}: ${listed(refusal.deliverables)}`;
    case 'evidence-false':
      return `evidence does not hold: ${refusal.checks.map((check) => `${displayLine(check.deliverable)}: ${displayLine(check.says)}`).join('; ')}`;
    case 'criteria-open':
      return `not checked yet: ${listed(refusal.criteria)}`;
    case 'no-such-task':
      if (refusal.task === null)
        return 'a document needs a task here: name it with --task, or make one with baton task new';
      return `there is no file tasks/${displayLine(refusal.task)}.md, and documents need one here; make one with: baton task new`;
    case 'bad-value':
      return `${refusal.field} ${displayLine(refusal.given)}: ${refusal.allowed}`;
    case 'secret-found':
      return `${displayLine(secretWarning(refusal, 'refused'))}; take the secret out, or let the owner set secrets: warn in baton.yaml`;
    case 'agent-paused':
      return `@${refusal.agent} is paused and gets no new work; resume it with: baton resume @${refusal.agent}`;
    case 'not-paused':
      return `@${refusal.agent} is not paused`;
    case 'not-undelivered':
      return `${displayLine(refusal.key)} is not an undelivered notification; list them with: baton undelivered`;
    case 'schedule-known':
      return `there is already a different schedule ${refusal.name}; remove it first: baton schedule remove ${refusal.name}`;
    case 'no-such-schedule':
      return `there is no schedule ${displayLine(refusal.name)} that you may see; list schedules with: baton schedule list`;
    case 'bad-cron':
      return `${face === 'cli' ? '--' : ''}${refusal.field} ${displayLine(JSON.stringify(refusal.given))}: ${refusal.allowed}`;
    case 'not-json':
      return `the input cannot be sent: ${refusal.problem.says}`;
    case 'bad-request':
    case 'not-yours':
    case 'token-refused':
    case 'no-workspace':
    case 'no-such-project':
      return refusal.says;
    case 'timed-out':
      return `${refusal.id} was not settled within ${Math.round(refusal.afterMs) / 1000} s; ${face === 'cli' ? `wait again with: baton wait ${refusal.id}` : 'ask again'}`;
    case 'handoff-removed':
      return `${refusal.id} is finished and was moved to the archive ${displayLine(refusal.archive)} on ${new Date(refusal.at).toISOString().slice(0, 10)}; baton import restores it`;
    case 'contended':
      return `too many processes are changing ${refusal.id} at once; try again`;
    default:
      return artifactRefusalText(refusal);
  }
}

function notEntitled(
  { id, op, principal, state, who }: Extract<Refusal, { code: 'not-entitled' }>,
  face: 'cli' | 'http',
): string {
  if (who.length === 0) return `${id} is ${state}: it cannot be ${DONE_TEXT[op]}`;
  const how = principal === 'operator' && face === 'cli' ? '; say who you are with --as' : '';
  return `${principal} may not ${op} ${id}: only ${who.join(' or ')} may${how}`;
}

const DONE_TEXT: Readonly<Record<Op | Move, string>> = { ...DONE_WORDS, reoffer: DONE_WORDS.rework };

/** Refusals that consist of their text only. */
const ONLY_SAID: readonly string[] = [
  'bad-request',
  'not-yours',
  'token-refused',
  'no-workspace',
  'no-such-project',
  'not-json',
] satisfies readonly (TextRefusal['code'] | 'not-json')[];

/** The further fields of a refusal, for programs. */
export function factsIn(refusal: RefusalText): JsonObject {
  const { code, ...facts } = refusal;
  return ONLY_SAID.includes(code) ? {} : (facts as unknown as JsonObject);
}

/** Does not say where to find the newest fence: an earlier holder could settle another agent's work with it. */
function fenceNeeded(id: HandoffId, face: 'cli' | 'http'): string {
  const reason = 'it distinguishes your acceptance from earlier and later ones';
  const how =
    face === 'cli'
      ? 'add --fence N with the number that baton claim or baton accept printed (a command of a worker finds it in BATON_FENCE)'
      : 'add "fence" to the request, with the number that claim or accept returned';
  return `${id} is held with a lease, so this needs the fence of your acceptance (${reason}); ${how}`;
}

const BUDGET_TEXT = {
  hops: 'hops',
  handoffs: 'handoffs',
  attempts: 'attempts',
  minutes: 'agent minutes',
  cost: 'US dollars',
} as const satisfies Record<Extract<Refusal, { code: 'chain-exhausted' }>['what'], string>;

function chainExhausted({ root, what, used, max, chain }: Extract<Refusal, { code: 'chain-exhausted' }>): string {
  const spent = Math.round(used * 100) / 100;
  return (
    `the chain of ${root} has used ${spent} of ${max} ${BUDGET_TEXT[what]}, so nothing is added to it: ${chain.join(' → ')}; ` +
    `inspect it with: baton trace ${root}; the owner sets chains.${what === 'cost' ? 'cost_usd' : what} in baton.yaml`
  );
}

function leaseLost({ id, fence, state, newest }: Extract<Refusal, { code: 'lease-lost' }>): string {
  if (fence === null) return `${id} is not held for you now: it is ${state}`;
  if (fence > newest) return `${id} has no acceptance ${fence}; it is ${state}. Nothing was changed`;
  const since =
    fence === newest ? `it is ${state} now` : `acceptance ${newest} came after yours (${fence}); it is ${state}`;
  return `${id} is no longer yours: ${since}. Nothing was changed`;
}

function listed(names: readonly string[]): string {
  return names.map(displayLine).join(', ');
}

const PART_TEXT = {
  sender: 'is the sender of',
  doer: 'is the doer of',
  child: 'did a part of the work below',
  sibling: 'did a part of the work beside',
} as const satisfies Record<Extract<Refusal, { code: 'own-work' }>['part'], string>;
