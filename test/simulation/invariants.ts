/** The invariants, one function each: it answers in words what is broken, or null. The ledger is as before the call. */
import { present } from '../../src/foundation/assert.ts';
import { firstBrokenRevision, hashOf, NO_TRAIL, type Fact } from '../../src/domain/facts.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import { nextState, isFinal, type Move, type State } from '../../src/domain/lifecycle.ts';
import { usesCapacity } from '../../src/domain/limits.ts';
import { readAgentId, type HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal, SYSTEM, type Principal } from '../../src/domain/principal.ts';
import { may, type Op } from '../../src/domain/rights.ts';
import { POLL_MS, StoreFault } from '../../src/stores/store.ts';
import { fenceName, requestName, seenName, type Call, type Ledger, type Waited } from './ledger.ts';
import type { SimulatedProcess } from './processes.ts';

export type Broken = string | null;

/** What a store holds, read whole after everything has come to rest. */
export interface Remains {
  readonly records: ReadonlyMap<HandoffId, Handoff>;
  readonly trails: ReadonlyMap<HandoffId, readonly Fact[]>;
}

export function i1RevisionsAreDense(call: Call, ledger: Ledger): Broken {
  for (const [id, record] of call.after) {
    let { revision, trail } = ledger.records.get(id) ?? { revision: 0, trail: NO_TRAIL };
    for (const fact of call.facts.filter((each) => each.handoff === id)) {
      if (fact.revision !== revision + 1) return `${id}: fact ${fact.revision} follows revision ${revision}`;
      if (fact.hash !== hashOf(fact, trail)) return `${id}: fact ${fact.revision} is not hashed with the one before`;
      ({ revision, hash: trail } = fact);
    }
    if (record.revision !== revision) return `${id}: revision ${record.revision}, but facts up to ${revision}`;
    if (record.trail !== trail) return `${id}: the record's trail is not the last fact's`;
  }
  return null;
}

export function i1TrailsAddUp({ records, trails }: Remains): Broken {
  for (const [id, record] of records) {
    const trail = trails.get(id) ?? [];
    const at = firstBrokenRevision(trail);
    if (at !== null) return `${id}: the trail does not add up at revision ${at}`;
    if (trail.length !== record.revision) return `${id}: ${trail.length} facts for ${record.revision} revisions`;
  }
  return null;
}

export function i2FinalIsLast(call: Call, ledger: Ledger): Broken {
  const states = new Map([...call.after.keys()].map((id) => [id, ledger.trails.get(id)?.at(-1)?.to]));
  for (const fact of call.facts) {
    const state = states.get(fact.handoff);
    if (state !== undefined && isFinal(state)) return `${fact.handoff}: ${fact.deed} after it was ${state}`;
    states.set(fact.handoff, fact.to);
  }
  return null;
}

export function i3AcknowledgedIsThere({ records, trails }: Remains, ledger: Ledger): Broken {
  for (const { id, revision, trail } of ledger.acknowledged) {
    if (trails.get(id)?.[revision - 1]?.hash !== trail) return `${id}: acknowledged revision ${revision} is not there`;
  }
  for (const [id, { revision, state }] of ledger.records) {
    const kept = records.get(id);
    if (kept?.revision !== revision || kept.state !== state) return `${id}: the record is not what was written last`;
  }
  return null;
}

export function i4RefusedChangedNothing(call: Call, ledger: Ledger): Broken {
  const isUnchanged = call.threw instanceof StoreFault && call.threw.outcome === 'unchanged';
  const isRefused = call.answers.length > 0 && call.answers.every((answer) => !answer.ok);
  const untouched = isRefused || isUnchanged ? [...call.after.keys()] : refusedTargets(call);
  for (const id of untouched) {
    const record = call.after.get(id);
    if (call.facts.some((fact) => fact.handoff === id)) return `${id}: refused, and yet there is a new fact`;
    if (record?.revision !== ledger.records.get(id)?.revision) return `${id}: refused, and yet it is another record`;
  }
  return null;
}

function refusedTargets({ verb, targets, answers, facts }: Call): readonly HandoffId[] {
  const ids = targets.map((target) => (typeof target === 'string' ? target : target.id));
  if (verb === 'change') return ids.filter((_, index) => answers[index]?.ok === false);
  const won = new Set(answers.flatMap((answer) => (answer.ok ? [answer.value.id] : [])));
  return facts.map((fact) => fact.handoff).filter((id) => verb === 'claim' && !won.has(id));
}

export function i5OneRequestOneEffect({ request, answers, facts }: Call, ledger: Ledger): Broken {
  if (request === null) return null;
  const earlier = ledger.requests.get(requestName(request));
  if (earlier === undefined) return null;
  if (facts.length > 0) return `request ${request.key} of ${request.by} had a second effect`;
  const ids = answers.map((answer) => (answer.ok ? answer.value.id : answer.refusal.code));
  return ids.join() === earlier.join()
    ? null
    : `request ${request.key} was answered ${earlier.join()}, then ${ids.join()}`;
}

/** What only the holder of the newest acceptance may do. */
const SETTLING: readonly string[] = ['deliver', 'retry', 'fail', 'release', 'block', 'renew', 'progress'];

export function i6FencesGrow(call: Call, ledger: Ledger): Broken {
  for (const fact of call.facts) {
    const newest = ledger.acceptances.get(fact.handoff)?.at(-1);
    const { handoff: id, fence, deed } = fact;
    if (deed === 'accept' && fence <= (newest?.fence ?? 0)) return `${id}: fence ${fence} after ${newest?.fence ?? 0}`;
    if (fact.from !== 'accepted' || !fact.by.startsWith('@') || !SETTLING.includes(deed)) continue;
    const target = call.targets.find((each) => typeof each !== 'string' && each.id === id);
    const shown = typeof target === 'object' ? target.fence : null;
    if (shown !== null && shown !== newest?.fence) return `${id}: ${deed} with fence ${shown}, newest ${newest?.fence}`;
    if (call.process !== newest?.process) return `${id}: ${deed} by ${call.process.name}, who does not hold it`;
  }
  const twice =
    call.verb === 'claim'
      ? call.answers.find((each) => each.ok && ledger.handedOut.has(fenceName(each.value)))
      : undefined;
  return twice?.ok === true ? `${fenceName(twice.value)} was handed out twice` : null;
}

/** Looked at when the answer has arrived. */
export function i7CompletedOnce(call: Call, ledger: Ledger): Broken {
  const twice = call.answers.find((each) => each.ok && (ledger.completions.get(each.value.id) ?? 0) > 1);
  return twice?.ok === true ? `completion of ${twice.value.id} was acknowledged twice` : null;
}

export function i8AcceptedBeforeStarted(process: SimulatedProcess, handoff: Handoff, ledger: Ledger): Broken {
  const durable = ledger.acceptances.get(handoff.id)?.find(({ fence }) => fence === handoff.fence);
  if (durable === undefined) return `${handoff.id}: work began before acceptance ${handoff.fence} was written`;
  return durable.process === process
    ? null
    : `${handoff.id}: ${process.name} works on what ${durable.process.name} accepted`;
}

/** What is blocked stays blocked when only the reason changes. */
function isStep(deed: Fact['deed'], from: State, to: State): boolean {
  return deed === 'reblock' ? from === 'blocked' && to === from : nextState(from, deed as Move) === to;
}

export function i12LegalAndEntitled(call: Call, ledger: Ledger): Broken {
  for (const fact of call.facts) {
    const { handoff: id, deed, from, to, by } = fact;
    const record = ledger.records.get(id) ?? present(call.after.get(id), 'what has a fact has a record');
    if (from === null) {
      if (deed !== 'create') return `${id}: begins with ${deed}`;
    } else if (!isStep(deed, from, to)) return `${id}: ${deed} does not lead from ${from} to ${to}`;
    const entitled = may(principalOf(by), opOf(fact), from === null ? record : { ...record, state: from });
    if (!entitled.ok) return `${id}: ${deed} by ${by} is ${entitled.refusal.code}`;
    const isOwn = [`@${record.from}`, `@${record.to}`].includes(by);
    if (isOwn && ['verify', 'rework', 'reoffer'].includes(deed)) return `${id}: ${by} judged their own work`;
  }
  return null;
}

function opOf({ deed, from }: Fact): Op {
  if (deed === 'reoffer' || (deed === 'fail' && from === 'delivered')) return 'rework';
  if (deed === 'supersede') throw new Error('nothing here is shared by git');
  if (deed === 'reblock') return 'block';
  return deed === 'retry' ? 'fail' : deed;
}

function principalOf(by: string): Principal {
  return by === 'system' ? SYSTEM : agentPrincipal(present(readAgentId(by), 'facts are signed by agents'));
}

export function i13AttemptsWithinBounds(call: Call, ledger: Ledger): Broken {
  for (const { handoff: id, deed, at } of call.facts) {
    if (deed !== 'accept') continue;
    const before = present(ledger.records.get(id), 'only what is there is accepted');
    if (at < before.notBefore) return `${id}: accepted ${before.notBefore - at} ms too early`;
    const counted = (ledger.acceptances.get(id)?.length ?? 0) + 1 - (ledger.givenBack.get(id) ?? 0);
    const { retriesMax } = before.terms.retry;
    if (counted > retriesMax + 1) return `${id}: attempt ${counted}, with ${retriesMax} retries`;
  }
  return null;
}

export function i14LivingKeepTheirs(call: Call, ledger: Ledger): Broken {
  return takenTooEarly(call, ledger, false);
}

/** The same, where the wall clock was set while somebody held it: a lease is not measured by that clock. */
export function i19ClocksTakeNothing(call: Call, ledger: Ledger): Broken {
  return takenTooEarly(call, ledger, true);
}

function takenTooEarly(call: Call, ledger: Ledger, afterJump: boolean): Broken {
  for (const { handoff: id, by, from, deed } of call.facts) {
    if (by !== 'system' || from !== 'accepted') continue;
    const { terms, since, ...record } = present(ledger.records.get(id), 'what is taken was there');
    const custody = present(record.custody, 'what is accepted is held');
    const { atMs } = present(ledger.acceptances.get(id)?.at(-1), 'what is taken was accepted');
    const heldMs = call.atMs - atMs;
    if (ledger.jumps.some((jump) => jump.atMs >= atMs) !== afterJump) continue;
    if (terms.attemptTimeoutMs !== null && heldMs >= terms.attemptTimeoutMs) continue;
    if (custody.by === 'hand') {
      const leaseMs = custody.untilAt === null ? Number.POSITIVE_INFINITY : custody.untilAt - since;
      if (heldMs < leaseMs) return `${id}: ${deed} after ${heldMs} of ${leaseMs} ms in somebody's hands`;
      continue;
    }
    const session = present(ledger.sessions.get(custody.session), 'whoever holds it has a session');
    const silentMs = call.atMs - session.beatAtMs;
    if (session.process.isOver() || silentMs >= ledger.leaseMs) continue;
    return `${id}: ${deed} after ${heldMs} ms, while ${session.process.name} lives and was heard ${silentMs} ms ago`;
  }
  return null;
}

/** `patienceMs` after the worker has died, or after somebody was there who could see it, nothing of it is held. */
export function i14DeadLoseTheirs(ledger: Ledger, nowMs: number, watchedSinceMs: number, patienceMs: number): Broken {
  for (const { id, state, custody } of ledger.records.values()) {
    if (state !== 'accepted' || custody?.by !== 'process') continue;
    const overAtMs = ledger.sessions.get(custody.session)?.process.overAtMs() ?? null;
    const acceptedAtMs = ledger.acceptances.get(id)?.at(-1)?.atMs ?? 0;
    if (overAtMs === null) continue;
    if (nowMs - Math.max(overAtMs, acceptedAtMs, watchedSinceMs) > patienceMs)
      return `${id}: its worker died at ${overAtMs}, and still nobody can have it at ${nowMs}`;
  }
  return null;
}

/** Looked at when the call has been entered. */
export function i15LimitsHold(call: Call, ledger: Ledger): Broken {
  if (call.facts.length === 0) return null;
  for (const [agent, { outgoingMax, incomingMax }] of ledger.limits.agents) {
    const open = [...ledger.records.values()].filter(usesCapacity);
    const outgoing = open.filter(({ from }) => from === agent).length;
    const incoming = open.filter(({ to }) => to === agent).length;
    if (outgoing > (outgoingMax ?? outgoing)) return `${agent} has ${outgoing} open outgoing, at most ${outgoingMax}`;
    if (incoming > (incomingMax ?? incoming)) return `${agent} has ${incoming} open incoming, at most ${incomingMax}`;
  }
  return null;
}

export function i17NeverBackwards(process: SimulatedProcess, shown: readonly Handoff[], ledger: Ledger): Broken {
  for (const { id, revision } of shown) {
    const seen = ledger.seen.get(seenName(process, id)) ?? 0;
    if (revision < seen) return `${id}: ${process.name} sees revision ${revision} after ${seen}`;
  }
  return null;
}

export function i18WaitersReturn({ id, ...waited }: Waited, ledger: Ledger): Broken {
  const answerableMs = Math.max(waited.beganMs, ledger.finalAtMs.get(id) ?? Number.POSITIVE_INFINITY);
  const dueMs = Math.min(answerableMs, waited.beganMs + waited.timeoutMs) + POLL_MS + waited.delayedMs;
  return waited.endedMs <= dueMs ? null : `${id}: whoever waited heard of it ${waited.endedMs - dueMs} ms too late`;
}

export function oneTree({ id, fence }: Handoff, livingGroup: number | null): Broken {
  return livingGroup === null ? null : `${id}: attempt ${fence} runs a command while command ${livingGroup} still runs`;
}

export function everythingEnds(ledger: Ledger, unanswered: readonly HandoffId[]): Broken {
  const open = [...ledger.records.values()].find(({ state }) => !isFinal(state));
  if (open !== undefined) return `${open.id} is still ${open.state} at revision ${open.revision}`;
  return unanswered.length === 0 ? null : `whoever waits for ${unanswered.join()} was never answered`;
}
