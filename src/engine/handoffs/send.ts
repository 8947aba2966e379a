import { canonicalJson } from '../../foundation/canonical-json.ts';
import { digestOf } from '../../foundation/digest.ts';
import type { JsonObject, JsonProblem } from '../../foundation/json.ts';
import { ok, type Result } from '../../foundation/result.ts';
import type { Body } from '../../domain/body.ts';
import type { Decide } from '../../domain/decision.ts';
import {
  senderFieldsOf,
  type Failure,
  type GivenFields,
  type Handoff,
  type Kind,
  type Lineage,
  type Terms,
} from '../../domain/handoff.ts';
import { MANUAL_LEASE_MS } from '../../domain/deadlines.ts';
import { accept } from '../../domain/moves/accept.ts';
import type { Beginning } from '../../domain/moves/create.ts';
import { failForGood } from '../../domain/moves/fail.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { principalText, SYSTEM, type Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { DEFAULT_TERMS } from '../../domain/default-terms.ts';
import type { Guard, NewHandoff } from '../../stores/store.ts';
import { decideBy, decideCreation, decideStep, reconcileFolders, relay, withNotifications } from '../change.ts';
import type { ReferenceRefusal } from '../artifacts/refusals.ts';
import type { SchemaRefusal } from '../schema-registry.ts';
import { secretsIn } from '../secrets/warnings.ts';
import type { WorkspaceRules, Context } from '../context.ts';
import { updateDependentsOf, updateDependents } from './dependents.ts';
import { failureText } from './failure-text.ts';
import { prepare, type PreparedHandoff } from './prepare-send.ts';

export interface SendRequest extends Omit<Body, 'source' | 'target' | 'dependencies'>, GivenFields {
  readonly from: AgentId;
  readonly to: AgentId;
  readonly kind?: Kind;
  readonly terms?: Partial<Terms>;
  /** Cannot be claimed before this instant. */
  readonly notBefore?: number;
  /** An id from elsewhere; by default Baton makes one. */
  readonly id?: HandoffId;
  /** The handoff that this one follows from. Both are in one chain. */
  readonly parent?: HandoffId;
  /** The lineage of a retry. */
  readonly lineage?: Lineage;
  /** Wait for room under a limit instead of being refused. */
  readonly waitForCapacity?: boolean;
  /** Offered at once, or a draft until it is activated. By default documents are drafts. */
  readonly draft?: boolean;
  /** The request is invalid and is stored as failed, so that its sender sees why. */
  readonly failure?: Failure;
  /** A further agent that is notified of the failure. */
  readonly alsoTell?: AgentId;
  /** The user of a program that took the file before Baton knew of it. */
  readonly takenBy?: string;
  /** What happened elsewhere before the creation, written with it. Null: nothing. */
  readonly onward?: (begun: Handoff) => Decide | null;
  /** Limits do not apply, because others have begun the work already. */
  readonly overLimits?: true;
  /** A handoff of an agent to its successor, which acknowledges it in its first turn: no verifier is needed. */
  readonly isSuccession?: true;
  /** Refuses dependencies that do not exist, or that have ended without being completed. */
  readonly knownDependencies?: true;
  /** Sent by a schedule: one handoff per key, for ever. */
  readonly occurrence?: { readonly schedule: string; readonly at: string; readonly by: string; readonly key: string };
  /** The same key with the same content always returns the same handoff. */
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

/** All or none. The request id of the first request is that of all. */
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
  const sent = await ctx.store.insert(newHandoffsOf(ctx, principal, prepared, false), guard);
  const full =
    !sent.ok &&
    sent.refusal.code === 'limit-reached' &&
    requests.some(({ waitForCapacity }) => waitForCapacity === true);
  const answer = full ? await ctx.store.insert(newHandoffsOf(ctx, principal, prepared, true), guard) : sent;
  if (answer.ok) await mirrorToFolders(ctx, answer.value, prepared);
  // A dependency may have ended already.
  const waits = answer.ok && answer.value.some(({ blockedOn }) => blockedOn?.reason === 'dependency');
  if (waits) return ok(await updateDependents(ctx, answer.value));
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
  const relayed = await relay(ctx, target, decide, newHandoffsOf(ctx, principal, [prepared.value], false));
  if (!relayed.ok) return relayed;
  await updateDependentsOf(ctx, relayed.value.changed);
  return ok(relayed.value.inserted[0] as Handoff);
}

/** How many names are tried when others take the same name at the same time. */
const NAMES_MAX = 100;

/** In order, so that the first handoff appears in the folder first. */
async function mirrorToFolders(
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

function newHandoffsOf(
  ctx: Context,
  principal: Principal,
  prepared: readonly PreparedHandoff[],
  full: boolean,
): readonly NewHandoff[] {
  return prepared.map((each) => newHandoffOf(ctx, principal, each, full && each.request.waitForCapacity === true));
}

const IS_NEW_ID: Pick<NewHandoff, 'isNewId'> = { isNewId: true };

function newHandoffOf(
  ctx: Context,
  principal: Principal,
  { id, request, body, lineage, artifacts, lacksArtifact: lacks }: PreparedHandoff,
  forPlace: boolean,
): NewHandoff {
  const kind = request.kind ?? 'queue';
  const needs = artifacts.length === 0 ? request.terms : { ...request.terms, artifacts };
  const terms = termsOf(ctx.rules, kind, needs, request);
  const isDraft = request.draft ?? kind === 'document';
  const beginning: Beginning = {
    id,
    kind,
    from: request.from,
    to: request.to,
    ...senderFieldsOf(request),
    lineage,
    terms,
    notBefore: request.notBefore ?? 0,
    as: forPlace ? 'place' : isDraft ? 'draft' : 'offer',
    lacksArtifact: lacks,
  };
  // Shows in the trail that the failure of the old handoff was followed by a retry.
  const detail = lineage.retryOf === null ? occurrenceIn(request) : { retryOf: lineage.retryOf, to: `@${request.to}` };
  const decide = decideCreation(ctx, principal, beginning, body, detail, (begun) => decideHistory(begun, request));
  return {
    id: beginning.id,
    dependsOn: terms.dependsOn,
    body,
    to: request.to,
    ...(request.id === undefined && kind === 'queue' ? IS_NEW_ID : {}),
    decide: withNotifications(ctx.rules, decide),
  };
}

function occurrenceIn({ occurrence }: SendRequest): JsonObject | null {
  if (occurrence === undefined) return null;
  const { schedule, at, by } = occurrence;
  return { schedule, occurrence: at, scheduledBy: by };
}

/** What happened before Baton knew of the handoff is written with its creation, so that no move comes in between. */
function decideHistory(begun: Handoff, { failure, alsoTell, takenBy, onward }: SendRequest): Decide | null {
  const more = onward?.(begun) ?? null;
  if (more !== null) return more;
  if (failure !== undefined) {
    const { code, message } = failure;
    const detail = { code, message, ...(alsoTell === undefined ? {} : { also: `@${alsoTell}` }) };
    return decideStep(principalText(SYSTEM), 'fail', failForGood, detail, failureText(failure));
  }
  if (takenBy === undefined || begun.state !== 'offered') return null;
  return decideBy({ kind: 'file', user: takenBy }, 'accept', (handoff, nowMs) => {
    const untilAt = nowMs + (handoff.terms.attemptTimeoutMs ?? MANUAL_LEASE_MS);
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
    // A check without a deliverable would never run.
    ...(check === undefined || deliverables.length > 0 ? {} : { deliverables: [check] }),
  };
}

/**
 * The verifiers of the workspace and those of the request. Work that an agent sends to itself needs a verifier: if none is
 * named, one of `others`, or the operator.
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
