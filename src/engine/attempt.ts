/** One attempt: the handler under its time limit, then the settling, until the store has answered. */
import { defined } from '../foundation/defined.ts';
import { messageOf } from '../foundation/error-message.ts';
import { BatonError } from '../foundation/baton-error.ts';
import { BrokenAssumption } from '../foundation/assert.ts';
import type { Json, JsonObject } from '../foundation/json.ts';
import type { Result } from '../foundation/result.ts';
import type { Failure, Handoff } from '../domain/handoff.ts';
import { isFinal } from '../domain/lifecycle.ts';
import type { HandoffId } from '../domain/names.ts';
import type { Principal } from '../domain/principal.ts';
import { StoreGone, type Claimed } from '../stores/store.ts';
import type { Refusal } from '../domain/refusals.ts';
import type { EvidenceRequest } from './evidence-checker.ts';
import { violationFailure } from './schema-registry.ts';
import { throttledProgress } from './throttled-progress.ts';
import type { Interruption } from './attempt-interruptions.ts';
import type { EngineEvent, Context } from './context.ts';
import { deliver, type DeliverRefusal } from './handoffs/deliver.ts';
import { fail } from './handoffs/fail.ts';
import { withDependencyResults } from './handoffs/dependency-results.ts';
import { hasUsualRetries } from './handoffs/claim.ts';
import { release, type Later } from './handoffs/release.ts';
import type { Attempt, Hold, WorkOptions } from './work.ts';
import { secretWarning } from './secrets/warnings.ts';

/** Thrown by a handler that knows the code; anything else it throws is a PROCESSING_ERROR. */
export class HandlerFailure extends BatonError {
  override readonly name = 'HandlerFailure';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Thrown by a handler that cannot work now, through no fault of the handoff: it is offered again later, uncounted. */
export class PostponedAttempt extends Error {
  override readonly name = 'PostponedAttempt';
  readonly inMs: number;

  constructor(inMs: number, reason: string) {
    super(reason);
    this.inMs = inMs;
  }
}

/** A reason given saves the making of an error with its stack, which nobody reads. */
export const OVER = 'over';

type Ending =
  | {
      readonly kind: 'result';
      readonly result: Json;
      readonly evidence: readonly EvidenceRequest[];
      readonly detail?: JsonObject;
    }
  | { readonly kind: 'failure'; readonly failure: Failure; readonly detail?: JsonObject }
  /** Not now: offered again after a while. */
  | { readonly kind: 'postponed'; readonly later: Later }
  /** The worker must stop: nobody's fault. */
  | { readonly kind: 'given-up' }
  /** The handoff is no longer ours; there is nobody to tell. */
  | { readonly kind: 'lost' };

export interface RunningAttempt {
  /** The hand is free again. */
  readonly handled: Promise<void>;
  /** The store has answered; false: the result was refused. */
  readonly settled: Promise<boolean>;
}

/** `askedMs` is when the claim was asked for, so that our own time is up before anybody else could think so. */
export function runAttempt(
  ctx: Context,
  options: WorkOptions & { readonly principal: Principal },
  hold: Hold,
  claimed: Claimed,
  askedMs: number,
): RunningAttempt {
  const { id, attempt } = claimed.handoff;
  ctx.report({ kind: 'attempt-started', id, attempt });
  const ending = handle(ctx, options, hold, claimed, askedMs);
  const settled = ending.then((how) => settle(ctx, options, claimed, how));
  return { handled: ending.then(() => undefined), settled };
}

async function handle(
  ctx: Context,
  { handler, principal }: WorkOptions & { readonly principal: Principal },
  hold: Hold,
  claimed: Claimed,
  askedMs: number,
): Promise<Ending> {
  const limitMs = limitOf(claimed.handoff);
  const untilMs = limitMs === null ? Number.POSITIVE_INFINITY : askedMs + limitMs;
  const over = lazySignal();
  const recording: Recording = { isOpen: false, leftMs: () => untilMs - ctx.clock.monotonicMs() };
  const answered = answerOf(ctx, handler, hold, claimed, over, recording, principal);
  const stoppedBy = await new Promise<Interruption | null>((resolve) => {
    const leave = hold.interruptions.attend(untilMs, resolve);
    void answered.then(() => {
      leave();
      resolve(null);
    });
  });
  const waitsForStore = recording.isOpen;
  over.abort();
  if (stoppedBy === null) return answered;
  await ended(ctx, answered);
  // A handler that is over has taken its command off this list.
  const left = hold.groups.filter((group) => group.handoff === claimed.handoff.id);
  for (const group of left) await ctx.liveness.endGroup(group);
  if (stoppedBy !== 'time-up') return { kind: stoppedBy };
  // All of its time went by while the store was waited for, and the command never began.
  if (waitsForStore) return { kind: 'given-up' };
  const failure = { code: 'TIMEOUT', message: `no result within ${(limitMs ?? 0) / 1000} s` };
  return { kind: 'failure', failure, ...defined({ detail: recording.detail }) };
}

/** How long this attempt may take: by the word of its worker, else by the terms. */
function limitOf({ custody, since, terms }: Handoff): number | null {
  return custody?.by === 'process' && custody.untilAt !== undefined ? custody.untilAt - since : terms.attemptTimeoutMs;
}

/** Before a command begins, the store has to know of it. That the store could not is no failure of the command. */
interface Recording {
  isOpen: boolean;
  /** What the handler has noted so far; an attempt that is ended early keeps it. */
  detail?: JsonObject;
  leftMs(): number;
}

/** Most handlers never ask for their signal, and one costs as much as writing a fact. */
function lazySignal() {
  let controller: AbortController | null = null;
  let isOver = false;
  return {
    get signal(): AbortSignal {
      if (controller === null) {
        controller = new AbortController();
        if (isOver) controller.abort(OVER);
      }
      return controller.signal;
    },
    abort: () => {
      isOver = true;
      controller?.abort(OVER);
    },
  };
}

/** Two agents never work in one tree: a command that was told to stop is gone before its handoff is offered again. */
async function ended({ timers }: Context, answered: Promise<unknown>): Promise<void> {
  const waited = new AbortController();
  await Promise.race([answered, timers.sleep(ENDING_MS, waited.signal)]);
  waited.abort(OVER);
}

/** A handler that does not listen is not waited for any longer; less than `TIMEOUT_GRACE_MS`, after which others act. */
const ENDING_MS = 1_500;

async function answerOf(
  ctx: Context,
  handler: WorkOptions['handler'],
  hold: Hold,
  claimed: Claimed,
  over: ReturnType<typeof lazySignal>,
  recording: Recording,
  principal: Principal,
): Promise<Ending> {
  const { id } = claimed.handoff;
  const evidence: EvidenceRequest[] = [];
  let telling: Attempt['progress'] | null = null;
  const hasNone = claimed.handoff.terms.dependsOn.length === 0;
  const given = hasNone ? claimed : await orNull(ctx, id, withDependencyResults(ctx, claimed));
  if (given === null) return { kind: 'given-up' };
  try {
    const result = await handler(given, {
      get signal() {
        return over.signal;
      },
      progress: (fraction, says) => {
        telling ??= throttledProgress(ctx, principal, claimed.handoff, over.signal);
        telling(fraction, says);
      },
      note: (more) => {
        recording.detail = { ...recording.detail, ...more };
      },
      evidence: (deliverable, kind, value) => {
        evidence.push({ deliverable, kind, value });
      },
      running: async (group) => {
        hold.groups.push({ handoff: id, ...group });
        recording.isOpen = true;
        await ctx.store.sessions.running(hold.session, hold.groups);
        // First on record, then alive: whoever ends the session from now on finds the group and ends it too.
        if (!(await ctx.store.sessions.beat(hold.session))) throw new Error('the session is lost');
        if (recording.leftMs() <= 0) throw new Error('time was up before the command could begin');
        recording.isOpen = false;
      },
    });
    return { kind: 'result', result, evidence, ...defined({ detail: recording.detail }) };
  } catch (error) {
    if (recording.isOpen) {
      ctx.report({ kind: 'fault', doing: `beginning ${id}`, error });
      return { kind: 'given-up' };
    }
    if (error instanceof PostponedAttempt) {
      return {
        kind: 'postponed',
        later: { inMs: error.inMs, reason: error.message, ...defined({ detail: recording.detail }) },
      };
    }
    const code = error instanceof HandlerFailure ? error.code : 'PROCESSING_ERROR';
    return { kind: 'failure', failure: { code, message: messageOf(error) }, ...defined({ detail: recording.detail }) };
  } finally {
    const at = hold.groups.findIndex((group) => group.handoff === id);
    if (at !== -1) hold.groups.splice(at, 1);
  }
}

/** That the store could not be read is no failure of the handler. */
async function orNull<Read>(ctx: Context, id: HandoffId, reading: Promise<Read>): Promise<Read | null> {
  try {
    return await reading;
  } catch (error) {
    ctx.report({ kind: 'fault', doing: `beginning ${id}`, error });
    return null;
  }
}

/** A result must not be lost to a passing fault: it is offered to the store again until there is an answer. */
async function settle(
  ctx: Context,
  options: WorkOptions & { readonly principal: Principal },
  claimed: Claimed,
  ending: Ending,
): Promise<boolean> {
  const { handoff } = claimed;
  if (ending.kind === 'lost') return false;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)) {
    try {
      const answer = await tell(ctx, options, claimed, ending);
      if (answer.ok) ctx.report(settledAs(answer.value, ending));
      else {
        const failure = unusable(answer.refusal);
        if (failure !== null) return await settle(ctx, options, claimed, { ...ending, kind: 'failure', failure });
        ctx.report({ kind: 'result-refused', id: handoff.id, refusal: answer.refusal as Refusal });
      }
      return answer.ok;
    } catch (error) {
      if (error instanceof BrokenAssumption) throw error;
      ctx.report({ kind: 'fault', doing: `settling ${handoff.id}`, error });
      if (error instanceof StoreGone) return false;
      await ctx.timers.sleep(pauseMs);
    }
  }
}

function settledAs(handoff: Handoff, ending: Ending): EngineEvent {
  const { id, state, attempt, notBefore, since } = handoff;
  if (ending.kind === 'postponed') {
    const { reason, inMs } = ending.later;
    return { kind: 'attempt-settled', id, state, postponed: { reason, inMs } };
  }
  if (ending.kind !== 'failure') return { kind: 'attempt-settled', id, state };
  const { code, message } = ending.failure;
  const againInMs = isFinal(state) ? null : Math.max(0, notBefore - since);
  return { kind: 'attempt-settled', id, state, failed: { attempt, code, message, againInMs } };
}

const FIRST_PAUSE_MS = 100;
const PAUSE_MAX_MS = 5_000;

async function tell(
  ctx: Context,
  { principal, terms }: WorkOptions & { readonly principal: Principal },
  { handoff, body }: Claimed,
  ending: Exclude<Ending, { kind: 'lost' }>,
): Promise<Result<Handoff, DeliverRefusal>> {
  const { fence } = handoff;
  switch (ending.kind) {
    case 'result':
      return deliver(ctx, principal, {
        target: handoff,
        fence,
        result: ending.result,
        evidence: ending.evidence,
        body,
        ...defined({ detail: ending.detail }),
      });
    case 'failure':
      return fail(ctx, principal, {
        target: handoff,
        fence,
        failure: ending.failure,
        ...(terms?.retriesMax !== undefined && hasUsualRetries(ctx, handoff) ? { retriesMax: terms.retriesMax } : {}),
        ...defined({ detail: ending.detail }),
      });
    case 'postponed':
      return release(ctx, principal, handoff, fence, ending.later);
    case 'given-up':
      return release(ctx, principal, handoff, fence);
  }
}

/** A result that cannot be taken as it is ends the attempt: the next one may do better. */
function unusable(refusal: DeliverRefusal): Failure | null {
  switch (refusal.code) {
    case 'not-json':
      return { code: 'PROCESSING_ERROR', message: `the result is not usable: ${refusal.problem.says}` };
    case 'schema-violated':
      return violationFailure('VALIDATION_FAILED', 'the result', refusal);
    case 'schema-unknown':
    case 'schema-broken':
      return { code: 'DEPENDENCY_MISSING', message: `the schema ${refusal.schema} of the result cannot be used` };
    case 'evidence-missing':
    case 'evidence-unknown':
      return { code: 'VALIDATION_FAILED', message: `${refusal.code}: ${refusal.deliverables.join(', ')}` };
    case 'evidence-false': {
      const says = refusal.checks.map((check) => `${check.deliverable}: ${check.says}`).join('; ');
      return { code: 'VALIDATION_FAILED', message: `evidence does not hold: ${says}` };
    }
    case 'secret-found':
      return { code: 'VALIDATION_FAILED', message: secretWarning(refusal, 'refused') };
    default:
      return null;
  }
}
