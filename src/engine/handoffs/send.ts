import { canonicalJson } from '../../foundation/canonical-json.ts';
import { digestOf } from '../../foundation/digest.ts';
import type { JsonObject, JsonProblem } from '../../foundation/json.ts';
import { ok, type Result } from '../../foundation/result.ts';
import type { Body } from '../../domain/body.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Failure, Handoff, Kind, Lineage, Terms } from '../../domain/handoff.ts';
import { HAND_LEASE_MS } from '../../domain/deadlines.ts';
import { accept } from '../../domain/moves/accept.ts';
import type { Beginning } from '../../domain/moves/create.ts';
import { failForGood } from '../../domain/moves/fail.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { principalText, SYSTEM, type Principal } from '../../domain/principal.ts';
import type { Priority } from '../../domain/priority.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { DEFAULT_TERMS } from '../../domain/default-terms.ts';
import type { Guard, Opening } from '../../stores/store.ts';
import { decideBy, decideCreation, decideStep, reconcileFolders, relay, withNotifications } from '../change.ts';
import type { ReferenceRefusal } from '../artifacts/refusals.ts';
import type { SchemaRefusal } from '../schema-registry.ts';
import { secretsIn } from '../secrets/warnings.ts';
import type { WorkspaceRules, Context } from '../context.ts';
import { answerDependents, judgeDependents } from './dependents.ts';
import { failureText } from './failure-text.ts';
import { prepare, type PreparedHandoff } from './prepare-send.ts';

export interface SendRequest extends Omit<Body, 'source' | 'target' | 'dependencies'> {
  readonly from: AgentId;
  readonly to: AgentId;
  readonly title?: string;
  readonly task?: string;
  readonly priority?: Priority;
  readonly kind?: Kind;
  readonly terms?: Partial<Terms>;
  /** Not to be taken earlier than this. */
  readonly notBefore?: number;
  /** An id from elsewhere; by default Baton makes one. */
  readonly id?: HandoffId;
  /** The leg that this one follows from: both are one chain. */
  readonly parent?: HandoffId;
  /** The lineage of a retry. */
  readonly lineage?: Lineage;
  /** Where there is no room under a limit, wait for a place instead of being refused. */
  readonly waitForCapacity?: boolean;
  /** Offered at once, or a draft until it is activated. By default documents are drafts. */
  readonly draft?: boolean;
  /** It cannot be done as it is: it is stored as failed, so that its sender sees why. */
  readonly failure?: Failure;
  /** Who else is notified that it failed. */
  readonly alsoTell?: AgentId;
  /** The user of a program that took the file before Baton knew of it. */
  readonly takenBy?: string;
  /** What has happened to it elsewhere, written with its beginning; null: nothing yet. */
  readonly onward?: (begun: Handoff) => Decide | null;
  /** Others have begun it already: it comes in whether there is room under a limit or not. */
  readonly overLimits?: true;
  /** An agent hands over to its own successor, whose first turn acknowledges it: nobody else has to verify. */
  readonly isSuccession?: true;
  /** Refuses dependencies that do not exist, or that have ended without being completed. */
  readonly knownDependencies?: true;
  /** It is made by a schedule: one handoff for this key, for as long as the database lasts. */
  readonly occurrence?: { readonly schedule: string; readonly at: string; readonly by: string; readonly key: string };
  /** The same key with the same content answers the same handoff, however often it is asked. */
  readonly requestId?: string;
}

export type SendRefusal =
  | Refusal
  | SchemaRefusal
  | ReferenceRefusal
  | { readonly code: 'not-json'; readonly problem: JsonProblem };

export async function send(
  ctx: Context,
  principal: Principal,
  request: SendRequest,
): Promise<Result<Handoff, SendRefusal>> {
  const sent = await sendMany(ctx, principal, [request]);
  return sent.ok ? ok(sent.value[0] as Handoff) : sent;
}

/** All or none. A request id, if any, is that of the first and stands for all of them. */
export async function sendMany(
  ctx: Context,
  principal: Principal,
  requests: readonly SendRequest[],
  round = 0,
): Promise<Result<readonly Handoff[], SendRefusal>> {
  const prepared: PreparedHandoff[] = [];
  const ids = new Set<HandoffId>();
  for (const request of requests) {
    const each = await prepare(ctx, principal, request, ids);
    if (!each.ok) return each;
    prepared.push(each.value);
    ids.add(each.value.id);
  }
  const guard = guardOf(principal, requests);
  const sent = await ctx.store.insert(openingsOf(ctx, principal, prepared, false), guard);
  const full =
    !sent.ok &&
    sent.refusal.code === 'limit-reached' &&
    requests.some(({ waitForCapacity }) => waitForCapacity === true);
  const answer = full ? await ctx.store.insert(openingsOf(ctx, principal, prepared, true), guard) : sent;
  if (answer.ok) await mirrored(ctx, answer.value, prepared);
  // A dependency may have ended already.
  const waits = answer.ok && answer.value.some(({ blockedOn }) => blockedOn?.reason === 'dependency');
  if (waits) return ok(await judgeDependents(ctx, answer.value));
  // A document is named after its parties and task: another document took this name first, and the next name is free.
  const isTaken = !answer.ok && answer.refusal.code === 'known-id' && ctx.rules.documents !== null;
  const isNamedHere = requests.every(({ id, kind }) => id === undefined && kind === 'document');
  return isTaken && isNamedHere && round < NAMES_MAX ? sendMany(ctx, principal, requests, round + 1) : answer;
}

/** Ends one handoff and sends another in its place, both or neither. */
export async function sendInstead(
  ctx: Context,
  principal: Principal,
  { target, decide }: { readonly target: Handoff; readonly decide: Decide },
  request: SendRequest,
): Promise<Result<Handoff, SendRefusal>> {
  const prepared = await prepare(ctx, principal, request, new Set());
  if (!prepared.ok) return prepared;
  const relayed = await relay(ctx, target, decide, openingsOf(ctx, principal, [prepared.value], false));
  if (!relayed.ok) return relayed;
  await answerDependents(ctx, relayed.value.changed);
  return ok(relayed.value.inserted[0] as Handoff);
}

/** So many may want the same name at the same time. */
const NAMES_MAX = 100;

/** In order, so that a reader of the folder meets the first one first. */
async function mirrored(
  ctx: Context,
  handoffs: readonly Handoff[],
  prepared: readonly PreparedHandoff[],
): Promise<void> {
  for (const [index, handoff] of handoffs.entries()) {
    const body = prepared[index]?.body;
    // A redacted body is not the one that was prepared here.
    const isChanged = secretsIn(handoff).length > 0;
    if (handoff.kind !== 'queue' || isChanged) await reconcileFolders(ctx, [handoff]);
    else if (body !== undefined) await ctx.rules.queue?.appear({ handoff, body });
  }
}

function openingsOf(
  ctx: Context,
  principal: Principal,
  prepared: readonly PreparedHandoff[],
  full: boolean,
): readonly Opening[] {
  return prepared.map((each) => openingOf(ctx, principal, each, full && each.request.waitForCapacity === true));
}

const UNHEARD_OF = { unheardOf: true } as const;

function openingOf(
  ctx: Context,
  principal: Principal,
  { id, request, body, lineage, artifacts, lacksArtifact: lacks }: PreparedHandoff,
  forPlace: boolean,
): Opening {
  const kind = request.kind ?? 'queue';
  const needs = artifacts.length === 0 ? request.terms : { ...request.terms, artifacts };
  const terms = termsOf(ctx.rules, kind, needs, request);
  const isDraft = request.draft ?? kind === 'document';
  const beginning: Beginning = {
    id,
    kind,
    from: request.from,
    to: request.to,
    priority: request.priority ?? 'normal',
    title: request.title ?? null,
    task: request.task ?? null,
    lineage,
    terms,
    notBefore: request.notBefore ?? 0,
    as: forPlace ? 'place' : isDraft ? 'draft' : 'offer',
    lacksArtifact: lacks,
  };
  // A reader of the trail alone has to learn that the failure of the old handoff was followed by a retry.
  const detail = lineage.retryOf === null ? occurrenceIn(request) : { retryOf: lineage.retryOf, to: `@${request.to}` };
  const decide = decideCreation(ctx, principal, beginning, body, detail, (begun) => decideHappened(begun, request));
  return {
    id: beginning.id,
    dependsOn: terms.dependsOn,
    body,
    to: request.to,
    ...(request.id === undefined && kind === 'queue' ? UNHEARD_OF : {}),
    decide: withNotifications(ctx.rules, decide),
  };
}

function occurrenceIn({ occurrence }: SendRequest): JsonObject | null {
  if (occurrence === undefined) return null;
  const { schedule, at, by } = occurrence;
  return { schedule, occurrence: at, scheduledBy: by };
}

/** What happened before Baton knew of it is written with the creation, so that nobody can act in between. */
function decideHappened(begun: Handoff, { failure, alsoTell, takenBy, onward }: SendRequest): Decide | null {
  const more = onward?.(begun) ?? null;
  if (more !== null) return more;
  if (failure !== undefined) {
    const { code, message } = failure;
    const detail = { code, message, ...(alsoTell === undefined ? {} : { also: `@${alsoTell}` }) };
    return decideStep(principalText(SYSTEM), 'fail', failForGood, detail, failureText(failure));
  }
  if (takenBy === undefined || begun.state !== 'offered') return null;
  return decideBy({ kind: 'file', user: takenBy }, 'accept', (handoff, nowMs) => {
    const untilAt = nowMs + (handoff.terms.attemptTimeoutMs ?? HAND_LEASE_MS);
    return { moved: accept(handoff, { by: 'hand', holder: handoff.to, untilAt, file: takenBy }, nowMs) };
  });
}

export function termsOf(
  rules: WorkspaceRules,
  kind: Kind,
  asked: Partial<Terms> | undefined,
  parties: Pick<SendRequest, 'from' | 'to' | 'isSuccession'>,
): Terms {
  const own = rules.terms[kind];
  // Shared by nearly every record: most sends make no terms of their own.
  if (asked === undefined && own === undefined && parties.from !== parties.to) return DEFAULT_TERMS[kind];
  const terms = { ...DEFAULT_TERMS[kind], ...own, ...asked };
  const { check, deliverables } = terms;
  return {
    ...terms,
    verifiers: verifiersFor(own?.verifiers ?? [], asked?.verifiers ?? [], parties, rules.verifiers),
    // A check that belongs to no deliverable would never be run.
    ...(check === undefined || deliverables.length > 0 ? {} : { deliverables: [check] }),
  };
}

/**
 * A request may add verifiers to those of the workspace. Work for oneself needs somebody else: where none is named, one
 * of `others`, or the operator.
 */
export function verifiersFor(
  workspace: readonly AgentId[],
  named: readonly AgentId[],
  { from, to, isSuccession }: Pick<SendRequest, 'from' | 'to' | 'isSuccession'>,
  others = workspace,
): readonly AgentId[] {
  const all = [...new Set([...workspace, ...named])];
  if (all.length > 0 || from !== to || isSuccession === true) return all;
  return others.length > 0 ? others : [from];
}

function guardOf(principal: Principal, requests: readonly SendRequest[]): Guard {
  const key = requests[0]?.requestId;
  const over: Guard = requests.some(({ overLimits }) => overLimits === true) ? { overLimits: true } : {};
  const occurrence = requests[0]?.occurrence;
  if (occurrence !== undefined) {
    const { key: own } = occurrence;
    return { ...over, request: { by: 'schedule', key: own, hash: own, forEver: true } };
  }
  if (key === undefined) return over;
  return { ...over, request: { by: principalText(principal), key, hash: digestOf(canonicalJson(requests)) } };
}
